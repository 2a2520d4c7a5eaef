# SPDX-License-Identifier: Apache-2.0
"""The messages of `.pdmodel` and of operations' declarations, as classes of the package protobuf,
which this module needs.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = 'paddle.framework.proto'
_ENUMS = {
    'AttrType': (
        'INT=0 FLOAT=1 STRING=2 INTS=3 FLOATS=4 STRINGS=5 BOOLEAN=6 BOOLEANS=7 BLOCK=8 LONG=9 '
        'BLOCKS=10 LONGS=11 FLOAT64S=12 VAR=13 VARS=14 FLOAT64=15 SCALAR=16 SCALARS=17'
    ),
    'Scalar.Type': 'BOOLEAN=1 LONG=2 FLOAT64=3 COMPLEX128=4',
    'VarType.Type': (
        'BOOL=0 INT16=1 INT32=2 INT64=3 FP16=4 FP32=5 FP64=6 SIZE_T=19 UINT8=20 INT8=21 BF16=22 '
        'COMPLEX64=23 COMPLEX128=24 FP8_E4M3FN=32 FP8_E5M2=33 UINT16=36 UINT32=37 UINT64=38 '
        'DENSE_TENSOR=7 SELECTED_ROWS=8 FEED_MINIBATCH=9 FETCH_LIST=10 STEP_SCOPES=11 '
        'LOD_RANK_TABLE=12 DENSE_TENSOR_ARRAY=13 PLACE_LIST=14 READER=15 RAW=17 TUPLE=18 '
        'STRING=25 STRINGS=26 VOCAB=27 FEED_LIST=28 PSTRING=29 SPARSE_COO=30 SPARSE_CSR=31'
    ),
}
# Fields as `mark type name number [default]`: ! for one that must be there, * for many, ? for one
# that may be left out.
_MESSAGES = {
    'Version': '? int64 version 1 0',
    'Complex': '! double r 1, ! double i 2',
    'Scalar': '! Scalar.Type type 1, ? bool b 2, ? int64 i 3, ? double r 4, ? Complex c 5',
    'OpDesc': '! string type 3, * OpDesc.Var inputs 1, * OpDesc.Var outputs 2, * OpDesc.Attr '
    'attrs 4, ? bool is_target 5 false',
    'OpDesc.Attr': (
        '! string name 1, ! AttrType type 2, ? int32 i 3, ? float f 4, ? string s 5, * int32 '
        'ints 6, * float floats 7, * string strings 8, ? bool b 10, * bool bools 11, ? int32 '
        'block_idx 12, ? int64 l 13, * int32 blocks_idx 14, * int64 longs 15, * double float64s '
        '16, ? string var_name 17, * string vars_name 18, ? double float64 19, ? Scalar scalar '
        '20, * Scalar scalars 21'
    ),
    'OpDesc.Var': '! string parameter 1, * string arguments 2',
    'OpProto': '! string type 1, * OpProto.Var inputs 2, * OpProto.Var outputs 3, * OpProto.Attr '
    'attrs 4, ! string comment 5',
    'OpProto.Var': (
        '! string name 1, ! string comment 2, ? bool duplicable 3 false, ? bool intermediate 4 '
        'false, ? bool dispensable 5 false, ? bool extra 6 false, ? bool quant 7 false'
    ),
    'OpProto.Attr': (
        '! string name 1, ! AttrType type 2, ! string comment 3, ? bool generated 4 false, ? '
        'bool extra 5 false, ? bool quant 6 false, ? bool support_tensor 7 false'
    ),
    'VarType': (
        '! VarType.Type type 1, ? VarType.TensorDesc selected_rows 2, ? VarType.DenseTensorDesc '
        'dense_tensor 3, ? VarType.DenseTensorArrayDesc tensor_array 4, ? VarType.ReaderDesc '
        'reader 5, ? VarType.Tuple tuple 7, ? VarType.TensorDesc string 8, ? VarType.TensorDesc '
        'strings 9, ? VarType.TensorDesc vocab 10, ? VarType.TensorDesc sparse_coo 11, ? '
        'VarType.TensorDesc sparse_csr 12'
    ),
    'VarType.TensorDesc': '! VarType.Type data_type 1, * int64 dims 2',
    'VarType.DenseTensorDesc': '! VarType.TensorDesc tensor 1, ? int32 legacy_lod_level 2 0',
    'VarType.DenseTensorArrayDesc': '! VarType.TensorDesc tensor 1, ? int32 legacy_lod_level 2 0',
    'VarType.ReaderDesc': '* VarType.DenseTensorDesc dense_tensor 1',
    'VarType.Tuple': '* VarType.Type element_type 1',
    'VarDesc': (
        '! string name 1, ! VarType type 2, ? bool persistable 3 false, ? bool need_check_feed 4 '
        'false, ? bool is_parameter 5 false, ? bool stop_gradient 6 false, * VarDesc.Attr attrs 7'
    ),
    'VarDesc.Attr': '! string name 1, ! AttrType type 2, ? int32 i 3, ? string s 4, * int32 ints 5',
    'BlockDesc': '! int32 idx 1, ! int32 parent_idx 2, * VarDesc vars 3, * OpDesc ops 4, ? int32 '
    'forward_block_idx 5 -1',
    'OpVersion': '! int32 version 1',
    'OpVersionMap': '* OpVersionMap.OpVersionPair pair 1',
    'OpVersionMap.OpVersionPair': '! string op_name 1, ! OpVersion op_version 2',
    'ProgramDesc': '* BlockDesc blocks 1, ? Version version 4, ? OpVersionMap op_version_map 5',
}
_MARKS = {'?': 1, '!': 2, '*': 3}


def _file():
    made = descriptor_pb2.FileDescriptorProto(
        name='paddle/fluid/framework/framework.proto', package=_PACKAGE, syntax='proto2'
    )
    scopes = {'': made}
    for path in _MESSAGES:
        above, _, name = path.rpartition('.')
        scopes[path] = (scopes[above].nested_type if above else made.message_type).add(name=name)
    for path, words in _ENUMS.items():
        above, _, name = path.rpartition('.')
        enum = scopes[above].enum_type.add(name=name)
        for word in words.split():
            key, _, number = word.partition('=')
            enum.value.add(name=key, number=int(number))
    for path, fields in _MESSAGES.items():
        for field in fields.split(', '):
            mark, kind, name, number, *default = field.split()
            one = scopes[path].field.add(name=name, number=int(number), label=_MARKS[mark])
            if kind in _MESSAGES or kind in _ENUMS:
                one.type, one.type_name = (11 if kind in _MESSAGES else 14), f'.{_PACKAGE}.{kind}'
            else:
                one.type = descriptor_pb2.FieldDescriptorProto.Type.Value('TYPE_' + kind.upper())
            if default:
                one.default_value = default[0]
    return made


_pool = descriptor_pool.DescriptorPool()
_pool.Add(_file())
DESCRIPTOR = _pool.FindFileByName('paddle/fluid/framework/framework.proto')
for _name in (n for n in _MESSAGES if '.' not in n):
    globals()[_name] = message_factory.GetMessageClass(DESCRIPTOR.message_types_by_name[_name])
for _word in _ENUMS['AttrType'].split():
    globals()[_word.partition('=')[0]] = int(_word.partition('=')[2])
__all__ = [
    'DESCRIPTOR',
    *(n for n in _MESSAGES if '.' not in n),
    *(w.partition('=')[0] for w in _ENUMS['AttrType'].split()),
]
