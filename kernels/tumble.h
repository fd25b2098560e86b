// SPDX-License-Identifier: MIT
// Bodies that turn far in a step while they touch something: rows of contacts stay as they were at its start, and may
// drive such a body instead of braking it. Nobody keeps more energy than others can have given him.
#pragma once
#include <bit>

#include "contact_columns.h"
#include "guard.h"
#include "joint_columns.h"

namespace talus::inline TALUS_ISA {

/// Kinetic energy of bodies, at the start of the step and as the solver left them.
struct BodyEnergies {
  BodyPaths bodies;

  TALUS_HD float mass(Index row) const { return 1.0f / bodies.model.inv_mass[row]; }
  /// [J] Of a dynamic body with angular velocity in own axes.
  TALUS_HD float energy(Index row, Vec3 velocity, Vec3 spin) const {
    const Vec3 inverse = bodies.model.inv_inertia[row];
    const Vec3 moment{spin.x / inverse.x, spin.y / inverse.y, spin.z / inverse.z};
    return 0.5f * (mass(row) * length_squared(velocity) + dot(spin, moment));
  }
  TALUS_HD float at_start(Index row) const {
    const BodyState& state = bodies.state;
    return energy(row, state.linear_velocity[row], rotate_back(state.orientation[row], state.angular_velocity[row]));
  }
  TALUS_HD float at_end(Index row) const {
    const BodyVelocity& now = bodies.velocity[row];
    const Vec3 spin = scale(bodies.frame[row].scale, now.angular);
    return energy(row, now.linear, rotate_back(bodies.displacement[row].turn, spin));
  }
  /// [J] That it has at most if forces and torques of the step have pushed it all the time, and another one has given
  /// it some, too.
  TALUS_HD float most(Index row, float given) const {
    const StepParams& p = *bodies.params;
    const BodyModel& model = bodies.model;
    const Vec3 push = p.dt * (model.gravity_scale[row] * p.gravity + model.inv_mass[row] * bodies.inputs.force[row]);
    const Vec3 twist =
        spin_gain(bodies.state.orientation[row], model.inv_inertia[row], bodies.inputs.torque[row], p.dt);
    const float root = square_root(at_start(row)) + square_root(energy(row, push, twist)) + square_root(given);
    return root * root;
  }
  /// Turned far in this step: rows of contacts, which stay as they are, are nonsense by then. Round ones turn as rows
  /// say.
  TALUS_HD bool tumbles(Index row) const {
    const Vec3 inverse = bodies.model.inv_inertia[row];
    if (inverse.x == inverse.y && inverse.y == inverse.z) return false;
    const Quat turn = bodies.displacement[row].turn;
    const float sine_squared = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
    const float dt = bodies.params->dt, way = dt * dt * length_squared(bodies.state.angular_velocity[row]);
    return 4.0f * sine_squared > kTumbleAngle * kTumbleAngle || way > kTumbleAngle * kTumbleAngle;
  }
  static constexpr float kTumbleAngle = 0.25f;  // [rad]
};

/// Of those that are fast: lists the ones that tumble, touch something and have gained energy. One element is one of
/// the fast bodies.
struct FindGained {
  BodyEnergies energies;
  Column<BodyVelocity> free_velocity;
  GuardRows rows;      // gained: out; given, jointed: zero
  Counters* counters;  // gained, gained_pairs, gained_joints

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.fast[i];
    if (!energies.bodies.is_pushed(row) || !energies.tumbles(row) || !(free_velocity[row].flag > 0.0f)) return;
    if (!(energies.at_end(row) > kWeighed * energies.most(row, 0.0f))) return;
    rows.gained[atomic_add(&counters->gained, 1)] = row;
    rows.given[row] = rows.jointed[row] = 0;
    atomic_store(&counters->gained_pairs, counters->pairs);
    atomic_store(&counters->gained_joints, counters->joints);
  }
  static constexpr float kWeighed = 1.0001f;  // what is less is rounding
};

/// What bodies that touch can give each other: their energy at the start; at the end, if they did not tumble, which may
/// come from a third one; and no more than an impact at twice their speed. One element is one pair.
struct FindGivers {
  BodyEnergies energies;
  PairList pairs;
  ContactRecords contacts;
  Column<std::uint32_t> given;  // what is written for those who did not gain is not read

  TALUS_HD void operator()(Index pair) const {
    if (!(contacts[pair].count > 0.0f)) return;
    const Index a = pairs.owner[pair], b = pairs.partner[pair];
    give(a, b);
    give(b, a);
  }
  TALUS_HD void give(Index to, Index from) const {
    if (!energies.bodies.is_pushed(to)) return;
    atomic_max(&given[to], std::bit_cast<std::uint32_t>(energy_for(to, from)));
  }
  TALUS_HD float energy_for(Index to, Index from) const {
    const BodyPaths& bodies = energies.bodies;
    if (bodies.is_still(from)) return 0.0f;
    const float start = by_impact(to, from, bodies.state.linear_velocity[from], bodies.state.angular_velocity[from]);
    if (bodies.is_kinematic(from)) return start;
    const float at_start = min_of(start, energies.at_start(from));
    if (energies.tumbles(from)) return at_start;
    const BodyVelocity& now = bodies.velocity[from];
    const float end = by_impact(to, from, now.linear, scale(bodies.frame[from].scale, now.angular));
    return max_of(at_start, min_of(end, energies.at_end(from)));
  }
  /// [J] Of twice the speed of its points near the other one.
  TALUS_HD float by_impact(Index to, Index from, Vec3 velocity, Vec3 spin) const {
    const BodyPaths& bodies = energies.bodies;
    const float arm = length(bodies.state.position[to] - bodies.state.position[from]) + bodies.model.radius[to];
    const float speed = length(velocity) + arm * length(spin);
    return 2.0f * energies.mass(to) * speed * speed;
  }
};

/// Joints give energy, too: who has some is left alone. One element is one joint.
struct FindJointed {
  JointModel joints;
  Column<std::uint32_t> jointed;  // what is written for those who did not gain is not read

  TALUS_HD void operator()(Index joint) const {
    if (joints.alive[joint] == 0) return;
    const Index a = joints.body_a[joint], b = joints.body_b[joint];
    if (a >= 0) atomic_or(&jointed[a], 1u);
    if (b >= 0) atomic_or(&jointed[b], 1u);
  }
};

/// Takes away what nobody gave, by the same part of all velocities. One element is one of those that gained energy.
struct BrakeGained {
  BodyEnergies energies;
  GuardRows rows;
  Column<BodyVelocity> velocity;  // in/out: the body's own

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.gained[i];
    if (rows.jointed[row] != 0) return;
    const float most = energies.most(row, std::bit_cast<float>(rows.given[row])), has = energies.at_end(row);
    if (!(has > most)) return;
    const float part = square_root(most / has);
    velocity[row].linear = part * velocity[row].linear;
    velocity[row].angular = part * velocity[row].angular;
  }
};

}  // namespace talus::inline TALUS_ISA
