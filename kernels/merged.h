// SPDX-License-Identifier: MIT
// Bodies that are inside each other so far that they may leave on the wrong side: StepStatus::deep_penetration.
#pragma once
#include "columns.h"
#include "counters.h"
#include "lanes.h"
#include "math/atomic.h"
#include "shapes/extent.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

constexpr float kMergedPart = 0.5f;  // [1] of the thickness: StepStatus::deep_penetration

/// [m] Across the thinnest part; without bound for planes.
TALUS_INLINE float thickness_of(std::uint8_t shape, Vec3 size) {
  return 2.0f * min_half_thickness(ShapeType(shape), size);
}

/// Notes such contacts, when their rows are made. Most penetrations are too small to look at any closer. Few members:
/// on a GPU a call copies them.
struct NoteMerged {
  decltype(BodyModel::shape) shape;
  decltype(BodyModel::shape_size) shape_size;
  const StepParams* params;
  Counters* counters;

  /// Of the contacts of a pack, `deepest`: [m] smallest separation; a, b: their bodies.
  template <class Real, int kWidth>
  TALUS_INLINE void note(Real deepest, const std::uint32_t (&a)[kWidth], const std::uint32_t (&b)[kWidth]) const {
    if (!any_of(deepest < Real(-kMergedPart * params->thinnest))) return;
    float separation[kWidth];
    store_lanes(separation, deepest);
    for (int i = 0; i < kWidth; ++i) note_one(*this, -separation[i], Index(a[i]), Index(b[i]));
  }
  TALUS_SELDOM static void note_one(NoteMerged of, float depth, Index a, Index b) {
    const float thickness =
        min_of(thickness_of(of.shape[a], of.shape_size[a]), thickness_of(of.shape[b], of.shape_size[b]));
    if (depth > kMergedPart * thickness) atomic_max(&of.counters->merged, 1u);
  }
};

}  // namespace talus::inline TALUS_ISA
