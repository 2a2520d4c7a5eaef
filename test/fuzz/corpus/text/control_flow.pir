{
    (%stack_0, %inlet_0, %outlet_0) = "cf.stack_create" () {} : () -> cf.stack, cf.inlet, cf.outlet
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,-1],stop_gradient:[false]} : () -> tensor<2x-1xf32>
    (%1) = "pd_op.full" () {dtype:int64,place:Place(undefined:0),shape:[1],stop_gradient:[true],value:0} : () -> tensor<1xi64>
    (%2) = "pd_op.less_than" (%1, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
    (%3, %4) = "pd_op.while" (cond=%2, inputs=%1, %0) { 
    ^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:false}
        (%5) = "pd_op.less_than" (%arg_0, %1) {stop_gradient:[true]} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>
        (%6) = "pd_op.while" (cond=%5, inputs=%arg_1) { 
        ^%arg_2 {}
            (%7) = "pd_op.multiply" (%arg_2, %0) {stop_gradient:[false]} : (tensor<2x-1xf32>, tensor<2x-1xf32>) -> tensor<2x-1xf32>
            () = "cf.tuple_push" (%inlet_0, %7, %arg_1) {} : (cf.inlet, tensor<2x-1xf32>, tensor<2x-1xf32>) -> 
            () = "cf.yield" (%5, %7) {} : (tensor<1xb>, tensor<2x-1xf32>) -> 
        }
        () = "cf.yield" (%5, %arg_0, %6) {} : (tensor<1xb>, tensor<1xi64>, tensor<2x-1xf32>) -> 
    }
    (%8) = "pd_op.if" (%2) {stop_gradient:[false]} -> tensor<2x-1xf32> {
        (%9) = "pd_op.tanh" (%4) {stop_gradient:[false]} : (tensor<2x-1xf32>) -> tensor<2x-1xf32>
        () = "cf.yield" (%9) {} : (tensor<2x-1xf32>) -> 
    } else {
        (%10, %11) = "cf.tuple_pop" (%outlet_0) {stop_gradient:[true,false]} : (cf.outlet) -> tensor<2x-1xf32>, tensor<2x-1xf32>
        () = "cf.yield" (%11) {} : (tensor<2x-1xf32>) -> 
    }
    () = "pd_op.if" (%2) {} ->  {
    } else {
    }
    (%12) = "builtin.group" (%8) {} : (tensor<2x-1xf32>) -> tensor<2x-1xf32> {
    ^%arg_3 {persistable:true,stop_gradient:false} : tensor<2xf16>, %arg_4 {} : vec[]
        () = "cf.yield" (%8) {} : (tensor<2x-1xf32>) -> 
    }
    () = "builtin.shadow_output" (%12) {output_name:"output_0"} : (tensor<2x-1xf32>) -> 
}
