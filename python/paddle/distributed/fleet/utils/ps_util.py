# SPDX-License-Identifier: Apache-2.0
"""Programs with large tables that were trained in a job, evaluated in a process that holds them."""

import os

import paddle

__all__ = ['DistributedInfer']


class DistributedInfer:
    """A program with tables (`static.nn.sparse_embedding`) made ready for evaluation.

    The tables are this process's, so lookups read them here; parameter servers are refused by the
    role makers.

    Args:
        main_program (Program, default None): The program; the default main program otherwise.
        startup_program (Program, default None): What gives its parameters their first values; the
            default startup program otherwise.

    Examples:
        >>> import tempfile
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     ids = paddle.static.data("ids", [None], "int64")
        ...     rows = paddle.static.nn.sparse_embedding(ids, [4, 2])
        ...     loss = paddle.mean(rows)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> want = exe.run(main, feed={"ids": [1, 2]}, fetch_list=[loss])[0]
        >>> folder = tempfile.mkdtemp()
        >>> paddle.distributed.io.save_persistables(exe, folder, main)
        >>> infer = paddle.distributed.fleet.utils.DistributedInfer(main, startup)
        >>> infer.init_distributed_infer_env(exe, loss, dirname=folder)
        >>> program = infer.get_dist_infer_program()
        >>> exe.run(program, feed={"ids": [1, 2]}, fetch_list=[loss])[0] == want
        np.True_
    """

    def __init__(self, main_program=None, startup_program=None):
        static = paddle.static
        self.origin_main_program = main_program or static.default_main_program()
        self.origin_startup_program = startup_program or static.default_startup_program()
        for name, program in (('main', main_program), ('startup', startup_program)):
            if program is not None and not isinstance(program, static.Program):
                raise TypeError(
                    f'[DistributedInfer] expected a Program as {name}_program, got '
                    f'{type(program).__name__}'
                )

    def init_distributed_infer_env(self, exe, loss, role_maker=None, dirname=None):
        """Give the program's parameters and tables their values: first ones, then those that are
        files in a directory.

        Args:
            exe (Executor): What runs the startup program.
            loss (Tensor): A value of the program. What servers are told by it is not needed here.
            role_maker (RoleMakerBase, default None): Who this process is, for `fleet.init` where
                that was not called before; None for what the environment says.
            dirname (str, default None): Where `paddle.distributed.io.save_persistables` wrote a
                file for each name. Parameters without one keep their first values.

        Raises:
            FileNotFoundError: The directory holds none of the program's parameters.
            ValueError: The job has parameter servers, or a file has another shape or dtype.
        """
        from paddle.distributed import fleet
        from paddle.distributed.io import is_persistable
        from paddle.static import io

        if not isinstance(loss, paddle.Tensor):
            raise TypeError(
                f'[init_distributed_infer_env] expected a value of the program as loss, got '
                f'{type(loss).__name__}'
            )
        if fleet.fleet._role_maker is None:
            fleet.init(role_maker)
        exe.run(self.origin_startup_program)
        if dirname is None:
            return
        known = self.origin_main_program._parameters()
        found = [
            name
            for name, value in known.items()
            if is_persistable(value) and os.path.isfile(os.path.join(dirname, name))
        ]
        if known and not found:
            raise FileNotFoundError(
                f'[init_distributed_infer_env] expected files of {", ".join(sorted(known))} in '
                f'{dirname!r}, got none'
            )
        io.load_vars(exe, dirname, self.origin_main_program, vars=found)

    def get_dist_infer_program(self):
        """The program without updates, and with dropout and batch_norm in test mode.

        Returns:
            Program: a copy that shares the parameters.
        """
        return self.origin_main_program.clone(for_test=True)
