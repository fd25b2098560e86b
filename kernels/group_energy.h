// SPDX-License-Identifier: MIT
// No group of bodies that hang together leaves a step with more energy than it came with. Sweeps compare two bodies at
// a time, as if nothing held them, and end before they have converged; so what impulses did to a whole group is looked
// at once more, and taken back in part where it was too much. All impulses of a group by the same part: each has its
// opposite, so that momentum stays.
#pragma once
#include <bit>

#include "bounce.h"
#include "free_turn.h"
#include "pair_energy.h"

namespace talus::inline TALUS_ISA {

// 2^-35 of the largest energy of the group's bodies: the resolution of the sums, which hold 2^28 such bodies.
constexpr double kEnergyUnit = 1.0 / 34359738368.0;
constexpr double kEnergyRounding = 1e-5;  // [1] of what a group had: so that elastic impacts are not slowed by the last
                                          // bit
constexpr double kEnergySlack = 0.01;     // [1] the same where impulses were to stop bodies

/// What a group has, as SplitSums::change of its root.
namespace group_sum {
enum Field : int {
  had,    // at the start of the step, and by outer forces on the way since then
  base,   // with the velocities before the impulses
  cross,  // of those velocities and the change by the impulses: energy is base + part cross + part^2 square
  square,
  kFields
};
}  // namespace group_sum

/// Of one body [J]. With its own mass and inertia, whatever its load has lent it for the step (squeeze.h).
struct BodyEnergy {
  double sums[group_sum::kFields];
  double largest;  // of all that was added
};

struct GroupEnergy {
  BounceGroups groups;
  BodyInputs inputs;
  const StepParams* params;
  bool slack;      // what outer forces give in a step is not too much
  bool inelastic;  // of what is too much the part with the least energy is kept, not the largest

  /// Whether the energy of the body's group counts, and its root.
  TALUS_HD bool counts(Index body, Index& root) const {
    if (!(groups.bodies.velocity[body].inv_mass > 0.0f) || !groups.moves(body)) return false;  // the null body has none
    root = find_root(groups.bodies.group.data, body);
    return atomic_load(&groups.bodies.group_bounces[root]) == kBounces;
  }

