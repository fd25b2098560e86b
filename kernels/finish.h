// SPDX-License-Identifier: MIT
// End of a step: what was solved becomes state, and is reported.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "integrate.h"
#include "math/atomic.h"
#include "math/vec3.h"
#include "prepare.h"
#include "solve.h"
#include "solve_columns.h"

namespace talus::inline TALUS_ISA {

/// Positions and velocities of bodies. One that left the finite range stays where it was, frozen. Clears the inputs.
struct FinishBodies {
  // model
  BodyModel model;
  // scratch in
  Column<BodyVelocity> velocity;
  Column<BodyFrame> frame;
  Column<BodyDisplacement> displacement;
  // out: element is one row
  BodyState state;
  BodyInputs inputs;
  Counters* counters;

  TALUS_HD void operator()(Index body) const {
    const Vec3 zero{0.0f, 0.0f, 0.0f};
    inputs.force.set(body, zero);
    inputs.torque.set(body, zero);
    const bool moves =
        model.alive[body] != 0 && state.frozen[body] == 0 && model.motion[body] != std::uint8_t(Motion::fixed);
    if (!moves) return;
    const BodyVelocity v = velocity[body];
    const BodyDisplacement d = displacement[body];
    const Vec3 position = state.position[body] + d.shift;
    const Quat q = normalized(frame[body].orientation * d.turn);
    // In differences: what no impulse changed keeps its bits.
    const Vec3 before = state.angular_velocity[body];
    const Vec3 change = v.angular - scaled_spin(frame[body], before);
    const Vec3 angular = before + rotate(frame[body].orientation, scale(frame[body].scale, change));
    const float speed = IntegrateVelocities::largest(v.linear) + IntegrateVelocities::largest(angular);
    const bool good = v.flag == 0.0f && speed < kMaxSpeed && IntegrateVelocities::largest(position) < kMaxPosition &&
                      is_finite(q.x + q.y + q.z + q.w);
    if (good) {
      state.position.set(body, position);
      state.orientation.set(body, q);
    } else {
      state.frozen[body] = 1;
      atomic_min(&counters->first_bad_row, body);
    }
    state.linear_velocity.set(body, good ? v.linear : zero);
    state.angular_velocity.set(body, good ? angular : zero);
  }
};

/// Impulses for the next step's warm start. One element is one lane; padding lanes have no points.
struct StoreImpulses {
  SolverRows lanes;
  Column<CachedContact> contacts;  // out: the lane's own
  const StepParams* params;

  TALUS_HD void operator()(Index lane) const {
    const int count = int(lanes.number(row::count, lane));
    if (count == 0) return;
    CachedContact& contact = contacts[Index(lanes.word(row::pair, lane))];
    float load_sum = 0.0f;
    for (int i = 0; i < count; ++i) {
      const float impulse = lanes.number(row::at(i, row::impulse), lane);
      contact.impulse[i] = impulse;
      load_sum += impulse;
    }
    // The normal impulses may have fallen after friction was solved: what is carried on stays within its limit.
    const float limit = lanes.number(row::friction, lane) * load_sum;
    const float twist_limit = limit * lanes.number(row::twist_arm, lane);
    float f1 = lanes.number(row::friction_impulse, lane), f2 = lanes.number(row::friction_impulse + 1, lane);
    limit_friction(params->box_friction != 0, limit, f1, f2);
    const Vec3 normal = lanes.vector(row::normal, lane), t1 = lanes.vector(row::tangent, lane), t2 = cross(normal, t1);
    contact.friction = f1 * t1 + f2 * t2;
    contact.twist = clamp_to(lanes.number(row::twist_impulse, lane), -twist_limit, twist_limit);
  }
};

/// How far velocities and impulses are from the contact law: for every point, min(impulse / mass, speed) would be zero
/// (S1-84, the min-map). Floats >= 0 are ordered as their bits are, so an integer maximum serves.
struct MeasureResidual {
  SolveContacts<Sweep::relax> contacts;
  Counters* counters;

  TALUS_HD void operator()(Index lane) const {
    const SolverRows& rows = contacts.rows;
    const int count = int(rows.number(row::count, lane));
    float record_a[8], record_b[8];
    gather_records(&contacts.velocity->linear.x, rows.at(row::body_a, lane), record_a);
    gather_records(&contacts.velocity->linear.x, rows.at(row::body_b, lane), record_b);
    const BodyPair<float> bodies = contacts.pair_of(record_a, record_b);
    const Vec3 normal = rows.vector(row::normal, lane);
    for (int i = 0; i < count; ++i) {
      const float gap = max_of(rows.number(row::at(i, row::separation), lane), 0.0f);
      const float speed = bodies.speed(normal, contacts.point_levers<float>(i, lane)) + contacts.params->inv_h * gap;
      const float push = rows.number(row::at(i, row::impulse), lane) / rows.number(row::at(i, row::mass), lane);
      atomic_max(&counters->residual_complementarity, std::bit_cast<std::uint32_t>(abs_of(min_of(push, speed))));
      atomic_max(&counters->residual_approach, std::bit_cast<std::uint32_t>(max_of(-speed, 0.0f)));
    }
  }
};

/// Row-major 3x4 matrices for instanced rendering. One element is one row.
struct FillInstanceTransforms {
  BodyModel model;
  BodyState state;
  Column<float> out;  // 12 a row; zeros where there is no body

  TALUS_HD void operator()(Index body) const {
    const bool alive = model.alive[body] != 0;
    const Mat3 r = matrix_of(state.orientation[body]);
    const Vec3 p = state.position[body];
    const float m[12] = {r.row0.x, r.row0.y, r.row0.z, p.x,      r.row1.x, r.row1.y,
                         r.row1.z, p.y,      r.row2.x, r.row2.y, r.row2.z, p.z};
    for (int i = 0; i < 12; ++i) out[body * 12 + i] = alive ? m[i] : 0.0f;
  }
};

/// One element: the cache written by this step is the next one's past.
struct EndStep {
  Counters* counters;
  TALUS_HD void operator()(Index) const {
    if (counters->must_grow == 0) counters->cached_rows = counters->rows;
  }
};

}  // namespace talus::inline TALUS_ISA
