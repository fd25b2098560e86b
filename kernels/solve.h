// SPDX-License-Identifier: MIT
// The contact solve: projected Gauss-Seidel within a manifold and from color to color, mass-split Jacobi for the
// overflow color. Templates over Real: a lane is a contact, a CUDA thread has one, a SIMD pack as many as it is wide.
//
// Normal rows are soft constraints (S1-26/27), biased in the first sweep of a sub-step and free of bias in the relaxing
// one after positions moved, so that the push that removes penetration leaves no velocity behind. Friction acts once a
// manifold, in the relaxing sweep: a force in the tangent plane and a twist about the normal.
#pragma once
#include "lanes.h"
#include "math/atomic.h"
#include "solve_columns.h"
#include "step_params.h"

namespace talus::inline TALUS_ISA {

/// Which sweep.
enum class Sweep : std::uint32_t {
  warm_start,  // applies the impulses carried over from the last step
  biased,      // removes penetration
  relax,       // takes the bias out of the velocities, and applies friction
  bounce,      // Newton's restitution, after the last sub-step
};

constexpr float kSplitUnit = 1.0f / 4294967296.0f;  // [m/s, rad/s] 2^-32: resolution of the split sums

template <class Real>
struct Velocity {
  Vec3Of<Real> linear, angular;
};

/// World-frame inverse inertia.
template <class Real>
struct Inertia {
  Real xx, yy, zz, xy, xz, yz;
  TALUS_INLINE Vec3Of<Real> operator*(Vec3Of<Real> v) const {
    return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z};
  }
};

/// Shortens a friction impulse to its limit: a circle, or a square along the two tangents.
template <class Real>
TALUS_INLINE void limit_friction(bool box, Real limit, Real& f1, Real& f2) {
  if (box) {
    f1 = clamp_to(f1, -limit, limit);
    f2 = clamp_to(f2, -limit, limit);
  } else {
    const Real size = square_root(f1 * f1 + f2 * f2);
    const Real shrink = select(size > limit, limit / max_of(size, Real(1e-30f)), Real(1.0f));
    f1 = shrink * f1;
    f2 = shrink * f2;
  }
}

/// The two bodies of a contact, in registers.
template <class Real>
struct BodyPair {
  Velocity<Real> a, b;
  Real inv_mass_a, inv_mass_b;
  Inertia<Real> inertia_a, inertia_b;

  /// Relative velocity of B at its arm against A at its arm.
  TALUS_INLINE Vec3Of<Real> relative_velocity(Vec3Of<Real> arm_a, Vec3Of<Real> arm_b) const {
    return b.linear + cross(b.angular, arm_b) - a.linear - cross(a.angular, arm_a);
  }
  /// Impulse on B at its arm, and its opposite on A.
  TALUS_INLINE void apply(Vec3Of<Real> impulse, Vec3Of<Real> arm_a, Vec3Of<Real> arm_b) {
    a.linear = a.linear - inv_mass_a * impulse;
    a.angular = a.angular - inertia_a * cross(arm_a, impulse);
    b.linear = b.linear + inv_mass_b * impulse;
    b.angular = b.angular + inertia_b * cross(arm_b, impulse);
  }
  TALUS_INLINE void apply_angular(Vec3Of<Real> impulse) {
    a.angular = a.angular - inertia_a * impulse;
    b.angular = b.angular + inertia_b * impulse;
  }
};

/// How two bodies moved since the step began, as a contact sees it.
template <class Real>
struct Displaced {
  Vec3Of<Real> normal;
  Vec3Of<Real> shift;  // of B against A
  QuatOf<Real> turn_a, turn_b;
  Vec3Of<Real> round_a, round_b;  // radius of round shapes along the normal, else zero

  /// [m] Change of the separation at a point. A round surface does not turn with its body, the centre or axis behind it
  /// does: a ball that spins stays where it is.
  TALUS_INLINE Real separation_change(Vec3Of<Real> arm_a, Vec3Of<Real> arm_b) const {
    return dot(normal, shift + turned(turn_b, arm_b + round_b) - turned(turn_a, arm_a - round_a));
  }
};

