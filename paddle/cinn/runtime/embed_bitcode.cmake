# SPDX-License-Identifier: Apache-2.0
# cmake -DIN=file -DOUT=file.cc -DNAME=name -P embed_bitcode.cmake: the bytes of IN as the array declared in runtime/vector_math.h.
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUT}" "#include \"paddle/cinn/runtime/vector_math.h\"\n\nnamespace cinn {\n\n"
     "extern const unsigned char ${NAME}[] = {\n${hex}};\nextern const size_t ${NAME}Size = sizeof(${NAME});\n\n}  // namespace cinn\n")
