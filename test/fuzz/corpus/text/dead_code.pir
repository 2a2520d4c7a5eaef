// passes: dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xf32>
    (%2) = "pd_op.tanh" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%3) = "pd_op.add" (%2, %0) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    (%4) = "pd_op.tanh" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%5) = "pd_op.increment_" (%4) {value:1} : (tensor<3xf32>) -> tensor<3xf32>
    (%6) = "pd_op.less_than" (%1, %1) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xb>
    (%7) = "pd_op.if" (%6) {} -> tensor<3xf32> {
        (%8) = "pd_op.tanh" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
        () = "cf.yield" (%8) {} : (tensor<3xf32>) -> 
    } else {
        () = "cf.yield" (%1) {} : (tensor<3xf32>) -> 
    }
    () = "pd_op.if" (%6) {} ->  {
        (%9) = "pd_op.tanh" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
        (%10) = "custom_op.unknown" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
    } else {
    }
    (%11) = "pd_op.fetch" (%1) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<3xf32>) -> tensor<3xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[false],trainable:[true]} : () -> tensor<3xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xf32>
    (%2) = "pd_op.tanh" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
    (%3) = "pd_op.increment_" (%2) {value:1} : (tensor<3xf32>) -> tensor<3xf32>
    (%4) = "pd_op.less_than" (%1, %1) {} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xb>
    () = "pd_op.if" (%4) {} ->  {
        (%5) = "custom_op.unknown" (%1) {} : (tensor<3xf32>) -> tensor<3xf32>
    } else {
    }
    (%6) = "pd_op.fetch" (%1) {col:0,name:"out",persistable:[true],stop_gradient:[true]} : (tensor<3xf32>) -> tensor<3xf32>
}
