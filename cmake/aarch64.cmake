# SPDX-License-Identifier: Apache-2.0
# Toolchain file: aarch64 from another Debian machine. The environment variable PADDLE_SYSROOT names the folder that
# tools/aarch64.sh unpacks Debian's packages for arm64 in; the C library is that of the cross compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
find_program(CMAKE_CXX_COMPILER NAMES aarch64-linux-gnu-g++ aarch64-linux-gnu-g++-12 REQUIRED)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH "$ENV{PADDLE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Armv8.0: what the kernels are compiled for. OpenBLAS computes wrong numbers with the SVE of the largest processor of qemu 7.2.
find_program(_qemu NAMES qemu-aarch64 qemu-aarch64-static)
if(_qemu)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${_qemu};-cpu;cortex-a57;-L;/usr/aarch64-linux-gnu")
endif()
