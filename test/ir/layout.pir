// passes: transfer_layout_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<3x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,8,8]} : () -> tensor<1x3x8x8xf32>
    (%2) = "pd_op.conv2d" (%1, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x8x8xf32>
    (%3) = "pd_op.tanh" (%2) {} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%4) = "pd_op.sqrt" (%3) {} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%5) = "pd_op.conv2d" (%4, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>) -> tensor<1x3x8x8xf32>
    (%6) = "pd_op.add" (%5, %2) {} : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    (%7) = "pd_op.fetch" (%6) {col:0,name:"y",persistable:[true]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<3x3x3x3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,8,8]} : () -> tensor<1x3x8x8xf32>
    (%2) = "pd_op.transpose" (%1) {perm:[0,2,3,1]} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
    (%3) = "pd_op.conv2d" (%2, %0) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x3xf32>) -> tensor<1x8x8x3xf32>
    (%4) = "pd_op.tanh" (%3) {} : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
    (%5) = "pd_op.sqrt" (%4) {} : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
    (%6) = "pd_op.conv2d" (%5, %0) {data_format:"NHWC",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x3xf32>) -> tensor<1x8x8x3xf32>
    (%7) = "pd_op.add" (%6, %3) {} : (tensor<1x8x8x3xf32>, tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
    (%8) = "pd_op.transpose" (%7) {perm:[0,3,1,2]} : (tensor<1x8x8x3xf32>) -> tensor<1x3x8x8xf32>
    (%9) = "pd_op.fetch" (%8) {col:0,name:"y",persistable:[true]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
}