/// One sweep over the contacts of a lane range. Within a color a dynamic body belongs to one lane, which may write it.
template <Sweep kSweep>
struct SolveContacts {
  SolverRows rows;
  BodyVelocity* velocity;
  BodyDisplacement* displacement;
  const StepParams* params;

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const std::uint32_t* index_a = rows.at(row::body_a, lane);
    const std::uint32_t* index_b = rows.at(row::body_b, lane);
    Real record_a[8], record_b[8];
    gather_records(&velocity->linear.x, index_a, record_a);
    gather_records(&velocity->linear.x, index_b, record_b);
    BodyPair<Real> bodies = load_pair(lane, record_a, record_b);
    solve_manifold(lane, bodies, params->contact, params->ground);
    store_record(bodies.a, record_a);
    store_record(bodies.b, record_b);
    scatter_records(&velocity->linear.x, index_a, record_a, bodies.inv_mass_a > Real(0.0f));
    scatter_records(&velocity->linear.x, index_b, record_b, bodies.inv_mass_b > Real(0.0f));
  }

  template <class Real>
  TALUS_INLINE BodyPair<Real> load_pair(Index lane, const Real record_a[8], const Real record_b[8]) const {
    BodyPair<Real> p;
    p.a = {{record_a[0], record_a[1], record_a[2]}, {record_a[4], record_a[5], record_a[6]}};
    p.b = {{record_b[0], record_b[1], record_b[2]}, {record_b[4], record_b[5], record_b[6]}};
    p.inv_mass_a = load<Real>(rows, row::inv_mass_a, lane);
    p.inv_mass_b = load<Real>(rows, row::inv_mass_b, lane);
    p.inertia_a = load_inertia<Real>(row::inertia_a, lane);
    p.inertia_b = load_inertia<Real>(row::inertia_b, lane);
    return p;
  }
  template <class Real>
  TALUS_INLINE Inertia<Real> load_inertia(int field, Index lane) const {
    return {load<Real>(rows, field, lane),     load<Real>(rows, field + 1, lane), load<Real>(rows, field + 2, lane),
            load<Real>(rows, field + 3, lane), load<Real>(rows, field + 4, lane), load<Real>(rows, field + 5, lane)};
  }
  template <class Real>
  TALUS_INLINE static void store_record(const Velocity<Real>& v, Real record[8]) {
    record[0] = v.linear.x;
    record[1] = v.linear.y;
    record[2] = v.linear.z;
    record[4] = v.angular.x;
    record[5] = v.angular.y;
    record[6] = v.angular.z;
  }

  /// All rows of one manifold.
  template <class Real>
  TALUS_INLINE void solve_manifold(Index lane, BodyPair<Real>& bodies, const Softness& contact,
                                   const Softness& ground) const {
    const Vec3Of<Real> normal = load_vector<Real>(rows, row::normal, lane);
    if constexpr (kSweep == Sweep::warm_start) {
      warm_start(lane, bodies, normal);
    } else {
      if constexpr (kSweep == Sweep::relax) solve_friction(lane, bodies, normal);
      solve_normals(lane, bodies, normal, contact, ground);
    }
  }

  template <class Real>
  TALUS_INLINE void warm_start(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal) const {
    const Real count = load<Real>(rows, row::count, lane);
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      bodies.apply(load<Real>(rows, row::at(i, row::impulse), lane) * normal,
                   load_vector<Real>(rows, row::at(i, row::arm_a), lane),
                   load_vector<Real>(rows, row::at(i, row::arm_b), lane));
    }
    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    const Vec3Of<Real> friction =
        load<Real>(rows, row::friction_impulse, lane) * t1 + load<Real>(rows, row::friction_impulse + 1, lane) * t2;
    bodies.apply(friction, load_vector<Real>(rows, row::friction_a, lane),
                 load_vector<Real>(rows, row::friction_b, lane));
    bodies.apply_angular(load<Real>(rows, row::twist_impulse, lane) * normal);
  }

  template <class Real>
  TALUS_INLINE void solve_normals(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal, const Softness& contact,
                                  const Softness& ground) const {
    Real moved_a[8], moved_b[8];
    gather_records(&displacement->shift.x, rows.at(row::body_a, lane), moved_a);
    gather_records(&displacement->shift.x, rows.at(row::body_b, lane), moved_b);
    const Displaced<Real> displaced{
        normal,
        {moved_b[0] - moved_a[0], moved_b[1] - moved_a[1], moved_b[2] - moved_a[2]},
        {moved_a[4], moved_a[5], moved_a[6], moved_a[7]},
        {moved_b[4], moved_b[5], moved_b[6], moved_b[7]},
        load<Real>(rows, row::round_a, lane) * normal,
        load<Real>(rows, row::round_b, lane) * normal,
    };
    const Mask<Real> on_ground = load<Real>(rows, row::ground, lane) > Real(0.0f);
    const Real zero(0.0f), one(1.0f);
    const Real bias_rate = select(on_ground, Real(ground.bias_rate), Real(contact.bias_rate));
    const Real soft_mass = select(on_ground, Real(ground.mass_scale), Real(contact.mass_scale));
    const Real soft_impulse = select(on_ground, Real(ground.impulse_scale), Real(contact.impulse_scale));
    const Real count = load<Real>(rows, row::count, lane);
    if constexpr (kSweep == Sweep::biased || kSweep == Sweep::relax) {
      if (any_of(Real(1.0f) < count)) {
        solve_middle(lane, bodies, normal, displaced, count, bias_rate, soft_mass, soft_impulse);
      }
    }
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Vec3Of<Real> arm_a = load_vector<Real>(rows, row::at(i, row::arm_a), lane);
      const Vec3Of<Real> arm_b = load_vector<Real>(rows, row::at(i, row::arm_b), lane);
      const Real mass = load<Real>(rows, row::at(i, row::mass), lane);
      const Real impulse = load<Real>(rows, row::at(i, row::impulse), lane);
      const Real peak = load<Real>(rows, row::at(i, row::peak), lane);
      const Real separation =
          load<Real>(rows, row::at(i, row::separation), lane) + displaced.separation_change(arm_a, arm_b);
      const Real speed = dot(normal, bodies.relative_velocity(arm_a, arm_b));
      // Apart: the gap may close within the sub-step but not beyond. Touching: soft push, none when relaxing.
      const Mask<Real> apart = separation > zero;
      Real bias = select(apart, Real(params->inv_h) * separation, zero);
      Real mass_scale = one, impulse_scale = zero;
      if constexpr (kSweep == Sweep::biased) {
        bias = select(apart, bias, max_of(bias_rate * separation, Real(-params->max_push_speed)));
        mass_scale = select(apart, one, soft_mass);
        impulse_scale = select(apart, zero, soft_impulse);
      }
      if constexpr (kSweep == Sweep::bounce) {
        const Real approach = load<Real>(rows, row::at(i, row::approach), lane);
        const Mask<Real> bounces = approach < Real(-params->restitution_threshold) && peak > zero;
        bias = select(bounces, load<Real>(rows, row::restitution, lane) * approach, bias);
      }
      const Real wanted = impulse - mass * mass_scale * (speed + bias) - impulse_scale * impulse;
      const Real next = max_of(wanted, zero);
      bodies.apply((next - impulse) * normal, arm_a, arm_b);
      store(rows, row::at(i, row::impulse), lane, next);
      if constexpr (kSweep == Sweep::biased || kSweep == Sweep::relax) {
        store(rows, row::at(i, row::peak), lane, max_of(next, peak));
      }
    }
  }

  /// The same impulse more on every point, such that their mean is satisfied, before each gets its own. Gauss-Seidel
  /// alone favours the points that come first: a box set down flat would tilt, and towers would lean (20 high: 0.2 m in
  /// 5 s). Only where all points carry load, or none does yet.
  template <class Real>
  TALUS_INLINE void solve_middle(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal,
                                 const Displaced<Real>& displaced, Real count, Real bias_rate, Real soft_mass,
                                 Real soft_impulse) const {
    const Real zero(0.0f);
    Real impulse[kMaxPoints], least(1e30f), most = zero, sum = zero;
    for (int i = 0; i < kMaxPoints; ++i) {
      impulse[i] = load<Real>(rows, row::at(i, row::impulse), lane);
      least = select(Real(float(i)) < count, min_of(impulse[i], least), least);
      most = max_of(impulse[i], most);
      sum = sum + impulse[i];
    }
    const Vec3Of<Real> at_a = load_vector<Real>(rows, row::friction_a, lane);
    const Vec3Of<Real> at_b = load_vector<Real>(rows, row::friction_b, lane);
    const Real separation = load<Real>(rows, row::middle_separation, lane) + displaced.separation_change(at_a, at_b);
    const Real speed = dot(normal, bodies.relative_velocity(at_a, at_b));
    const Mask<Real> apart = separation > zero;
    Real bias = select(apart, Real(params->inv_h) * separation, zero), give = zero;
    if constexpr (kSweep == Sweep::biased) {
      bias = select(apart, bias, max_of(bias_rate * separation, Real(-params->max_push_speed)));
      give = select(apart, zero, soft_impulse / soft_mass * load<Real>(rows, row::points_give, lane) / count);
    }
    const Real wanted = -(speed + bias + give * sum) / (load<Real>(rows, row::middle_give, lane) + give) / count;
    const Mask<Real> even = Real(1.0f) < count && (least > zero || most == zero);
    const Real more = select(even, max_of(wanted, -least), zero);
    for (int i = 0; i < kMaxPoints; ++i) {
      const Mask<Real> there = Real(float(i)) < count;
      store(rows, row::at(i, row::impulse), lane, impulse[i] + select(there, more, zero));
    }
    bodies.apply((more * count) * normal, at_a, at_b);
  }

  /// Coulomb friction of the whole manifold: first the twist, then the tangent plane.
  template <class Real>
  TALUS_INLINE void solve_friction(Index lane, BodyPair<Real>& bodies, Vec3Of<Real> normal) const {
    Real load_sum = load<Real>(rows, row::at(0, row::impulse), lane);
    for (int i = 1; i < kMaxPoints; ++i) load_sum = load_sum + load<Real>(rows, row::at(i, row::impulse), lane);
    const Real limit = load<Real>(rows, row::friction, lane) * load_sum;

    const Real spin = dot(normal, bodies.b.angular - bodies.a.angular);
    const Real twist = load<Real>(rows, row::twist_impulse, lane);
    const Real twist_limit = limit * load<Real>(rows, row::twist_arm, lane);
    const Real next_twist = clamp_to(twist - load<Real>(rows, row::twist_mass, lane) * spin, -twist_limit, twist_limit);
    bodies.apply_angular((next_twist - twist) * normal);
    store(rows, row::twist_impulse, lane, next_twist);

    const Vec3Of<Real> t1 = load_vector<Real>(rows, row::tangent, lane), t2 = cross(normal, t1);
    const Vec3Of<Real> at_a = load_vector<Real>(rows, row::friction_a, lane);
    const Vec3Of<Real> at_b = load_vector<Real>(rows, row::friction_b, lane);
    const Vec3Of<Real> inverse = load_vector<Real>(rows, row::friction_mass, lane);
    const Vec3Of<Real> slip = bodies.relative_velocity(at_a, at_b);
    const Real s1 = dot(t1, slip), s2 = dot(t2, slip);
    const Real f1 = load<Real>(rows, row::friction_impulse, lane);
    const Real f2 = load<Real>(rows, row::friction_impulse + 1, lane);
    Real n1 = f1 - (inverse.x * s1 + inverse.z * s2);
    Real n2 = f2 - (inverse.z * s1 + inverse.y * s2);
    limit_friction(params->box_friction != 0, limit, n1, n2);
    bodies.apply((n1 - f1) * t1 + (n2 - f2) * t2, at_a, at_b);
    store(rows, row::friction_impulse, lane, n1);
    store(rows, row::friction_impulse + 1, lane, n2);
  }
};

