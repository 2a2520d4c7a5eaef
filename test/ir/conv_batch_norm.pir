// passes: conv2d_bn_fuse_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"mean"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"gamma"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"beta"} : () -> tensor<4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,8,8]} : () -> tensor<1x3x8x8xf32>
    (%6) = "pd_op.conv2d" (%5, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    (%7, %8, %9, %10, %11, %12) = "pd_op.batch_norm_" (%6, %1, %2, %3, %4) {data_format:"NCHW",epsilon:1e-05,is_test:true,momentum:0.9,trainable_statistics:false,use_global_stats:false} : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>
    (%13) = "pd_op.fetch" (%7) {col:0,name:"y",persistable:[true]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"mean"} : () -> tensor<4xf32>
    (%2) = "builtin.parameter" () {parameter_name:"variance"} : () -> tensor<4xf32>
    (%3) = "builtin.parameter" () {parameter_name:"gamma"} : () -> tensor<4xf32>
    (%4) = "builtin.parameter" () {parameter_name:"beta"} : () -> tensor<4xf32>
    (%5) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[1,3,8,8]} : () -> tensor<1x3x8x8xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%7) = "pd_op.scale" (%2, %6) {bias:1e-05,bias_after_scale:true} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    (%8) = "pd_op.rsqrt" (%7) {} : (tensor<4xf32>) -> tensor<4xf32>
    (%9) = "pd_op.multiply" (%3, %8) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%10) = "pd_op.multiply" (%1, %9) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%11) = "pd_op.subtract" (%4, %10) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    (%12) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[4,1,1,1]} : () -> tensor<4xi64>
    (%13) = "pd_op.reshape" (%9, %12) {} : (tensor<4xf32>, tensor<4xi64>) -> tensor<4x1x1x1xf32>
    (%14) = "pd_op.multiply" (%0, %13) {} : (tensor<4x3x3x3xf32>, tensor<4x1x1x1xf32>) -> tensor<4x3x3x3xf32>
    (%15) = "pd_op.conv2d" (%5, %14) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    (%16) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[1,4,1,1]} : () -> tensor<4xi64>
    (%17) = "pd_op.reshape" (%11, %16) {} : (tensor<4xf32>, tensor<4xi64>) -> tensor<1x4x1x1xf32>
    (%18) = "pd_op.add" (%15, %17) {} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
    (%19) = "pd_op.fetch" (%18) {col:0,name:"y",persistable:[true]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
}
