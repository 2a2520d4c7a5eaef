// passes: blocked_layout_pass,dead_code_elimination_pass
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<24x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<24x24x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"u"} : () -> tensor<32x24x3x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,8,-1]} : () -> tensor<-1x3x8x-1xf32>
    (%4) = "pd_op.conv2d" (%3, %0) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x3x8x-1xf32>, tensor<24x3x3x3xf32>) -> tensor<-1x24x8x-1xf32>
    (%5) = "pd_op.conv2d" (%4, %1) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x24x8x-1xf32>, tensor<24x24x3x3xf32>) -> tensor<-1x24x8x-1xf32>
    (%6) = "pd_op.tanh" (%5) {} : (tensor<-1x24x8x-1xf32>) -> tensor<-1x24x8x-1xf32>
    (%7) = "pd_op.conv2d" (%5, %2) {data_format:"NCHW",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x24x8x-1xf32>, tensor<32x24x3x3xf32>) -> tensor<-1x32x8x-1xf32>
    (%8) = "pd_op.tanh" (%7) {} : (tensor<-1x32x8x-1xf32>) -> tensor<-1x32x8x-1xf32>
    (%9) = "pd_op.add" (%7, %8) {} : (tensor<-1x32x8x-1xf32>, tensor<-1x32x8x-1xf32>) -> tensor<-1x32x8x-1xf32>
    (%10) = "pd_op.fetch" (%6) {col:0,name:"part",persistable:[true]} : (tensor<-1x24x8x-1xf32>) -> tensor<-1x24x8x-1xf32>
    (%11) = "pd_op.fetch" (%9) {col:1,name:"y",persistable:[true]} : (tensor<-1x32x8x-1xf32>) -> tensor<-1x32x8x-1xf32>
}
// expect
{
    (%0) = "builtin.parameter" () {parameter_name:"w"} : () -> tensor<24x3x3x3xf32>
    (%1) = "builtin.parameter" () {parameter_name:"v"} : () -> tensor<24x24x3x3xf32>
    (%2) = "builtin.parameter" () {parameter_name:"u"} : () -> tensor<32x24x3x3xf32>
    (%3) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3,8,-1]} : () -> tensor<-1x3x8x-1xf32>
    (%4) = "pd_op.fused_conv" (%3, %0, <<NULL VALUE>>, <<NULL VALUE>>) {activation:"",data_format:"NCHW16C",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x3x8x-1xf32>, tensor<24x3x3x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x2x8x-1x16xf32>
    (%5) = "pd_op.fused_conv" (%4, %1, <<NULL VALUE>>, <<NULL VALUE>>) {activation:"",data_format:"NCHW16C",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x2x8x-1x16xf32>, tensor<24x24x3x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x2x8x-1x16xf32>
    (%6) = "pd_op.unblock_channels" (%5) {channels:24} : (tensor<-1x2x8x-1x16xf32>) -> tensor<-1x24x8x-1xf32>
    (%7) = "pd_op.tanh" (%6) {} : (tensor<-1x24x8x-1xf32>) -> tensor<-1x24x8x-1xf32>
    (%8) = "pd_op.fused_conv" (%5, %2, <<NULL VALUE>>, <<NULL VALUE>>) {activation:"",data_format:"NCHW16C",dilations:[1,1],groups:1,padding_algorithm:"EXPLICIT",paddings:[1,1],strides:[1,1]} : (tensor<-1x2x8x-1x16xf32>, tensor<32x24x3x3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<-1x2x8x-1x16xf32>
    (%9) = "pd_op.tanh" (%8) {} : (tensor<-1x2x8x-1x16xf32>) -> tensor<-1x2x8x-1x16xf32>
    (%10) = "pd_op.add" (%8, %9) {} : (tensor<-1x2x8x-1x16xf32>, tensor<-1x2x8x-1x16xf32>) -> tensor<-1x2x8x-1x16xf32>
    (%11) = "pd_op.unblock_channels" (%10) {channels:32} : (tensor<-1x2x8x-1x16xf32>) -> tensor<-1x32x8x-1xf32>
    (%12) = "pd_op.fetch" (%7) {col:0,name:"part",persistable:[true]} : (tensor<-1x24x8x-1xf32>) -> tensor<-1x24x8x-1xf32>
    (%13) = "pd_op.fetch" (%11) {col:1,name:"y",persistable:[true]} : (tensor<-1x32x8x-1xf32>) -> tensor<-1x32x8x-1xf32>
}