/// The overflow color: every contact solves from the same velocities with its share of the bodies' mass; changes are
/// summed as integers and added by ApplySplit. Scalar lanes: such contacts are few.
template <Sweep kSweep>
struct SolveSplit {
  SolveContacts<kSweep> contacts;
  Column<SplitSums> sums;
  Column<Index> split_count;
  const Index* first_lane;  // of the overflow color

  TALUS_HD void operator()(Index place) const {
    const Index lane = *first_lane + place;
    const std::uint32_t* index_a = contacts.rows.at(row::body_a, lane);
    const std::uint32_t* index_b = contacts.rows.at(row::body_b, lane);
    float record_a[8], record_b[8];
    gather_records(&contacts.velocity->linear.x, index_a, record_a);
    gather_records(&contacts.velocity->linear.x, index_b, record_b);
    BodyPair<float> bodies = contacts.load_pair(lane, record_a, record_b);
    contacts.solve_manifold(lane, bodies, contacts.params->split, contacts.params->split);
    add(Index(*index_a), bodies.inv_mass_a, record_a, bodies.a);
    add(Index(*index_b), bodies.inv_mass_b, record_b, bodies.b);
  }

  TALUS_HD void add(Index body, float inv_mass, const float before[8], const Velocity<float>& after) const {
    if (!(inv_mass > 0.0f)) return;
    const float share = 1.0f / float(split_count[body]);
    const float change[6] = {after.linear.x - before[0],  after.linear.y - before[1],  after.linear.z - before[2],
                             after.angular.x - before[4], after.angular.y - before[5], after.angular.z - before[6]};
    for (int i = 0; i < 6; ++i) {
      const float units = clamp_to(share * change[i], -1e9f, 1e9f) * (1.0f / kSplitUnit);
      atomic_add(&sums[body].change[i], std::int64_t(units));
    }
  }
};

/// Adds the sums of the split contacts to the velocities. One element is one body.
struct ApplySplit {
  Column<BodyVelocity> velocity;
  Column<SplitSums> sums;
  Column<Index> split_count;

  TALUS_HD void operator()(Index body) const {
    if (split_count[body] == 0) return;
    BodyVelocity v = velocity[body];
    float change[6];
    for (int i = 0; i < 6; ++i) {
      change[i] = float(sums[body].change[i]) * kSplitUnit;
      sums[body].change[i] = 0;
    }
    v.linear = v.linear + Vec3{change[0], change[1], change[2]};
    v.angular = v.angular + Vec3{change[3], change[4], change[5]};
    velocity[body] = v;
  }
};

}  // namespace talus::inline TALUS_ISA
