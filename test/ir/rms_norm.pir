// passes: rms_norm_fuse_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8]} : () -> tensor<-1x4x8xf32>
    (%2) = "pd_op.multiply" (%1, %1) {} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:1e-06,bias_after_scale:true} : (tensor<-1x4x1xf32>, tensor<1xf32>) -> tensor<-1x4x1xf32>
    (%7) = "pd_op.rsqrt" (%6) {} : (tensor<-1x4x1xf32>) -> tensor<-1x4x1xf32>
    (%8) = "pd_op.multiply" (%1, %7) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%9) = "pd_op.multiply" (%8, %0) {} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>
    (%10) = "pd_op.data" () {dtype:bfloat16,name:"h",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xbf16>
    (%11) = "pd_op.cast" (%10) {dtype:float32} : (tensor<-1x8xbf16>) -> tensor<-1x8xf32>
    (%12) = "pd_op.pow" (%11) {y:2} : (tensor<-1x8xf32>) -> tensor<-1x8xf32>
    (%13) = "pd_op.mean" (%12, %3) {keepdim:true} : (tensor<-1x8xf32>, tensor<1xi64>) -> tensor<-1x1xf32>
    (%14) = "pd_op.scale" (%13, %5) {bias:1e-05,bias_after_scale:true} : (tensor<-1x1xf32>, tensor<1xf32>) -> tensor<-1x1xf32>
    (%15) = "pd_op.sqrt" (%14) {} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
    (%16) = "pd_op.divide" (%11, %15) {} : (tensor<-1x8xf32>, tensor<-1x1xf32>) -> tensor<-1x8xf32>
    (%17) = "pd_op.cast" (%16) {dtype:bfloat16} : (tensor<-1x8xf32>) -> tensor<-1x8xbf16>
    (%18) = "pd_op.multiply" (%9, %7) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%19) = "pd_op.fetch" (%9) {col:0,name:"y",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%20) = "pd_op.fetch" (%17) {col:1,name:"z",persistable:[true]} : (tensor<-1x8xbf16>) -> tensor<-1x8xbf16>
    (%21) = "pd_op.fetch" (%18) {col:2,name:"not_a_norm",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<8xf32>
    (%1) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4,8]} : () -> tensor<-1x4x8xf32>
    (%2) = "pd_op.multiply" (%1, %1) {} : (tensor<-1x4x8xf32>, tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%3) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[-1]} : () -> tensor<1xi64>
    (%4) = "pd_op.mean" (%2, %3) {keepdim:true} : (tensor<-1x4x8xf32>, tensor<1xi64>) -> tensor<-1x4x1xf32>
    (%5) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xf32>
    (%6) = "pd_op.scale" (%4, %5) {bias:1e-06,bias_after_scale:true} : (tensor<-1x4x1xf32>, tensor<1xf32>) -> tensor<-1x4x1xf32>
    (%7) = "pd_op.rsqrt" (%6) {} : (tensor<-1x4x1xf32>) -> tensor<-1x4x1xf32>
    (%8, %9) = "pd_op.rms_norm" (%1, %0) {epsilon:1e-06,normalized_shape:[8]} : (tensor<-1x4x8xf32>, tensor<8xf32>) -> tensor<-1x4x8xf32>, tensor<-1x4xf32>
    (%10) = "pd_op.data" () {dtype:bfloat16,name:"h",place:Place(undefined:0),shape:[-1,8]} : () -> tensor<-1x8xbf16>
    (%11, %12) = "pd_op.rms_norm" (%10, <<NULL VALUE>>) {epsilon:1e-05,normalized_shape:[8]} : (tensor<-1x8xbf16>, <<NULL TYPE>>) -> tensor<-1x8xbf16>, tensor<-1xf32>
    (%13) = "pd_op.multiply" (%8, %7) {} : (tensor<-1x4x8xf32>, tensor<-1x4x1xf32>) -> tensor<-1x4x8xf32>
    (%14) = "pd_op.fetch" (%8) {col:0,name:"y",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
    (%15) = "pd_op.fetch" (%11) {col:1,name:"z",persistable:[true]} : (tensor<-1x8xbf16>) -> tensor<-1x8xbf16>
    (%16) = "pd_op.fetch" (%13) {col:2,name:"not_a_norm",persistable:[true]} : (tensor<-1x4x8xf32>) -> tensor<-1x4x8xf32>
}
