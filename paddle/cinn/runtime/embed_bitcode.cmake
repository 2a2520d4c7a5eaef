# SPDX-License-Identifier: Apache-2.0
# cmake -DIN=file -DOUT=file.cc -P embed_bitcode.cmake: the bytes of IN as the array declared in runtime/vector_math.h.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUT}" "#include \"paddle/cinn/runtime/vector_math.h\"\n\nnamespace cinn {\n\n"
     "extern const unsigned char kVectorMath[] = {\n${hex}};\nextern const size_t kVectorMathSize = sizeof(kVectorMath);\n\n}  // namespace cinn\n")
