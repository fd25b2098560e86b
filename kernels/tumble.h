// SPDX-License-Identifier: MIT
// Bodies that turn far in a step while they touch something: rows of contacts stay as they were at its start, and may
// drive such a body instead of braking it. Nobody keeps more energy than others can have given him.
#pragma once
#include <bit>

#include "contact_columns.h"
#include "guard_columns.h"
#include "math/atomic.h"
#include "pairs.h"
#include "reach.h"
#include "shapes/advance.h"
#include "solve_columns.h"

namespace talus::inline TALUS_ISA {

// GuardRows::pardon
constexpr std::uint32_t kJointed = 1u;  // joints sent it there, and would be torn

/// Records of bodies on their way.
struct BodyMotions {
  BodyModel model;
  Column<BodyVelocity> velocity;
  Column<BodyFrame> frame;
  Column<BodyDisplacement> displacement;

  /// Leaves a body where it is after a part of the step. Its velocity stays. So does its angular velocity as the body
  /// itself sees it, and with it energy and size of the angular momentum, which no other velocity would keep.
  TALUS_HD void shorten(Index row, float part) const {
    BodyDisplacement& gone = displacement[row];
    const Quat turn = part_of(turn_of(gone.turn), part);
    const Vec3 inverse = model.inv_inertia[row], axes = frame[row].scale;
    if (!(inverse.x == inverse.y && inverse.y == inverse.z)) {
      const Vec3 spin = rotate(turn, rotate_back(gone.turn, scale(axes, velocity[row].angular)));
      velocity[row].angular = {spin.x / axes.x, spin.y / axes.y, spin.z / axes.z};
    }
    gone.shift = part * gone.shift;
    gone.turn = turn;
  }
};

/// Kinetic energy of bodies, at the start of the step and as the solver left them.
struct BodyEnergies {
  BodyModel model;
  BodyState state;
  BodyInputs inputs;
  BodyMotions motions;
  const StepParams* params;

  TALUS_HD float mass(Index row) const { return 1.0f / model.inv_mass[row]; }
  /// [J] Of a dynamic body with angular velocity in own axes.
  TALUS_HD float energy(Index row, Vec3 velocity, Vec3 spin) const {
    const Vec3 inverse = model.inv_inertia[row];
    const Vec3 moment{spin.x / inverse.x, spin.y / inverse.y, spin.z / inverse.z};
    return 0.5f * (mass(row) * length_squared(velocity) + dot(spin, moment));
  }
  TALUS_HD float at_start(Index row) const {
    return energy(row, state.linear_velocity[row], rotate_back(state.orientation[row], state.angular_velocity[row]));
  }
  TALUS_HD float at_end(Index row) const {
    const BodyVelocity& now = motions.velocity[row];
    const Vec3 spin = scale(motions.frame[row].scale, now.angular);
    return energy(row, now.linear, rotate_back(motions.displacement[row].turn, spin));
  }
  /// [J] That it has at most if forces and torques of the step have pushed it all the time, and another one has given
  /// it some, too.
  TALUS_HD float most(Index row, float given) const {
    const Vec3 push =
        params->dt * (model.gravity_scale[row] * params->gravity + model.inv_mass[row] * inputs.force[row]);
    const Vec3 twist = spin_gain(state.orientation[row], model.inv_inertia[row], inputs.torque[row], params->dt);
    const float root = square_root(at_start(row)) + square_root(energy(row, push, twist)) + square_root(given);
    return root * root;
  }
  /// Turned far in this step: rows of contacts, which stay as they are, are nonsense by then.
  TALUS_HD bool tumbles(Index row) const {
    const Quat turn = motions.displacement[row].turn;
    const float sine_squared = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
    const float way = params->dt * params->dt * length_squared(state.angular_velocity[row]);
    return 4.0f * sine_squared > kTumbleAngle * kTumbleAngle || way > kTumbleAngle * kTumbleAngle;
  }
  static constexpr float kTumbleAngle = 0.25f;  // [rad]
};

/// One element is one of those that gained energy.
struct BeginGained {
  GuardRows rows;
  TALUS_HD void operator()(Index i) const {
    const Index row = rows.gained[i];
    rows.pardon[row] = 0;
    rows.given[row] = 0;
  }
};

/// What bodies that touch can give each other: their energy at the start; at the end, if they did not tumble, which may
/// come from a third one; what a kinematic one does by running into them. One element is one pair.
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
    if (!(energies.model.inv_mass[to] > 0.0f)) return;
    atomic_max(&given[to], std::bit_cast<std::uint32_t>(energy_for(to, from)));
  }
  TALUS_HD float energy_for(Index to, Index from) const {
    const BodyState& state = energies.state;
    if (energies.model.inv_mass[from] > 0.0f) {
      const float start = energies.at_start(from);
      return energies.tumbles(from) ? start : max_of(start, energies.at_end(from));
    }
    if (energies.model.motion[from] != std::uint8_t(Motion::kinematic)) return 0.0f;
    const float arm = length(state.position[to] - state.position[from]) + energies.model.radius[to];
    const float speed = length(state.linear_velocity[from]) + arm * length(state.angular_velocity[from]);
    return 2.0f * energies.mass(to) * speed * speed;  // of twice that speed
  }
};

/// Takes away what nobody gave, by the same part of all velocities. Who has joints is left alone: these give, too. One
/// element is one of those that gained energy.
struct BrakeGained {
  BodyEnergies energies;
  GuardRows rows;
  Column<BodyVelocity> velocity;  // in/out: the body's own

  TALUS_HD void operator()(Index i) const {
    const Index row = rows.gained[i];
    if ((rows.pardon[row] & kJointed) != 0) return;
    const float most = energies.most(row, std::bit_cast<float>(rows.given[row])), has = energies.at_end(row);
    if (!(has > most)) return;
    const float part = square_root(most / has);
    velocity[row].linear = part * velocity[row].linear;
    velocity[row].angular = part * velocity[row].angular;
  }
};

}  // namespace talus::inline TALUS_ISA
