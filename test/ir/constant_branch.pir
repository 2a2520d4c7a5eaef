// passes: constant_branch_pass,dead_code_elimination_pass
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xb>
    (%2) = "pd_op.if" (%1) {} -> tensor<4xf32> {
        (%3) = "pd_op.tanh" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
        () = "cf.yield" (%3) {} : (tensor<4xf32>) -> 
    } else {
        (%4) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xb>
        (%5) = "pd_op.if" (%4) {} -> tensor<4xf32> {
            (%6) = "pd_op.relu" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
            () = "cf.yield" (%6) {} : (tensor<4xf32>) -> 
        } else {
            () = "cf.yield" (%0) {} : (tensor<4xf32>) -> 
        }
        () = "cf.yield" (%5) {} : (tensor<4xf32>) -> 
    }
    (%7) = "pd_op.while" (cond=%1, inputs=%2) { 
    ^%arg_0 {}
        (%8) = "pd_op.tanh" (%arg_0) {} : (tensor<4xf32>) -> tensor<4xf32>
        () = "cf.yield" (%1, %8) {} : (tensor<1xb>, tensor<4xf32>) -> 
    }
    (%9) = "pd_op.less_than" (%1, %1) {} : (tensor<1xb>, tensor<1xb>) -> tensor<1xb>
    (%10) = "pd_op.if" (%9) {} -> tensor<4xf32> {
        () = "cf.yield" (%7) {} : (tensor<4xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<4xf32>) -> 
    }
    (%11) = "pd_op.fetch" (%10) {col:0,name:"y",persistable:[true]} : (tensor<4xf32>) -> tensor<4xf32>
}
// expect
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4]} : () -> tensor<4xf32>
    (%1) = "pd_op.full" () {dtype:bool,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xb>
    (%2) = "pd_op.relu" (%0) {} : (tensor<4xf32>) -> tensor<4xf32>
    (%3) = "pd_op.less_than" (%1, %1) {} : (tensor<1xb>, tensor<1xb>) -> tensor<1xb>
    (%4) = "pd_op.if" (%3) {} -> tensor<4xf32> {
        () = "cf.yield" (%2) {} : (tensor<4xf32>) -> 
    } else {
        () = "cf.yield" (%0) {} : (tensor<4xf32>) -> 
    }
    (%5) = "pd_op.fetch" (%4) {col:0,name:"y",persistable:[true]} : (tensor<4xf32>) -> tensor<4xf32>
}
