// passes: identity_op_clean_pass,dead_code_elimination_pass
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.cast" (%0) {dtype:float32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%1, %2) {bias:0,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%4) = "pd_op.transpose" (%3) {perm:[0,1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.scale" (%4, %2) {bias:1,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.cast" (%5) {dtype:float64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
    (%7) = "builtin.combine" (%0, %5) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> vec[tensor<2x3xf32>,tensor<2x3xf32>]
    (%8, %9) = "builtin.split" (%7) {} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>, tensor<2x3xf32>
    (%10) = "builtin.slice" (%7) {index:1} : (vec[tensor<2x3xf32>,tensor<2x3xf32>]) -> tensor<2x3xf32>
    (%11) = "pd_op.multiply" (%9, %10) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%12) = "pd_op.fetch" (%11) {col:0,name:"a",persistable:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%13) = "pd_op.fetch" (%6) {col:1,name:"b",persistable:[true]} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    (%14) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%15) = "pd_op.cast" (%14) {dtype:float32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%16) = "pd_op.increment_" (%15) {value:1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
// expect
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> tensor<2x3xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:1,bias_after_scale:true} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.cast" (%2) {dtype:float64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
    (%4) = "pd_op.multiply" (%2, %2) {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%5) = "pd_op.fetch" (%4) {col:0,name:"a",persistable:[true]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%6) = "pd_op.fetch" (%3) {col:1,name:"b",persistable:[true]} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    (%7) = "pd_op.tanh" (%0) {} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%8) = "pd_op.cast" (%7) {dtype:float32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    (%9) = "pd_op.increment_" (%8) {value:1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}
