// SPDX-License-Identifier: MIT
#include "metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace talus::scenes {
namespace {

constexpr double kPi = std::numbers::pi;

// ---- gaps ----------------------------------------------------------------------------------------------------------

// Signed distance from a point in the box's frame.
double box_distance(Vecd half, Vecd p) {
  const double x = std::fabs(p.x) - half.x, y = std::fabs(p.y) - half.y, z = std::fabs(p.z) - half.z;
  const Vecd outside{std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0)};
  return length(outside) + std::min(std::max(x, std::max(y, z)), 0.0);
}

double clamp01(double t) {
  return std::min(1.0, std::max(0.0, t));
}

double point_segment_distance(Vecd p, Vecd a, Vecd b) {
  const Vecd d = b - a;
  const double size = dot(d, d);
  const double t = size > 0 ? clamp01(dot(p - a, d) / size) : 0.0;
  return length(p - (a + t * d));
}

// Least distance over the square of the two parameters: the inner minimum, clamped one parameter after the other.
double segment_segment_distance(Vecd p1, Vecd q1, Vecd p2, Vecd q2) {
  const Vecd d1 = q1 - p1, d2 = q2 - p2, r = p1 - p2;
  const double a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, r), c = dot(d1, r), b = dot(d1, d2);
  if (a == 0) return point_segment_distance(p1, p2, q2);
  if (e == 0) return point_segment_distance(p2, p1, q1);
  const double determinant = a * e - b * b;
  double s = determinant > 1e-12 ? clamp01((b * f - c * e) / determinant) : 0.0;
  double t = (b * s + f) / e;
  if (t < 0) {
    t = 0;
    s = clamp01(-c / a);
  } else if (t > 1) {
    t = 1;
    s = clamp01((b - c) / a);
  }
  return length((p1 + s * d1) - (p2 + t * d2));
}

// Unit vectors along the edges, world frame.
std::array<Vecd, 3> box_edges(const Solid& box) {
  return {rotate(box.orientation, Vecd{1, 0, 0}), rotate(box.orientation, Vecd{0, 1, 0}),
          rotate(box.orientation, Vecd{0, 0, 1})};
}
// Half the length of the box's shadow on an axis.
double box_extent(const std::array<Vecd, 3>& edges, Vecd half, Vecd axis) {
  return half.x * std::fabs(dot(axis, edges[0])) + half.y * std::fabs(dot(axis, edges[1])) +
         half.z * std::fabs(dot(axis, edges[2]));
}

double box_box_gap(const Solid& a, const Solid& b) {
  const std::array<Vecd, 3> edges_a = box_edges(a), edges_b = box_edges(b);
  const Vecd between = b.position - a.position;
  double best = -1e30;
  const auto test = [&](Vecd axis) {
    const double extents = box_extent(edges_a, a.size, axis) + box_extent(edges_b, b.size, axis);
    best = std::max(best, std::fabs(dot(axis, between)) - extents);
  };
  for (const Vecd& axis : edges_a) test(axis);
  for (const Vecd& axis : edges_b) test(axis);
  for (const Vecd& edge_a : edges_a) {
    for (const Vecd& edge_b : edges_b) {
      const Vecd axis = cross(edge_a, edge_b);
      const double size = length(axis);
      if (size > 1e-4) test((1 / size) * axis);  // below: parallel edges, covered by the faces
    }
  }
  return best;
}

Vecd capsule_half(const Solid& capsule) {
  return rotate(capsule.orientation, Vecd{0, capsule.size.y, 0});
}

