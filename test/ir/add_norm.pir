// passes: add_norm_fuse_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8]} : () -> tensor<-1x4x8xf32>
    (%3) = "pd_op.tanh" (%2) {} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%4) = "pd_op.add" (%2, %3) {} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%5, %6, %7) = "pd_op.layer_norm" (%4, %0, %1) {begin_norm_axis:2,epsilon:1e-05} : (tensor<-1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4xf32>, tensor<-1x4xf32>
    (%8) = "pd_op.add" (%4, %5) {} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%9, %10) = "pd_op.rms_norm" (%8, %0) {epsilon:1e-06,normalized_shape:[8]} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4xf32>
    (%11) = "pd_op.add" (%9, %3) {} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%12) = "pd_op.tanh" (%11) {} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%13, %14) = "pd_op.rms_norm" (%11, %0) {epsilon:1e-06,normalized_shape:[8]} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4xf32>
    (%15) = "pd_op.add" (%13, %1) {} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>
    (%16, %17, %18) = "pd_op.layer_norm" (%15, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05} : (tensor<-1x4x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x4x8xf32>, tensor<-1xf32>, tensor<-1xf32>
    (%19) = "pd_op.fetch" (%12) {col:0,name:"y",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%20) = "pd_op.fetch" (%16) {col:1,name:"z",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8]} : () -> tensor<-1x4x8xf32>
    (%3) = "pd_op.tanh" (%2) {} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%4, %5) = "pd_op.fused_add_norm" (%2, %3, %0, %1) {epsilon:1e-05,normalized_shape:[8],rms:false} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4x8xf32>
    (%6, %7) = "pd_op.fused_add_norm" (%5, %4, %0, <<NULL VALUE>>) {epsilon:1e-06,normalized_shape:[8],rms:true} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>, tensor<8xf32>, <<NULL TYPE>>) -> tensor<-1x4x8xf32>, tensor<-1x4x8xf32>
    (%8) = "pd_op.add" (%6, %3) {} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%9) = "pd_op.tanh" (%8) {} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%10, %11) = "pd_op.rms_norm" (%8, %0) {epsilon:1e-06,normalized_shape:[8]} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4xf32>
    (%12) = "pd_op.add" (%10, %1) {} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>
    (%13, %14, %15) = "pd_op.layer_norm" (%12, <<NULL VALUE>>, <<NULL VALUE>>) {begin_norm_axis:1,epsilon:1e-05} : (tensor<-1x4x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x4x8xf32>, tensor<-1xf32>, tensor<-1xf32>
    (%16) = "pd_op.fetch" (%9) {col:0,name:"y",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%17) = "pd_op.fetch" (%13) {col:1,name:"z",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
}
