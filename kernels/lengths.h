// SPDX-License-Identifier: MIT
// Lengths that go with the size of bodies, so that worlds of millimetres and of hundreds of metres are solved alike.
#pragma once
#include "math/scalar.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

// [1] of the size of the smaller body: penetration that position projection leaves, so that resting contacts stay
// contacts.
constexpr float kProjectSlop = 0.0005f;

/// [m] Of two bodies; planes have a radius of 0, and do not count.
TALUS_INLINE float smaller_radius(float a, float b) {
  return a > 0.0f && b > 0.0f ? min_of(a, b) : max_of(a, b);
}

/// [m] How far ahead of touching contacts of a body are made, without the way of a step; of two bodies the smaller one
/// counts. radius: of the ball around it.
template <class Real>
TALUS_INLINE Real speculative_of(Real radius, const StepParams& p) {
  return Real(p.speculative_part) * radius;
}

}  // namespace talus::inline TALUS_ISA
