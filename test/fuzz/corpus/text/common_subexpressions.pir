// passes: common_subexpression_elimination_pass
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],struct_name:"/Layer/",value:2} : () -> tensor<1xf32>
    (%3) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%4) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%5) = "pd_op.scale" (%0, %2) {bias:0,bias_after_scale:true} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%6) = "pd_op.add" (%4, %5) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
    (%7) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%8) = "pd_op.uniform" (%7, %1, %3) {dtype:float32,place:Place(cpu),seed:0} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%9) = "pd_op.uniform" (%7, %1, %3) {dtype:float32,place:Place(cpu),seed:0} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%10) = "pd_op.tanh" (%0) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%11) = "pd_op.tanh" (%0) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%12) = "pd_op.increment_" (%11) {value:1} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%13) = "pd_op.less_than" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xb>
    (%14) = "pd_op.if" (%13) {} -> tensor<-1xf32> {
        (%15) = "pd_op.tanh" (%0) {} : (tensor<-1xf32>) -> tensor<-1xf32>
        (%16) = "pd_op.multiply" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        (%17) = "pd_op.add" (%15, %16) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        () = "cf.yield" (%17) {} : (tensor<-1xf32>) -> 
    } else {
        (%18) = "pd_op.multiply" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        () = "cf.yield" (%18) {} : (tensor<-1xf32>) -> 
    }
}
// expect
{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<-1xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xf32>
    (%2) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:3} : () -> tensor<1xf32>
    (%3) = "pd_op.scale" (%0, %1) {bias:0,bias_after_scale:true} : (tensor<-1xf32>, tensor<1xf32>) -> tensor<-1xf32>
    (%4) = "pd_op.add" (%3, %3) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2]} : () -> tensor<1xi64>
    (%6) = "pd_op.uniform" (%5, %1, %2) {dtype:float32,place:Place(cpu),seed:0} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%7) = "pd_op.uniform" (%5, %1, %2) {dtype:float32,place:Place(cpu),seed:0} : (tensor<1xi64>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    (%8) = "pd_op.tanh" (%0) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%9) = "pd_op.tanh" (%0) {} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%10) = "pd_op.increment_" (%9) {value:1} : (tensor<-1xf32>) -> tensor<-1xf32>
    (%11) = "pd_op.less_than" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xb>
    (%12) = "pd_op.if" (%11) {} -> tensor<-1xf32> {
        (%13) = "pd_op.multiply" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        (%14) = "pd_op.add" (%8, %13) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        () = "cf.yield" (%14) {} : (tensor<-1xf32>) -> 
    } else {
        (%15) = "pd_op.multiply" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>
        () = "cf.yield" (%15) {} : (tensor<-1xf32>) -> 
    }
}
