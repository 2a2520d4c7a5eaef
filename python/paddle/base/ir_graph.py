# SPDX-License-Identifier: Apache-2.0
"""Programs seen as graphs of operations and variables: `core.Graph`, `IrGraph` and their nodes.

A graph shows a copy of a program. The passes of `paddle.static.quantization` change that copy;
links between nodes cannot be changed.
"""

from paddle.base import libpaddle as _core

__all__ = ['Graph', 'IrGraph', 'IrNode', 'ProgramDesc']

_FEW = ('pd_op.data', 'builtin.parameter')


class ProgramDesc:
    """A description of a program: what `Program.desc` gives and `core.Graph` takes."""

    def __init__(self, program):
        self._program = program

    def num_blocks(self):
        """How many blocks the program has at its top: 1."""
        return self._program.num_blocks

    def get_feed_target_names(self):
        """Names of the inputs."""
        from paddle.static import io

        return io._interface(self._program)[1]


class Graph:
    """A copy of the program that a description stands for.

    Args:
        desc (ProgramDesc): What `Program.desc` gives.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.exp(paddle.static.data("x", [2]))
        >>> graph = paddle.base.core.Graph(main.desc)
        >>> sorted(node.name() for node in graph.nodes() if node.is_op())
        ['data', 'exp']
    """

    def __init__(self, desc):
        if isinstance(desc, _core.pir.Program):
            desc = desc.desc
        if not isinstance(desc, ProgramDesc):
            raise TypeError(f'[Graph] expected the desc of a program, got {type(desc).__name__}')
        self._program = desc._program.clone()

    def origin_program_desc(self):
        """The description of the copied program."""
        return self._program.desc

    def clone(self):
        """Another graph of the same program."""
        return Graph(self._program.desc)

    def nodes(self):
        """All nodes, operations and the variables they read and write, in order."""
        return _nodes(self._program)


def _nodes(program):
    made, variables = [], {}

    def variable(value):
        key = program._key(value)
        if key not in variables:
            variables[key] = IrNode(len(made), None, value)
            made.append(variables[key])
        return variables[key]

    for op in program._operations():
        node = IrNode(len(made), op, None)
        made.append(node)
        for k in range(op.num_operands()):
            value = op.operand_source(k)
            if value is not None:
                read = variable(value)
                node.inputs.append(read)
                read.outputs.append(node)
        for value in op.results():
            if value is not None:
                written = variable(value)
                if op.name() in _FEW:
                    attrs = op.attrs()
                    written._name = attrs.get('name', attrs.get('parameter_name'))
                    written._kept = op.name() == 'builtin.parameter'
                node.outputs.append(written)
                written.inputs.append(node)
    return made


class IrNode:
    """An operation or a variable of a graph: `name()`, `inputs` and `outputs`.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.exp(paddle.static.data("x", [2]))
        >>> graph = paddle.base.framework.IrGraph(paddle.base.core.Graph(main.desc))
        >>> last = graph.all_op_nodes()[-1]
        >>> last.name(), [node.name() for node in last.inputs]
        ('exp', ['x'])
    """

    def __init__(self, number, op, value):
        self._number, self._op, self._value, self._kept = number, op, value, False
        self._name = None if op is None else op.name().split('.', 1)[-1]
        self.inputs, self.outputs = [], []

    def id(self):
        """The number of the node in its graph."""
        return self._number

    def name(self):
        """The name of the operation, input or parameter; `value_<number>` for other variables."""
        return self._name or f'value_{self._number}'

    def is_op(self):
        """Whether it is an operation."""
        return self._op is not None

    def is_var(self):
        """Whether it is a variable."""
        return self._op is None

    def is_ctrl_var(self):
        """Whether it only orders operations: no variable does."""
        return False

    def op(self):
        """The operation, or None."""
        return self._op

    def var(self):
        """The value that the variable is, or None."""
        return self._value

    def persistable(self):
        """Whether it is a parameter."""
        return self._kept

    def shape(self):
        """The extents of a variable."""
        return list(self._value.shape)

    def dtype(self):
        """The dtype of a variable."""
        return self._value.dtype


class IrGraph:
    """A program as a graph, for those who look through it.

    Args:
        graph (Graph): What `core.Graph` makes.
        for_test (bool, default False): What `is_test()` says.

    Raises:
        AssertionError: graph is none.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.exp(paddle.static.data("x", [2]))
        >>> graph = paddle.framework.IrGraph(paddle.framework.core.Graph(main.desc))
        >>> [node.name() for node in graph.all_op_nodes()]
        ['data', 'exp']
        >>> graph.to_program().num_ops()
        2
    """

    def __init__(self, graph, for_test=False):
        assert isinstance(graph, Graph), (
            f'[IrGraph] expected a core.Graph, got {type(graph).__name__}'
        )
        self.graph, self._for_test = graph, for_test
        self._changed()

    def _changed(self):
        """Look at the program again."""
        self._found = self.graph.nodes()

    def is_test(self):
        """What `for_test` was."""
        return self._for_test

    def all_nodes(self):
        """All nodes."""
        return set(self._found)

    def all_op_nodes(self):
        """The operations in order."""
        return [node for node in self._found if node.is_op()]

    topology_sort = all_op_nodes

    def all_var_nodes(self):
        """The variables."""
        return {node for node in self._found if node.is_var()}

    def all_persistable_nodes(self):
        """The parameters."""
        return {node for node in self._found if node.persistable()}

    def build_adjacency_list(self):
        """{operation: set of those whose results it reads}."""
        return {
            node: {before for value in node.inputs for before in value.inputs}
            for node in self.all_op_nodes()
        }

    def has_circle(self):
        """False: operations only read what came before."""
        return False

    def graph_num(self):
        """How many parts of the graph nothing connects."""
        above = {node: node for node in self._found}

        def top(node):
            while above[node] is not node:
                above[node] = above[above[node]]
                node = above[node]
            return node

        for node in self._found:
            for other in node.inputs:
                above[top(other)] = top(node)
        return len({top(node) for node in self._found})

    def clone(self):
        """A graph of a copy of the program."""
        return IrGraph(self.graph.clone(), self._for_test)

    def all_sub_graphs(self):
        """The graphs of blocks: this one, as the blocks inside operations are part of it."""
        return [self]

    def to_program(self):
        """The program, as it is now: later passes do not change it."""
        return self.graph._program.clone()

    def draw(self, save_path, name, marked_nodes=None, remove_ctr_var=True):
        """Write `<name>.dot` into a folder: the graph in the language of Graphviz, marked nodes
        filled.
        """
        import os

        from paddle.framework.output_file import write_file

        marked = {node.id() for node in marked_nodes or ()}
        lines = ['digraph {']
        for node in self._found:
            fill = ', style=filled' if node.id() in marked else ''
            shape = 'box' if node.is_op() else 'ellipse'
            label = node.name().replace('\\', '\\\\').replace('"', '\\"')
            lines.append(f'  n{node.id()} [label="{label}", shape={shape}{fill}];')
            lines += [f'  n{value.id()} -> n{node.id()};' for value in node.inputs]
        os.makedirs(save_path, exist_ok=True)
        write_file(os.path.join(save_path, f'{name}.dot'), '\n'.join([*lines, '}\n']).encode())
