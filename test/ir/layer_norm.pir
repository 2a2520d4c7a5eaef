// passes: layer_norm_fuse_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8]} : () -> tensor<-1x4x8xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4x1xf32>
    (%5) = "pd_op.subtract" (%2, %4) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%6) = "pd_op.pow" (%5) {y:2} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%7) = "pd_op.mean" (%6, %3) {keepdim:true} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4x1xf32>
    (%8) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[],value:1e-05} : () -> tensor<f32>
    (%9) = "pd_op.add" (%7, %8) {} : (tensor<-1x4x1xf32>, tensor<f32>) -> tensor<-1x4x1xf32>
    (%10) = "pd_op.sqrt" (%9) {} : (tensor<-1x4x1xf32>) -> tensor<-1x4x1xf32>
    (%11) = "pd_op.divide" (%5, %10) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%12) = "pd_op.multiply" (%1, %11) {} : (tensor<8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%13) = "pd_op.add" (%12, %0) {} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>
    (%14) = "pd_op.mean" (%6, %3) {keepdim:false} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4xf32>
    (%15) = "pd_op.sqrt" (%7) {} : (tensor<-1x4x1xf32>) -> tensor<-1x4x1xf32>
    (%16) = "pd_op.divide" (%5, %15) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%17) = "pd_op.fetch" (%13) {col:0,name:"y",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%18) = "pd_op.fetch" (%16) {col:1,name:"z",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8]} : () -> tensor<-1x4x8xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4x1xf32>
    (%5) = "pd_op.subtract" (%2, %4) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%6) = "pd_op.pow" (%5) {y:2} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%7) = "pd_op.mean" (%6, %3) {keepdim:true} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4x1xf32>
    (%8, %9, %10) = "pd_op.layer_norm" (%2, %1, %0) {begin_norm_axis:2,epsilon:1e-05} : (tensor<-1x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4xf32>, tensor<-1x4xf32>
    (%11) = "pd_op.sqrt" (%7) {} : (tensor<-1x4x1xf32>) -> tensor<-1x4x1xf32>
    (%12) = "pd_op.divide" (%5, %11) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%13) = "pd_op.fetch" (%8) {col:0,name:"y",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%14) = "pd_op.fetch" (%12) {col:1,name:"z",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
}
