// SPDX-License-Identifier: MIT
// Plain values that cross the border of the library: trivially copyable, no alignment beyond that of their members.
#pragma once
#include <compare>
#include <cstdint>

namespace talus {

using Index = std::int32_t;  ///< row of a table; counts are of this type too, so a table holds at most 2^31 - 1 rows

/// Three components in one frame. `Real` is float at the border; kernels also use packs of SIMD lanes.
template <class Real>
struct Vec3Of {
  Real x, y, z;
};
using Vec3 = Vec3Of<float>;

/// Rotation as a quaternion, vector part first. The identity is {0, 0, 0, 1}.
template <class Real>
struct QuatOf {
  Real x, y, z, w;
};
using Quat = QuatOf<float>;

constexpr Quat kIdentity{0.0f, 0.0f, 0.0f, 1.0f};

/// Pose of a body: its centre of mass and the rotation from body to world frame.
struct Transform {
  Vec3 position{0.0f, 0.0f, 0.0f};  ///< [m]
  Quat orientation = kIdentity;
};

/// Names a body for as long as it lives. A slot is used again after removal, with another generation, so that a stale
/// id is recognised instead of naming a stranger. A default-constructed id names no body.
struct BodyId {
  std::uint32_t slot = 0xffffffffu;
  std::uint32_t generation = 0;
  auto operator<=>(const BodyId&) const = default;
};

}  // namespace talus
