# SPDX-License-Identifier: Apache-2.0
# The header-only JSON library.
find_path(PADDLE_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
add_library(paddle_json INTERFACE)
if(NOT PADDLE_JSON_INCLUDE STREQUAL "/usr/include")
  target_include_directories(paddle_json SYSTEM INTERFACE "${PADDLE_JSON_INCLUDE}")
endif()
