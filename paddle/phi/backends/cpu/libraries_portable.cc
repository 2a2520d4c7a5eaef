// SPDX-License-Identifier: Apache-2.0
#include <openblas_config.h>

#include <string_view>

#include "paddle/phi/backends/cpu/libraries.h"

namespace phi::cpu {

std::vector<std::pair<std::string, std::string>> Libraries() {
  constexpr std::string_view kSpelt = OPENBLAS_VERSION, kDigits = "0123456789.";  // " OpenBLAS 0.3.34 "
  const size_t first = kSpelt.find_first_of(kDigits), end = kSpelt.find_first_not_of(kDigits, first);
  return {{"openblas", std::string(kSpelt.substr(first, end - first))}};
}

}  // namespace phi::cpu
