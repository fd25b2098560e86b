// SPDX-License-Identifier: MIT
// Packs of what the compiler assumes of every machine: 4 lanes on x86-64, else 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#define PackChecks PackBaseline
#include "unit/pack_checks.h"