  TALUS_HD BodyEnergy of(Index body) const {
    const SolveRowScratch& bodies = groups.bodies;
    const BodyModel& model = groups.model;
    const double mass = 1.0 / double(model.inv_mass[body]);
    const Vec3d per_axis = doubles(bodies.frame[body].scale), inverse = doubles(model.inv_inertia[body]);
    const Quatd turn = normalized(doubles(bodies.displacement[body].turn));
    const Quatd begin = normalized(doubles(groups.state.orientation[body]));
    const auto own_spin = [&](Vec3 scaled) { return rotate_back(turn, scale(per_axis, doubles(scaled))); };
    const Vec3d v_start = doubles(groups.state.linear_velocity[body]);
    const Vec3d w_start = rotate_back(begin, doubles(groups.state.angular_velocity[body]));
    const Vec3d v_base = doubles(bodies.free_velocity[body].linear);
    const Vec3d w_base = own_spin(bodies.free_velocity[body].angular);
    const Vec3d dv = doubles(bodies.velocity[body].linear) - v_base;
    const Vec3d dw = own_spin(bodies.velocity[body].angular) - w_base;
    const auto kinetic = [&](Vec3d v, Vec3d w, Vec3d v2, Vec3d w2) {
      return mass * dot(v, v2) + turning(inverse.x, w.x * w2.x) + turning(inverse.y, w.y * w2.y) +
             turning(inverse.z, w.z * w2.z);
    };
    const Vec3d push = doubles(outer_push(model, inputs, *params, body, model.inv_mass[body]));
    const Vec3 torque = rotate_back(groups.state.orientation[body], inputs.torque[body]);
    const Vec3 free =
        free_turn({float(w_start.x), float(w_start.y), float(w_start.z)}, torque, model.inv_inertia[body], params->dt);
    const double by_turning = double(turn_work(torque, bodies.displacement[body].turn, free));
    const double work = mass * dot(push, doubles(bodies.displacement[body].shift)) + by_turning;
    const double start = 0.5 * kinetic(v_start, w_start, v_start, w_start);
    BodyEnergy e;
    const double dt = double(params->dt), gain = slack ? 0.5 * mass * dt * dt * dot(push, push) : 0.0;
    e.sums[group_sum::had] = start + work + gain;
    e.sums[group_sum::base] = 0.5 * kinetic(v_base, w_base, v_base, w_base);
    e.sums[group_sum::cross] = kinetic(v_base, w_base, dv, dw);
    e.sums[group_sum::square] = 0.5 * kinetic(dv, dw, dv, dw);
    e.largest = start + (work < 0.0 ? -work : work) + gain + e.sums[group_sum::base] + e.sums[group_sum::square];
    return e;
  }
  /// [J] Of an axis about which the body does not turn: none.
  TALUS_HD static double turning(double inverse, double square) { return inverse > 0.0 ? square / inverse : 0.0; }
};

/// Before the bounce sweeps: velocities without them. One element is one body row.
struct KeepBeforeBounce {
  SolveRowScratch bodies;
  TALUS_HD void operator()(Index body) const {
    bodies.free_velocity[body].linear = bodies.velocity[body].linear;
    bodies.free_velocity[body].angular = bodies.velocity[body].angular;
  }
};

/// The unit of each group: its bodies may be heavy or light. One element is one body row.
struct FindEnergyUnits {
  GroupEnergy energy;
  TALUS_HD void operator()(Index body) const {
    Index root = -1;
    if (!energy.counts(body, root)) return;
    const float largest = float(energy.of(body).largest);  // floats >= 0 are ordered as their bits are
    atomic_max(&energy.groups.bodies.group_energy[root], std::bit_cast<std::uint32_t>(largest));
  }
};

/// One element is one body row.
struct SumGroupEnergy {
  GroupEnergy energy;
  TALUS_HD void operator()(Index body) const {
    Index root = -1;
    if (!energy.counts(body, root)) return;
    const double unit = unit_of(energy.groups.bodies, root);
    if (!(unit > 0.0)) return;
    const BodyEnergy e = energy.of(body);
    std::int64_t* sums = energy.groups.bodies.split_sums[root].change;
    for (int i = 0; i < group_sum::kFields; ++i) atomic_add(&sums[i], std::int64_t(e.sums[i] / unit));
  }
  /// [J] 0: nothing moves, or something is not finite.
  TALUS_HD static double unit_of(const SolveRowScratch& bodies, Index root) {
    const float largest = std::bit_cast<float>(bodies.group_energy[root]);
    return largest < 1e37f ? kEnergyUnit * double(largest) : 0.0;
  }
};

/// The largest part of the impulses that leaves a group with no more than it had. One element is one body row.
struct LimitGroupEnergy {
  GroupEnergy energy;
  TALUS_HD void operator()(Index body) const {
    Index root = -1;
    if (!energy.counts(body, root)) return;
    const SolveRowScratch& bodies = energy.groups.bodies;
    if (!(SumGroupEnergy::unit_of(bodies, root) > 0.0)) return;
    const double part = part_of(bodies.split_sums[root], energy.inelastic);
    if (part == 1.0) return;
    BodyVelocity& v = bodies.velocity[body];
    const BodyVelocity& base = bodies.free_velocity[body];
    // Never -0, as all velocities of the solver.
    v.linear = base.linear + float(part) * (v.linear - base.linear) + Vec3{0.0f, 0.0f, 0.0f};
    v.angular = base.angular + float(part) * (v.angular - base.angular) + Vec3{0.0f, 0.0f, 0.0f};
  }

  /// 1: all.
  TALUS_HD static double part_of(const SplitSums& sums, bool inelastic) {
    const double all = double(sums.change[group_sum::had]), had = all > 0.0 ? all : 0.0;
    const double base = double(sums.change[group_sum::base]), cross = double(sums.change[group_sum::cross]);
    const double square = double(sums.change[group_sum::square]), too_much = base - had;
    if (too_much + cross + square <= (inelastic ? kEnergySlack : kEnergyRounding) * had || !(square > 0.0)) return 1.0;
    // Where all parts are too much, that with the least energy.
    const double under = inelastic ? 0.0 : cross * cross - 4.0 * square * too_much;
    const double part = (square_root(under > 0.0 ? under : 0.0) - cross) / (2.0 * square);
    return part > 0.0 ? (part < 1.0 ? part : 1.0) : 0.0;
  }
};

}  // namespace talus::inline TALUS_ISA
