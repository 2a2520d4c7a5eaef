// passes: attention_fuse_pass,dead_code_elimination_pass
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,-1,4,8]} : () -> tensor<2x-1x4x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,4,8]} : () -> tensor<2x-1x4x8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,-1,4,8]} : () -> tensor<2x-1x4x8xf32>
    (%3) = "pd_op.transpose" (%0) {perm:[0,2,1,3]} : (tensor<2x-1x4x8xf32>) -> tensor<2x4x-1x8xf32>
    (%4) = "pd_op.transpose" (%1) {perm:[0,2,1,3]} : (tensor<2x-1x4x8xf32>) -> tensor<2x4x-1x8xf32>
    (%5) = "pd_op.transpose" (%2) {perm:[0,2,1,3]} : (tensor<2x-1x4x8xf32>) -> tensor<2x4x-1x8xf32>
    (%6) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:0.25} : () -> tensor<1xf32>
    (%7) = "pd_op.scale" (%3, %6) {bias:0,bias_after_scale:true} : (tensor<2x4x-1x8xf32>, tensor<1xf32>) -> tensor<2x4x-1x8xf32>
    (%8) = "pd_op.matmul" (%7, %4) {transpose_x:false,transpose_y:true} : (tensor<2x4x-1x8xf32>, tensor<2x4x-1x8xf32>) -> tensor<2x4x-1x-1xf32>
    (%9) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:-10000} : () -> tensor<1xf32>
    (%10) = "pd_op.full_like" (%8, %9) {dtype:float32,place:Place(undefined:0)} : (tensor<2x4x-1x-1xf32>, tensor<1xf32>) -> tensor<2x4x-1x-1xf32>
    (%11) = "pd_op.triu" (%10) {diagonal:1} : (tensor<2x4x-1x-1xf32>) -> tensor<2x4x-1x-1xf32>
    (%12) = "pd_op.add" (%8, %11) {} : (tensor<2x4x-1x-1xf32>, tensor<2x4x-1x-1xf32>) -> tensor<2x4x-1x-1xf32>
    (%13) = "pd_op.softmax" (%12) {axis:-1} : (tensor<2x4x-1x-1xf32>) -> tensor<2x4x-1x-1xf32>
    (%14) = "pd_op.matmul" (%13, %5) {transpose_x:false,transpose_y:false} : (tensor<2x4x-1x-1xf32>, tensor<2x4x-1x8xf32>) -> tensor<2x4x-1x8xf32>
    (%15) = "pd_op.transpose" (%14) {perm:[0,2,1,3]} : (tensor<2x4x-1x8xf32>) -> tensor<2x-1x4x8xf32>
    (%16) = "pd_op.fetch" (%15) {col:0,name:"causal",persistable:[true]} : (tensor<2x-1x4x8xf32>) -> tensor<2x-1x4x8xf32>
    (%17) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2,4,16,8]} : () -> tensor<2x4x16x8xf32>
    (%18) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[2,1,1,16]} : () -> tensor<2x1x1x16xf32>
    (%19) = "pd_op.transpose" (%17) {perm:[0,1,3,2]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x8x16xf32>
    (%20) = "pd_op.matmul" (%17, %19) {transpose_x:false,transpose_y:false} : (tensor<2x4x16x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x16x16xf32>
    (%21) = "pd_op.scale" (%20, %6) {bias:0,bias_after_scale:true} : (tensor<2x4x16x16xf32>, tensor<1xf32>) -> tensor<2x4x16x16xf32>
    (%22) = "pd_op.add" (%21, %18) {} : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
    (%23) = "pd_op.softmax" (%22) {axis:3} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    (%24) = "pd_op.matmul" (%23, %17) {transpose_x:false,transpose_y:false} : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    (%25) = "pd_op.fetch" (%24) {col:1,name:"masked",persistable:[true]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    (%26) = "pd_op.matmul" (%17, %17) {transpose_x:false,transpose_y:true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
    (%27) = "pd_op.add" (%26, %18) {} : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
    (%28) = "pd_op.softmax" (%27) {axis:-1} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    (%29) = "pd_op.matmul" (%28, %17) {transpose_x:false,transpose_y:false} : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    (%30) = "pd_op.fetch" (%28) {col:2,name:"weights",persistable:[true]} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    (%31) = "pd_op.fetch" (%29) {col:3,name:"with_weights",persistable:[true]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
}
// expect
{
    (%0) = "pd_op.data" () {dtype:float32,name:"q",place:Place(undefined:0),shape:[2,-1,4,8]} : () -> tensor<2x-1x4x8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"k",place:Place(undefined:0),shape:[2,-1,4,8]} : () -> tensor<2x-1x4x8xf32>
    (%2) = "pd_op.data" () {dtype:float32,name:"v",place:Place(undefined:0),shape:[2,-1,4,8]} : () -> tensor<2x-1x4x8xf32>
    (%3, %4) = "pd_op.fused_attention" (%0, %1, %2, <<NULL VALUE>>, <<NULL VALUE>>) {causal:true,dropout:0,offset:0,scale:0.25} : (tensor<2x-1x4x8xf32>, tensor<2x-1x4x8xf32>, tensor<2x-1x4x8xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<2x-1x4x8xf32>, tensor<2x4x-1xf64>
    (%5) = "pd_op.fetch" (%3) {col:0,name:"causal",persistable:[true]} : (tensor<2x-1x4x8xf32>) -> tensor<2x-1x4x8xf32>
    (%6) = "pd_op.data" () {dtype:float32,name:"h",place:Place(undefined:0),shape:[2,4,16,8]} : () -> tensor<2x4x16x8xf32>
    (%7) = "pd_op.data" () {dtype:float32,name:"m",place:Place(undefined:0),shape:[2,1,1,16]} : () -> tensor<2x1x1x16xf32>
    (%8) = "pd_op.transpose" (%6) {perm:[0,2,1,3]} : (tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32>
    (%9) = "pd_op.transpose" (%6) {perm:[0,2,1,3]} : (tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32>
    (%10) = "pd_op.transpose" (%6) {perm:[0,2,1,3]} : (tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32>
    (%11, %12) = "pd_op.fused_attention" (%8, %10, %9, %7, <<NULL VALUE>>) {causal:false,dropout:0,offset:0,scale:0.25} : (tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>, tensor<2x16x4x8xf32>, tensor<2x1x1x16xf32>, <<NULL TYPE>>) -> tensor<2x16x4x8xf32>, tensor<2x4x16xf64>
    (%13) = "pd_op.transpose" (%11) {perm:[0,2,1,3]} : (tensor<2x16x4x8xf32>) -> tensor<2x4x16x8xf32>
    (%14) = "pd_op.fetch" (%13) {col:1,name:"masked",persistable:[true]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    (%15) = "pd_op.matmul" (%6, %6) {transpose_x:false,transpose_y:true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
    (%16) = "pd_op.add" (%15, %7) {} : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
    (%17) = "pd_op.softmax" (%16) {axis:-1} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    (%18) = "pd_op.matmul" (%17, %6) {transpose_x:false,transpose_y:false} : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
    (%19) = "pd_op.fetch" (%17) {col:2,name:"weights",persistable:[true]} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
    (%20) = "pd_op.fetch" (%18) {col:3,name:"with_weights",persistable:[true]} : (tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
}
