{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,4],stop_gradient:[true]} : () -> tensor<-1x4xf32>
    (%1) = "pd_op.full" () {dtype:float32,place:Place(cpu),shape:[1],stop_gradient:[true],value:1e-07} : () -> tensor<1xf32>
    (%2) = "pd_op.scale" (%0, %1) {bias:1e+20,bias_after_scale:true,stop_gradient:[true]} : (tensor<-1x4xf32>, tensor<1xf32>) -> tensor<-1x4xf32>
    (%3) = "pd_op.full" () {dtype:float64,place:Place(gpu:1),shape:[],stop_gradient:[true],value:-inf} : () -> tensor<f64>
    (%4) = "pd_op.full" () {dtype:bool,place:Place(undefined:0),shape:[0],stop_gradient:[true],value:nan} : () -> tensor<0xb>
    (%5) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%6, %7) = "custom_op.other" (%0, <<NULL VALUE>>) {a:"quoted \"text\"",b:[1.5,-2],c:[[true],[]],d:Undefined,e:tensor<2xf8e4m3fn>,f:NHWC,g:5000000000,h:(1,-2.5)} : (tensor<-1x4xf32>, <<NULL TYPE>>) -> vec[tensor<2xbf16>,tensor<u8>], <<NULL TYPE>>
}
