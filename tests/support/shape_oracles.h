// SPDX-License-Identifier: MIT
// What collision tests are compared with: slow, in double precision, and by other ways than those of kernels/shapes.
// The main one: the signed separation of two convex shapes is the largest gap between their shadows over all
// directions, positive for the distance and negative for the depth. It is found by trying directions.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <talus/defs.h>

#include "shapes/manifold.h"

namespace talus::oracle {

struct D3 {
  double x, y, z;
};
inline D3 operator+(D3 a, D3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline D3 operator-(D3 a, D3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline D3 operator*(double s, D3 v) {
  return {s * v.x, s * v.y, s * v.z};
}
inline double dot(D3 a, D3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline D3 cross(D3 a, D3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(D3 v) {
  return std::sqrt(dot(v, v));
}
inline D3 unit(D3 v) {
  return (1.0 / length(v)) * v;
}
inline D3 wide(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}

/// Shape with its type and its axes in the world.
struct Solid {
  ShapeType type;
  std::array<double, 3> size;
  D3 centre;
  std::array<D3, 3> axis;
};
inline Solid solid(ShapeType type, const PlacedShape& s) {
  const double x = double(s.orientation.x), y = double(s.orientation.y), z = double(s.orientation.z),
               w = double(s.orientation.w);
  return {type,
          {double(s.size.x), double(s.size.y), double(s.size.z)},
          wide(s.position),
          {{{w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)},
            {2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)},
            {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z}}}};
}
inline D3 plane_normal(const Solid& s) {
  return s.size[0] * s.axis[0] + s.size[1] * s.axis[1] + s.size[2] * s.axis[2];
}

/// Signed distance of a world point from a shape, negative inside.
inline double signed_distance(const Solid& s, D3 point) {
  const D3 r = point - s.centre;
  if (s.type == ShapeType::sphere) return length(r) - s.size[0];
  if (s.type == ShapeType::plane) return dot(r, plane_normal(s));
  if (s.type == ShapeType::capsule) {
    const double t = std::clamp(dot(r, s.axis[1]), -s.size[1], s.size[1]);
    return length(r - t * s.axis[1]) - s.size[0];
  }
  double outside = 0, inside = -1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    const double over = std::abs(dot(r, s.axis[i])) - s.size[i];
    outside += over > 0 ? over * over : 0;
    inside = std::max(inside, over);
  }
  return inside > 0 ? std::sqrt(outside) : inside;
}

/// Largest value of direction . x over a shape without planes.
inline double support(const Solid& s, D3 direction) {
  double reach = dot(direction, s.centre);
  if (s.type == ShapeType::sphere) return reach + s.size[0];
  if (s.type == ShapeType::capsule) return reach + s.size[0] + s.size[1] * std::abs(dot(direction, s.axis[1]));
  for (std::size_t i = 0; i < 3; ++i) reach += s.size[i] * std::abs(dot(direction, s.axis[i]));
  return reach;
}

/// Gap between the shadows of A and B along a unit direction from A to B. B may be a plane if n is against its normal.
inline double separation_along(const Solid& a, const Solid& b, D3 n) {
  if (b.type == ShapeType::plane) return dot(n, b.centre) - support(a, n);
  return -support(b, -1.0 * n) - support(a, n);
}

/// The largest such gap: signed separation. Directions on a spiral, then a pattern search from the best of them.
inline double separation(const Solid& a, const Solid& b) {
  if (b.type == ShapeType::plane) return separation_along(a, b, -1.0 * plane_normal(b));
  constexpr int kDirections = 1500, kStarts = 4;
  std::vector<std::pair<double, D3>> tried;
  for (int i = 0; i < kDirections; ++i) {
    const double z = 1 - (2 * i + 1.0) / kDirections, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * i;
    const D3 n{r * std::cos(angle), r * std::sin(angle), z};
    tried.push_back({separation_along(a, b, n), n});
  }
  std::partial_sort(tried.begin(), tried.begin() + kStarts, tried.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  double best = -1e300;
  for (int start = 0; start < kStarts; ++start) {
    auto [value, n] = tried[std::size_t(start)];
    for (double step = 0.1; step > 1e-6;) {
      bool better = false;
      for (int trial = 0; trial < 12; ++trial) {
        const D3 next = unit(n + step * D3{normal(random), normal(random), normal(random)});
        const double found = separation_along(a, b, next);
        if (found > value) {
          value = found;
          n = next;
          better = true;
        }
      }
      if (!better) step *= 0.6;
    }
    best = std::max(best, value);
  }
  return best;
}

/// Two boxes, exactly: the fifteen axes if they overlap; if not, all corners against boxes and all pairs of edges.
inline double box_separation(const Solid& a, const Solid& b) {
  double best = -1e300;
  const auto try_axis = [&](D3 n) {
    if (length(n) > 1e-9)
      best = std::max({best, separation_along(a, b, unit(n)), separation_along(a, b, -1.0 * unit(n))});
  };
  for (std::size_t i = 0; i < 3; ++i) {
    try_axis(a.axis[i]);
    try_axis(b.axis[i]);
    for (std::size_t j = 0; j < 3; ++j) try_axis(cross(a.axis[i], b.axis[j]));
  }
  if (best <= 0) return best;
  const auto corner = [](const Solid& s, int k) {
    D3 p = s.centre;
    for (std::size_t i = 0; i < 3; ++i) p = p + ((k >> i & 1) != 0 ? s.size[i] : -s.size[i]) * s.axis[i];
    return p;
  };
  double nearest = 1e300;
  for (int k = 0; k < 8; ++k)
    nearest = std::min({nearest, signed_distance(a, corner(b, k)), signed_distance(b, corner(a, k))});
  // Crossing edges: only where the closest points of the lines are inside both; the ends are covered by the corners.
  for (int k = 0; k < 8; ++k)
    for (std::size_t i = 0; i < 3; ++i)
      for (int m = 0; m < 8; ++m)
        for (std::size_t j = 0; j < 3; ++j) {
          if ((k >> i & 1) != 0 || (m >> j & 1) != 0) continue;
          const D3 p = corner(a, k), q = corner(b, m), u = a.axis[i], v = b.axis[j], r = q - p;
          const double c = dot(u, v), den = 1 - c * c;
          if (den < 1e-12) continue;
          const double s = (dot(r, u) - c * dot(r, v)) / den, t = (c * dot(r, u) - dot(r, v)) / den;
          if (s < 0 || s > 2 * a.size[i] || t < 0 || t > 2 * b.size[j]) continue;
          nearest = std::min(nearest, length(r + t * v - s * u));
        }
  return nearest;
}

/// Seeded shapes in random poses near the origin.
struct RandomShapes {
  std::mt19937 random;
  explicit RandomShapes(unsigned seed) : random(seed) {}

  float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); }
  Vec3 vector(float largest) {
    return {uniform(-largest, largest), uniform(-largest, largest), uniform(-largest, largest)};
  }
  Vec3 unit_vector() {
    const D3 v = unit(wide(vector(1.0f)) + D3{1e-9, 0, 0});
    return {float(v.x), float(v.y), float(v.z)};
  }
  Quat rotation() {
    std::normal_distribution<double> normal;
    const double x = normal(random), y = normal(random), z = normal(random), w = normal(random);
    const double s = 1 / std::sqrt(x * x + y * y + z * z + w * w);
    return {float(s * x), float(s * y), float(s * z), float(s * w)};
  }
  /// By a vector of angles, for small ones.
  Quat tilt(float largest) {
    const D3 half = 0.5 * wide(vector(largest));
    const double s = 1 / std::sqrt(1 + dot(half, half));
    return {float(s * half.x), float(s * half.y), float(s * half.z), float(s)};
  }
  Vec3 size(ShapeType type) {
    switch (type) {
      case ShapeType::sphere:
        return {uniform(0.05f, 1.0f), 0.0f, 0.0f};
      case ShapeType::box:
        return {uniform(0.05f, 1.0f), uniform(0.05f, 1.0f), uniform(0.05f, 1.0f)};
      case ShapeType::capsule:
        return {uniform(0.05f, 0.5f), uniform(0.0f, 1.0f), 0.0f};
      default:
        return unit_vector();
    }
  }
  PlacedShape shape(ShapeType type, float spread = 1.2f) { return {size(type), vector(spread), rotation()}; }
};

constexpr std::array<ShapeType, 4> kTypes{ShapeType::sphere, ShapeType::box, ShapeType::capsule, ShapeType::plane};

/// The smallest separation of a manifold's points; 1e30 if it has none.
inline float deepest(const Manifold& m) {
  float result = 1e30f;
  for (int i = 0; i < m.count; ++i) result = std::min(result, m.points[i].separation);
  return result;
}

/// How far a manifold is from what every manifold must be.
struct Faults {
  double normal = 0;     ///< | |n| - 1 |
  double gap = 0;        ///< [m] the surface points do not differ by separation along the normal
  double off_a = 0;      ///< [m] the deepest point's distance from the surface of A
  double off_b = 0;      ///< [m] same for B
  double outside_a = 0;  ///< [m] how far any point is outside of A
  double outside_b = 0;  ///< [m] same for B
  bool features_distinct = true;
};
inline Faults faults(const Solid& a, const Solid& b, const Manifold& m) {
  Faults f;
  if (m.count == 0) return f;
  const D3 n = wide(m.normal);
  f.normal = std::abs(length(n) - 1);
  int first = 0;
  for (int i = 0; i < m.count; ++i) {
    const ManifoldPoint& p = m.points[i];
    const D3 on_a = a.centre + wide(p.on_a), on_b = b.centre + wide(p.on_b);
    f.gap = std::max(f.gap, length(on_b - on_a - double(p.separation) * n));
    f.outside_a = std::max(f.outside_a, signed_distance(a, on_a));
    f.outside_b = std::max(f.outside_b, signed_distance(b, on_b));
    if (p.separation < m.points[first].separation) first = i;
    for (int j = 0; j < i; ++j) f.features_distinct = f.features_distinct && p.feature != m.points[j].feature;
  }
  f.off_a = std::abs(signed_distance(a, a.centre + wide(m.points[first].on_a)));
  f.off_b = std::abs(signed_distance(b, b.centre + wide(m.points[first].on_b)));
  return f;
}

}  // namespace talus::oracle
