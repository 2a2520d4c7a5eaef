// SPDX-License-Identifier: Apache-2.0
// Where the lines go that checks of numbers (op_watch.h) write.
#pragma once

#include <string>

namespace phi {

// The folder that gets a file for each device, `worker_cpu`, to which lines are added. Lines are printed where it is
// empty. With a folder, numbers that are not finite are no error.
void SetNumberLog(std::string folder);

}  // namespace phi
