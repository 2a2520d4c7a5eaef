// passes: matmul_add_act_fuse_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xf32>
    (%3) = "pd_op.linear_v2" (%2, %0, %1) {transpose_weight:true} : (tensor<-1x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.relu" (%3) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.linear_v2" (%2, %0, %1) {transpose_weight:true} : (tensor<-1x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%6) = "pd_op.tanh" (%5) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%7) = "pd_op.add" (%6, %5) {} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%8) = "pd_op.fetch" (%4) {col:0,name:"y",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%9) = "pd_op.fetch" (%7) {col:1,name:"z",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<4x8xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xf32>
    (%3) = "pd_op.fused_matmul" (%2, %0, %1) {activation:"relu",transpose_x:false,transpose_y:true} : (tensor<-1x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.linear_v2" (%2, %0, %1) {transpose_weight:true} : (tensor<-1x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.tanh" (%4) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%6) = "pd_op.add" (%5, %4) {} : (tensor<-1x4xf32>, tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%7) = "pd_op.fetch" (%3) {col:0,name:"y",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"z",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