// The box's distance is convex along the capsule's segment: a ternary search finds its least value.
double box_capsule_gap(const Solid& box, const Solid& capsule) {
  const Vecd half = capsule_half(capsule);
  const Vecd a = rotate_back(box.orientation, capsule.position - half - box.position);
  const Vecd b = rotate_back(box.orientation, capsule.position + half - box.position);
  const auto distance = [&](double t) { return box_distance(box.size, a + t * (b - a)); };
  double low = 0, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double third = (high - low) / 3;
    if (distance(low + third) < distance(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return distance(low) - capsule.size.x;
}

// ---- near pairs ----------------------------------------------------------------------------------------------------

struct MeasuredBody {
  Solid solid;
  double radius = 0;  // [m] bounding
  bool moves = false;
  int index = 0;  // in Scene::bodies
};

// [m] Centres further apart than both radii plus this are not tested. Above kTouching, since the gap of two boxes may
// be less than their distance: sqrt(3.1) is the cut that unit cubes were measured with elsewhere.
const double kPairMargin = std::sqrt(3.1) - std::sqrt(3.0);

bool near(const MeasuredBody& a, const MeasuredBody& b) {
  const Vecd between = b.solid.position - a.solid.position;
  const double reach = a.radius + b.radius + kPairMargin;
  return (a.moves || b.moves) && dot(between, between) <= reach * reach;
}

// Cells of a grid without bounds, as sorted keys. 21 bits an axis; cells that share a key cost time, not pairs.
class CellGrid {
 public:
  CellGrid(const std::vector<MeasuredBody>& bodies, const std::vector<std::size_t>& members, double cell_size)
      : cell_size_(cell_size) {
    entries_.reserve(members.size());
    for (const std::size_t body : members) entries_.emplace_back(key(cell(bodies[body].solid.position)), body);
    std::sort(entries_.begin(), entries_.end());
  }

  /// Calls visit(other) for each member in the 27 cells around a point.
  template <class Visit>
  void visit_around(Vecd point, Visit visit) const {
    const Cell centre = cell(point);
    for (std::int64_t x = centre.x - 1; x <= centre.x + 1; ++x) {
      for (std::int64_t y = centre.y - 1; y <= centre.y + 1; ++y) {
        for (std::int64_t z = centre.z - 1; z <= centre.z + 1; ++z) {
          const std::uint64_t wanted = key({x, y, z});
          auto entry = std::lower_bound(entries_.begin(), entries_.end(), std::pair{wanted, std::size_t{0}});
          for (; entry != entries_.end() && entry->first == wanted; ++entry) visit(entry->second);
        }
      }
    }
  }

 private:
  struct Cell {
    std::int64_t x, y, z;
  };
  Cell cell(Vecd point) const {
    const auto number = [&](double v) { return static_cast<std::int64_t>(std::floor(v / cell_size_)); };
    return {number(point.x), number(point.y), number(point.z)};
  }
  static std::uint64_t key(Cell cell) {
    const auto bits = [](std::int64_t v) { return static_cast<std::uint64_t>(v + (1 << 20)) & 0x1fffffu; };
    return bits(cell.x) << 42u | bits(cell.y) << 21u | bits(cell.z);
  }

  double cell_size_;
  std::vector<std::pair<std::uint64_t, std::size_t>> entries_;
};

// Calls visit(a, b) once for each near pair. Bodies of the usual size meet in a grid; the few that are much larger (a
// plate, the panels of a drum) are tested against all.
template <class Visit>
void for_each_near_pair(const std::vector<MeasuredBody>& bodies, Visit visit) {
  if (bodies.empty()) return;
  std::vector<double> radii(bodies.size());
  std::transform(bodies.begin(), bodies.end(), radii.begin(), [](const MeasuredBody& body) { return body.radius; });
  const auto median = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::nth_element(radii.begin(), median, radii.end());
  const double largest_usual = 2 * *median;

  std::vector<std::size_t> usual, large;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    (bodies[body].radius <= largest_usual ? usual : large).push_back(body);
  }
  const CellGrid grid(bodies, usual, 2 * largest_usual + kPairMargin);
  for (const std::size_t a : usual) {
    grid.visit_around(bodies[a].solid.position, [&](std::size_t b) {
      if (a < b && near(bodies[a], bodies[b])) visit(bodies[a], bodies[b]);
    });
  }
  for (const std::size_t a : large) {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const bool b_comes_later = bodies[b].radius <= largest_usual || a < b;
      if (b_comes_later && near(bodies[a], bodies[b])) visit(bodies[a], bodies[b]);
    }
  }
}

bool is_dynamic(const BodyDef& def) {
  return def.motion.value_or(Motion::dynamic) == Motion::dynamic;
}

bool is_lost(const BodyMotion& motion) {
  const Vecd p = vec<double>(motion.pose.position), v = vec<double>(motion.linear_velocity),
             w = vec<double>(motion.angular_velocity);
  const double sum = p.x + p.y + p.z + v.x + v.y + v.z + w.x + w.y + w.z;
  return !std::isfinite(sum) || std::fabs(p.x) + std::fabs(p.y) + std::fabs(p.z) > 1e6;
}

double kinetic_energy(const BodyDef& def, const BodyMotion& motion) {
  const Vecd v = vec<double>(motion.linear_velocity);
  const Vecd w = rotate_back(rotation<double>(motion.pose.orientation), vec<double>(motion.angular_velocity));
  const Vecd moments = inertia(def);
  return 0.5 * mass(def) * dot(v, v) + 0.5 * (moments.x * w.x * w.x + moments.y * w.y * w.y + moments.z * w.z * w.z);
}

struct Frame {
  Vecd origin;
  Rotation<double> orientation;
};
Frame frame(const Transform& t) {
  return {vec<double>(t.position), rotation<double>(t.orientation)};
}
// A frame given in another one.
Frame operator*(const Frame& outer, const Frame& inner) {
  const Rotation<double> a = outer.orientation, b = inner.orientation;
  return {outer.origin + rotate(a, inner.origin),
          {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
           a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z}};
}
Frame inverse(const Frame& f) {
  const Rotation<double> q = f.orientation;
  return {-rotate_back(q, f.origin), {-q.x, -q.y, -q.z, q.w}};
}

