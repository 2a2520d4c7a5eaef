// passes: matmul_add_act_fuse_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8x4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xf32>
    (%3) = "pd_op.matmul" (%2, %0) {transpose_x:false,transpose_y:false} : (tensor<-1x8xf32>, tensor<8x4xf32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.add" (%3, %1) {} : (tensor<-1x4xf32>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.gelu" (%4) {approximate:false} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%6) = "pd_op.gelu" (%4) {approximate:true} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%7) = "pd_op.fetch" (%5) {col:0,name:"y",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%8) = "pd_op.fetch" (%6) {col:1,name:"z",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8x4xf32>
    (%1) = "builtin.parameter" () {parameter_name:"b"} : () -> tensor<4xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xf32>
    (%3) = "pd_op.fused_matmul" (%2, %0, %1) {activation:"",transpose_x:false,transpose_y:false} : (tensor<-1x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<-1x4xf32>
    (%4) = "pd_op.gelu" (%3) {approximate:false} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%5) = "pd_op.gelu" (%3) {approximate:true} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%6) = "pd_op.fetch" (%4) {col:0,name:"y",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
    (%7) = "pd_op.fetch" (%5) {col:1,name:"z",persistable:[true]} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>
}
