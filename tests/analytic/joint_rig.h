// SPDX-License-Identifier: MIT
// What tests of joints share: small worlds, and the coordinates of a joint computed from poses alone.
#pragma once
#include <array>
#include <cstdio>

#include "analytic/rig.h"
#include "scenes/metrics.h"
#include "scenes/scene.h"

namespace talus::test {

constexpr int kSubsteps = SolverSettings{}.substeps;
constexpr double kSubstep = 1.0 / 60 / kSubsteps;  // [s]

/// A test that takes a backend and writes down what it measured, next to what it expects of it.
class JointTest : public BackendTest {
 protected:
  static WorldDef def(const SolverSettings& solver = {}) {
    WorldDef d = BackendTest::def(solver);
    d.threads = 1;  // these worlds are small
    d.sleep.enabled = false;
    return d;
  }
  static WorldDef weightless(const SolverSettings& solver = {}) {
    WorldDef d = def(solver);
    d.gravity = {0, 0, 0};
    return d;
  }
  static double energy(World& world) {
    const Mechanics m = world.mechanics();
    return m.kinetic_energy + m.potential_energy;
  }
  /// [m] Sum of the errors of all joints.
  static double stretch(scenes::RunningScene& run) {
    const std::vector<BodyMotion> motions = run.motions();
    double sum = 0;
    for (const AssemblyJoint& joint : run.scene().joints) sum += scenes::joint_error(run.scene(), joint, motions);
    return sum;
  }
  static void note(const std::string& name, double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    RecordProperty(name, text);
  }
};

/// A box of 0.2 x 0.4 x 0.6 m: three different moments.
inline BodyDef brick(Vec3 position, float mass = 2.0f) {
  return {.shape = box({0.1f, 0.2f, 0.3f}), .mass = mass, .position = position};
}
/// A box whose moment about every axis is given. [kg, kg m^2]
inline BodyDef wheel(Vec3 position, float mass, float moment) {
  return {.shape = sphere(0.3f), .mass = mass, .inertia = Vec3{moment, moment, moment}, .position = position};
}
inline AxisDef locked() {
  return {.mode = AxisMode::locked};
}
inline AxisDef limited(float lower, float upper) {
  return {.mode = AxisMode::limited, .lower = lower, .upper = upper};
}
inline AxisDef motor(float speed, float max_force = kUnlimited) {
  return {.drive = Drive::velocity, .target_velocity = speed, .max_force = max_force};
}
inline AxisDef spring(float stiffness, float damping, float target = 0.0f) {
  return {.drive = Drive::spring, .target_position = target, .stiffness = stiffness, .damping = damping};
}
inline AxisDef servo(float hertz, float ratio, float target = 0.0f, float max_force = kUnlimited) {
  return {
      .drive = Drive::servo, .target_position = target, .stiffness = hertz, .damping = ratio, .max_force = max_force};
}
inline AxisDef friction(float force) {
  return {.friction = force};
}
inline double along(const JointReading& reading, Axis axis) {
  return reading.position[std::size_t(axis)];
}
inline double rate(const JointReading& reading, Axis axis) {
  return reading.velocity[std::size_t(axis)];
}

// ---- coordinates by themselves ----------------------------------------------------------------------------------

using Turn = scenes::Rotation<double>;
inline Turn times(Turn a, Turn b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/// A frame in the world.
struct Frame {
  Vecd origin;
  Turn turn;
};
inline Frame frame_in_world(World& world, BodyId body, const Transform& local) {
  const Transform pose = body == kWorld ? Transform{} : world.pose(body);
  const Turn q = scenes::rotation<double>(pose.orientation);
  return {vec(pose.position) + scenes::rotate(q, vec(local.position)),
          times(q, scenes::rotation<double>(local.orientation))};
}
/// [m, rad] The six coordinates as joint.h says them; twist within -pi..pi. A swing that is locked by itself is a sine.
inline std::array<double, kAxisCount> coordinates(const JointDef& def, const Frame& a, const Frame& b) {
  const Vecd apart = scenes::rotate_back(a.turn, b.origin - a.origin);
  const Turn between = times({-a.turn.x, -a.turn.y, -a.turn.z, a.turn.w}, b.turn);
  const Vecd x = scenes::rotate(between, Vecd{1, 0, 0});
  const double side = between.w < 0 ? -1 : 1;
  const bool y = def.axis(Axis::swing_y).mode == AxisMode::locked, z = def.axis(Axis::swing_z).mode == AxisMode::locked;
  const double sine = std::hypot(x.y, x.z), part = sine > 0 ? std::atan2(sine, x.x) / sine : 1;
  return {def.radial ? length(apart) : apart.x,
          apart.y,
          apart.z,
          2 * std::atan2(side * between.x, side * between.w),
          y == z ? -part * x.z
          : y    ? -x.z
                 : std::atan2(-x.z, x.x),
          y == z ? part * x.y
          : z    ? x.y
                 : std::atan2(x.y, x.x)};
}
inline std::array<double, kAxisCount> coordinates(World& world, JointId joint) {
  const JointDef def = world.definition(joint);
  return coordinates(def, frame_in_world(world, def.a, def.frame_a), frame_in_world(world, def.b, def.frame_b));
}
/// [m, rad] Largest coordinate of the locked axes.
inline double lock_error(World& world, JointId joint) {
  const std::array<double, kAxisCount> c = coordinates(world, joint);
  const JointDef def = world.definition(joint);
  double worst = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (def.axes[i].mode == AxisMode::locked) worst = std::max(worst, std::fabs(c[i]));
  }
  return worst;
}
/// [m] Distance of the two origins.
inline double gap_of(World& world, JointId joint) {
  const JointDef def = world.definition(joint);
  return length(frame_in_world(world, def.b, def.frame_b).origin - frame_in_world(world, def.a, def.frame_a).origin);
}

}  // namespace talus::test
