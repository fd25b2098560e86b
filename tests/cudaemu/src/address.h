// SPDX-License-Identifier: MIT
// Address translation of the 32 lanes of a warp.
#pragma once
#include "common.h"

namespace emu {
// Host pointers p and addresses ad (without the window of the space) of an access of all lanes in x.mask; inactive
// lanes get those of the first active lane. False if the access is illegal (reported).
bool resolve(Exec& x, const Ins& I, u32 bytes, char** p, u64* ad, int kind);
}  // namespace emu