// One of a joint's two frames, where its body has carried it; body -1 is the world. `in_body` counts if the joint is
// given by frames in its bodies, else `point`, where the frame's origin was when the scene began.
Frame frame_now(const Scene& scene, int body, const JointDef& def, const Transform& in_body, Vec3 point,
                std::span<const BodyMotion> motions) {
  const Frame given = frame(def.frames_in_bodies ? in_body : Transform{point, def.frame.orientation});
  if (body < 0) return given;
  const auto i = static_cast<std::size_t>(body);
  const Frame now = frame(motions[i].pose);
  if (def.frames_in_bodies) return now * given;
  return now * (inverse(frame({scene.bodies[i].position, scene.bodies[i].orientation})) * given);
}

// How far a coordinate is from where its axis lets it be.
double outside(const AxisDef& axis, double x) {
  switch (axis.mode) {
    case AxisMode::locked:
      return x;
    case AxisMode::limited:
      return x - std::clamp(x, double(axis.lower), double(axis.upper));
    default:
      return 0.0;
  }
}

// Pairs that a joint keeps from colliding, the lower index first, in order.
std::vector<std::pair<int, int>> passing_pairs(const Scene& scene) {
  std::vector<std::pair<int, int>> pairs;
  for (const AssemblyJoint& joint : scene.joints) {
    if (!joint.def.collide) pairs.emplace_back(std::minmax(joint.a, joint.b));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void measure_joints(const Scene& scene, std::span<const BodyMotion> motions, Metrics& metrics) {
  for (const AssemblyJoint& joint : scene.joints) {
    const double error = joint_error(scene, joint, motions);
    metrics.joint_max = std::max(metrics.joint_max, error);
    metrics.joint_mean += error / double(scene.joints.size());
  }
}

void summarise_penetration(std::vector<double>& depths, Metrics& metrics) {
  metrics.touching = static_cast<long>(depths.size());
  if (depths.empty()) return;
  std::sort(depths.begin(), depths.end());
  double sum = 0;
  for (const double depth : depths) sum += depth;
  metrics.pen_max = depths.back();
  metrics.pen_mean = sum / double(depths.size());
  metrics.pen_p99 = depths[(99 * depths.size() + 99) / 100 - 1];
}

}  // namespace

Solid solid(const ShapeDef& shape, const Transform& pose) {
  return {shape.type, vec<double>(shape.size), vec<double>(pose.position), rotation<double>(pose.orientation)};
}

double bounding_radius(const Solid& solid) {
  switch (solid.type) {
    case ShapeType::sphere:
      return solid.size.x;
    case ShapeType::capsule:
      return solid.size.x + solid.size.y;
    default:
      return length(solid.size);
  }
}

double gap(const Solid& a, const Solid& b) {
  if (a.type > b.type) return gap(b, a);
  const bool sphere_a = a.type == ShapeType::sphere, box_a = a.type == ShapeType::box;
  const bool sphere_b = b.type == ShapeType::sphere, box_b = b.type == ShapeType::box;
  if (sphere_a && sphere_b) return length(a.position - b.position) - (a.size.x + b.size.x);
  if (sphere_a && box_b) return box_distance(b.size, rotate_back(b.orientation, a.position - b.position)) - a.size.x;
  if (box_a && box_b) return box_box_gap(a, b);
  if (box_a) return box_capsule_gap(a, b);
  const Vecd half_b = capsule_half(b);
  if (sphere_a) {
    return point_segment_distance(a.position, b.position - half_b, b.position + half_b) - a.size.x - b.size.x;
  }
  const Vecd half_a = capsule_half(a);
  return segment_segment_distance(a.position - half_a, a.position + half_a, b.position - half_b, b.position + half_b) -
         (a.size.x + b.size.x);
}

double boundary_gap(const Solid& solid, const Boundary& boundary) {
  const double centre = dot(boundary.normal, solid.position) - boundary.offset;
  switch (solid.type) {
    case ShapeType::sphere:
      return centre - solid.size.x;
    case ShapeType::capsule:
      return centre - std::fabs(dot(boundary.normal, capsule_half(solid))) - solid.size.x;
    default:
      return centre - box_extent(box_edges(solid), solid.size, boundary.normal);
  }
}

double mass(const BodyDef& def) {
  if (def.mass) return double(*def.mass);
  const Vecd size = vec<double>(def.shape.size);
  const double density = double(def.density), ball = 4.0 / 3.0 * kPi * size.x * size.x * size.x;
  switch (def.shape.type) {
    case ShapeType::sphere:
      return density * ball;
    case ShapeType::capsule:
      return density * (kPi * size.x * size.x * 2 * size.y + ball);
    default:
      return density * 8 * size.x * size.y * size.z;
  }
}

Vecd inertia(const BodyDef& def) {
  if (def.inertia) return vec<double>(*def.inertia);
  const Vecd size = vec<double>(def.shape.size);
  const double m = mass(def), r = size.x;
  switch (def.shape.type) {
    case ShapeType::sphere: {
      const double i = 0.4 * m * r * r;
      return {i, i, i};
    }
    case ShapeType::capsule: {
      const double l = 2 * size.y;
      const double cylinder = m * l / (l + 4.0 / 3.0 * r), caps = m - cylinder;
      const double across = cylinder * (l * l / 12 + r * r / 4) + caps * (0.4 * r * r + l * l / 4 + 3.0 / 8.0 * l * r);
      return {across, 0.5 * cylinder * r * r + 0.4 * caps * r * r, across};
    }
    default:
      return (m / 3) * Vecd{size.y * size.y + size.z * size.z, size.x * size.x + size.z * size.z,
                            size.x * size.x + size.y * size.y};
  }
}

double joint_error(const Scene& scene, const AssemblyJoint& joint, std::span<const BodyMotion> motions) {
  const JointDef& def = joint.def;
  const Frame frame_a = frame_now(scene, joint.a, def, def.frame_a, def.frame.position, motions);
  const Frame frame_b = frame_now(scene, joint.b, def, def.frame_b, def.point_b.value_or(def.frame.position), motions);
  const Vecd between = frame_b.origin - frame_a.origin;
  if (def.radial) return std::fabs(outside(def.axis(Axis::x), length(between)));
  const Vecd along = rotate_back(frame_a.orientation, between);
  return length(Vecd{outside(def.axis(Axis::x), along.x), outside(def.axis(Axis::y), along.y),
                     outside(def.axis(Axis::z), along.z)});
}

Metrics measure(const Scene& scene, std::span<const BodyMotion> motions) {
  Metrics metrics;
  measure_joints(scene, motions, metrics);
  std::vector<MeasuredBody> measured;  // bodies that are where they belong
  measured.reserve(motions.size());
  std::size_t dynamic_count = 0, drift_count = 0;
  double drift_sum = 0;
  for (std::size_t body = 0; body < motions.size(); ++body) {
    const BodyDef& def = scene.bodies[body];
    const BodyMotion& motion = motions[body];
    const bool dynamic = is_dynamic(def);
    if (dynamic) ++dynamic_count;
    if (is_lost(motion)) {
      ++metrics.not_finite;
      continue;
    }
    const Solid shape = solid(def.shape, motion.pose);
    if (!dynamic) {
      measured.push_back({shape, bounding_radius(shape), false, static_cast<int>(body)});
      continue;
    }
    const bool escaped = std::any_of(scene.boundaries.begin(), scene.boundaries.end(), [&](const Boundary& boundary) {
      return dot(boundary.normal, shape.position) - boundary.offset < 0;
    });
    if (escaped) {
      ++metrics.escaped;
    } else {
      measured.push_back({shape, bounding_radius(shape), true, static_cast<int>(body)});
    }
    const Vecd way = shape.position - vec<double>(def.position);
    const double drift = std::hypot(way.x, way.z);
    drift_sum += drift;
    ++drift_count;
    metrics.drift_max = std::max(metrics.drift_max, drift);
    metrics.sag_max = std::max(metrics.sag_max, std::fabs(way.y));
    metrics.height = std::max(metrics.height, shape.position.y);
    metrics.vmax = std::max(metrics.vmax, length(vec<double>(motion.linear_velocity)));
    metrics.ke_per_body += kinetic_energy(def, motion);
  }
  metrics.ke_per_body /= double(std::max<std::size_t>(1, dynamic_count));
  if (drift_count > 0) metrics.drift_mean = drift_sum / double(drift_count);
  if (!scene.stack) metrics.drift_max = metrics.drift_mean = metrics.sag_max = 0;
  if (!scene.contacts) return metrics;

  std::vector<double> depths;  // [m] of touching pairs, zero where there is a gap
  const auto add = [&](double gap) {
    if (gap < kTouching) depths.push_back(std::max(0.0, -gap));
  };
  const std::vector<std::pair<int, int>> passing = passing_pairs(scene);
  for_each_near_pair(measured, [&](const MeasuredBody& a, const MeasuredBody& b) {
    const std::pair<int, int> pair = std::minmax(a.index, b.index);
    if (!std::binary_search(passing.begin(), passing.end(), pair)) add(gap(a.solid, b.solid));
  });
  for (const MeasuredBody& body : measured) {
    if (!body.moves) continue;
    for (const Boundary& boundary : scene.boundaries) add(boundary_gap(body.solid, boundary));
  }
  summarise_penetration(depths, metrics);
  return metrics;
}

}  // namespace talus::scenes
