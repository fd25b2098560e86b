// SPDX-License-Identifier: MIT
// The instruction handlers, as the decoder looks them up; an empty result means that there is none.
#pragma once
#include "common.h"

namespace emu {
Fns intLookup(std::string_view op, const std::vector<std::string_view>& mods, Ty t);  // and those of bitsLookup
Fns bitsLookup(std::string_view op, const std::vector<std::string_view>& mods, Ty t);
Fns floatLookup(std::string_view op, const std::vector<std::string_view>& mods, Ty t);
Fns setpLookup(std::string_view cmp, Ty t);
Fns setLookup(std::string_view cmp, Ty t);
Fns cvtLookup(Ty d, Ty s);
Fns selpLookup(int size);
Fns slctLookup(int size);
Fns movLookup(int size);
Fns predLogic(std::string_view op);
Fns csrWrap();
Fns packLookup();
Fns unpackLookup();
Fns carryLookup(int size);
Fns ldLookup(Ty memTy, int regSize);
Fns stLookup(int memSize, int regSize);
Fns ldParamLookup();
Fns atomLookup(std::string_view op, Ty t);
Fns cpAsyncLookup();
Fns mbarrierLookup();
Fns warpLookup(std::string_view op, Ty t);
Fns specialLookup();
int specialCode(std::string_view name);  // of a special register, for Ins::sub; -1: unknown
Fns cvtaLookup();
Fns isspacepLookup();
Fns movLocalLookup();
Fns movParamLookup();
}  // namespace emu
