// SPDX-License-Identifier: MIT
// What the reports of faults, races and uninitialised reads share.
#pragma once
#include "common.h"

namespace emu {
extern std::mutex reportLock;
std::string where(Exec& x, const Ins* I, int lane);  // kernel, block, thread and line, for the end of a message
}  // namespace emu
