// passes: conv2d_add_act_fuse_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<3x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<1x3x1x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,8,8]} : () -> tensor<1x3x8x8xf32>
    (%3) = "pd_op.conv2d" (%2, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x8x8xf32>
    (%4) = "pd_op.add" (%3, %1) {} : (tensor<1x3x8x8xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x8x8xf32>
    (%5) = "pd_op.add" (%4, %2) {} : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%6) = "pd_op.relu" (%5) {} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%7) = "pd_op.conv2d" (%6, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x8x8xf32>
    (%8) = "pd_op.relu" (%7) {} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%9) = "pd_op.fetch" (%7) {col:0,name:"kept",persistable:[true]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%10) = "pd_op.fetch" (%8) {col:1,name:"y",persistable:[true]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<3x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<1x3x1x1xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,8,8]} : () -> tensor<1x3x8x8xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[3]} : () -> tensor<1xi64>
    (%4) = "pd_op.reshape" (%1, %3) {} : (tensor<1x3x1x1xf32>, tensor<1xi64>) -> tensor<3xf32>
    (%5) = "pd_op.fused_conv" (%2, %0, %4, %2) {activation:"relu",data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>, tensor<3xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%6) = "pd_op.conv2d" (%5, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x8x8xf32>
    (%7) = "pd_op.relu" (%6) {} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%8) = "pd_op.fetch" (%6) {col:0,name:"kept",persistable:[true]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%9) = "pd_op.fetch" (%7) {col:1,name:"y",persistable:[true]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
}
