// SPDX-License-Identifier: MIT
// From manifolds and masses to the solver's rows, and from state columns to the solver's body records.
#pragma once
#include "columns.h"
#include "contact_columns.h"
#include "deep.h"
#include "friction.h"
#include "lanes.h"
#include "material.h"
#include "math/angle.h"
#include "math/vec3.h"
#include "pair_energy.h"
#include "softness.h"
#include "solve_columns.h"
#include "squeeze.h"
#include "step_params.h"
#include "tilts.h"

namespace talus::inline TALUS_ISA {

/// Arm of the friction against a twist, as a part of the radius of the circle that two round bodies touch in: 3 pi / 16
/// for Hertz' pressure, which falls to zero at the rim.
constexpr float kPatchArm = 0.58904862f;

/// Angular velocity in scaled axes, see solve_columns.h. Never -0: see IntegrateVelocities.
template <class Real>
TALUS_INLINE Vec3Of<Real> scaled_spin(QuatOf<Real> orientation, Vec3Of<Real> scale, Vec3Of<Real> angular_velocity) {
  const Vec3Of<Real> own = rotate_back(orientation, angular_velocity);
  const Real zero(0.0f);
  return {own.x / scale.x + zero, own.y / scale.y + zero, own.z / scale.z + zero};
}

/// Body records at the start of the step. One body a lane; rows after the last body are the null body of padding lanes.
struct PrepareBodies {
  // model and state
  BodyModel model;
  BodyState state;
  // out: one row a lane
  SolveRowScratch rows;
  // with squeeze: see squeeze.h
  BodyInputs inputs;
  Column<ColorBids> loads;
  const StepParams* params;
  bool squeeze;
  bool uniform;                // see squeeze_of
  float part;                  // [1] of the step that a sub-step is, where bodies may speed up in it; 0: none does
  const Index* contact_lanes;  // if there is none, nothing is carried, and velocities stay

  template <class Real>
  TALUS_INLINE void solve(Index row) const {
    const Real zero(0.0f), one(1.0f);
    const Mask<Real> alive = load_bytes<Real>(model.alive, row) > zero;
    const Mask<Real> frozen = load_bytes<Real>(state.frozen, row) > zero;
    const Mask<Real> asleep = load_bytes<Real>(state.asleep, row) > zero;
    const Mask<Real> moves =
        alive && !frozen && !asleep && !(load_bytes<Real>(model.motion, row) == Real(float(Motion::fixed)));
    const Vec3Of<Real> none{zero, zero, zero}, unit{one, one, one};
    Real inv_mass = select(moves, load<Real>(model.inv_mass.data, row), zero);
    const QuatOf<Real> upright{zero, zero, zero, one};
    const QuatOf<Real> q = select<Real>(alive, load<Real>(state.orientation, row), upright);
    Vec3Of<Real> inverse = select<Real>(inv_mass > zero, load<Real>(model.inv_inertia, row), unit);
    Vec3Of<Real> v = select<Real>(moves, load<Real>(state.linear_velocity, row) + none, none);
    Real rub = zero;           // velocity: flag
    Vec3Of<Real> kept = unit;  // [1] of the spin about each axis
    if (squeeze) rub = squeeze_bodies(row, inv_mass, inverse, v, kept);
    const Vec3Of<Real> scale{square_root(inverse.x), square_root(inverse.y), square_root(inverse.z)};
    Vec3Of<Real> spin = scaled_spin(q, scale, load<Real>(state.angular_velocity, row));
    if (squeeze) spin = talus::scale(kept, spin) + none;
    const Vec3Of<Real> w = select<Real>(moves, spin, none);
    Vec3Of<Real> w_now = w, dv = none, dw = none;
    if (part > 0.0f) speed_up(row, moves && !(inv_mass > zero), q, v, w_now, dv, dw);
    const Real velocity[8] = {v.x, v.y, v.z, inv_mass, w_now.x, w_now.y, w_now.z, rub};
    store_together(&rows.velocity.data->linear.x, row, velocity);
    const Vec3Of<Real> v_free = v - dv, w_free = w_now - dw;
    const Real free_velocity[8] = {v_free.x, v_free.y, v_free.z, inv_mass,
                                   w_free.x, w_free.y, w_free.z, touched<Real>(row)};
    store_together(&rows.free_velocity.data->linear.x, row, free_velocity);
    const Real frame[8] = {q.x, q.y, q.z, q.w, scale.x, scale.y, scale.z, inv_mass};
    store_together(&rows.frame.data->orientation.x, row, frame);
    const Real displacement[8] = {zero, zero, zero, zero, zero, zero, zero, one};
    store_together(&rows.displacement.data->shift.x, row, displacement);
    for (int i = 0; i < LaneCount<Real>::value && any_of(is_split<Real>(row)); ++i) {
      if (rows.split_count[row + i] == 0) continue;
      for (std::int64_t& change : rows.split_sums[row + i].change) change = 0;
    }
  }

  /// A kinematic body whose velocity is set anew in each step speeds up in each sub-step, by dv and dw, such that the
  /// mean over the step is the velocity that was set. All at once, at the step's start, it would be more than the
  /// friction of a sub-step can follow: what stands on a truck would slide back in each step. The sub-steps add what
  /// the velocity differs by from the free one (IntegrateVelocities). What is no steady change comes at once: a belt
  /// that starts with a jerk is not to overshoot.
  template <class Real>
  TALUS_INLINE void speed_up(Index row, Mask<Real> driven, QuatOf<Real> q, Vec3Of<Real>& v, Vec3Of<Real>& w,
                             Vec3Of<Real>& dv, Vec3Of<Real>& dw) const {
    constexpr float kSteady = 0.5f;  // [1] of the velocity, in a step
    if (!any_together(driven) || *contact_lanes == 0) return;
    const Vec3Of<Real> none = dv, linear = load<Real>(inputs.linear_change, row);
    const Vec3Of<Real> angular = rotate_back(q, load<Real>(inputs.angular_change, row));
    const auto steady = [&](Vec3Of<Real> change, Vec3Of<Real> now) {
      return driven && dot(change, change) <= Real(kSteady * kSteady) * dot(now, now);
    };
    dv = Real(part) * select<Real>(steady(linear, v), linear, none) + none;
    dw = Real(part) * select<Real>(steady(angular, w), angular, none) + none;
    const Real before(0.5f + 0.5f / part);  // sub-steps from the first one's start to the middle of the step
    v = v - before * dv;
    w = w - before * dw;
  }

  /// Gives bodies the inertia of their loads. Returns what BodyVelocity::flag says of it.
  template <class Real>
  TALUS_INLINE Real squeeze_bodies(Index row, Real& inv_mass, Vec3Of<Real>& inverse, Vec3Of<Real>& v,
                                   Vec3Of<Real>& kept) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Real one(1.0f), zero(0.0f);
    float masses[kWidth], shares[kWidth], rubs[kWidth], keeps[kWidth], gained[3][kWidth];
    store_lanes(masses, inv_mass);
    for (int i = 0; i < kWidth; ++i) {
      const Squeeze by = squeeze_of(loads[row + i], masses[i], uniform, is_round(ShapeType(model.shape[row + i])));
      shares[i] = 1.0f / by.factor;
      rubs[i] = by.slides ? 1.0f - by.factor : 0.0f;
      keeps[i] = by.keeps;
      // Along tangents what slides is pulled as the mass says that it has: it gets at once what the sub-steps leave.
      const float left = by.slides ? params->dt * (1.0f - shares[i]) : 0.0f;
      Vec3 pull{0.0f, 0.0f, 0.0f};
      if (left > 0.0f) {
        pull = left * (model.gravity_scale[row + i] * params->gravity + masses[i] * inputs.force[row + i]);
      }
      Vec3 along = pull - dot(pull, by.normal) * by.normal;
      if (by.keeps < 1.0f) {
        const Vec3 now = state.linear_velocity[row + i], lost = by.slides ? dot(now, by.normal) * by.normal : now;
        along = along - (1.0f - by.keeps) * lost;
      }
      for (int k = 0; k < 3; ++k) gained[k][i] = k == 0 ? along.x : k == 1 ? along.y : along.z;
    }
    const Real share = load_lanes(shares, Real{}), rub = load_lanes(rubs, Real{});
    v = v + Vec3Of<Real>{load_lanes(gained[0], Real{}), load_lanes(gained[1], Real{}), load_lanes(gained[2], Real{})} +
        Vec3Of<Real>{zero, zero, zero};
    inv_mass = share * inv_mass;
    // What rolls does so with the inertia that it has: loads press along no lever that would turn it.
    const Real shape = load_bytes<Real>(model.shape, row);
    const Mask<Real> ball = rub < zero && shape == Real(float(ShapeType::sphere));
    const Mask<Real> rolls = ball || (rub < zero && shape == Real(float(ShapeType::capsule)));
    const Real tilts = select(ball, one, share), about = select(rolls, one, share);
    inverse = {tilts * inverse.x, about * inverse.y, tilts * inverse.z};
    const Real keep = load_lanes(keeps, Real{});
    kept = {select(ball, one, keep), select(rolls, one, keep), select(ball, one, keep)};
    return rub;
  }

  template <class Real>
  TALUS_INLINE Mask<Real> is_split(Index row) const {
    return any_bits(reinterpret_cast<const std::uint32_t*>(rows.split_count.data + row), Real{});
  }
  /// 1: the body has contacts.
  template <class Real>
  TALUS_INLINE Real touched(Index row) const {
    return select(any_bits(rows.color_mask.data + row, Real{}) || is_split<Real>(row), Real(1.0f), Real(0.0f));
  }
};

/// One body of a contact, while its row is made.
template <class Real>
struct PreparedBody {
  QuatOf<Real> orientation;
  Vec3Of<Real> scale;
  Real inv_mass, turns, rub;  // as of BodyPair; times the number of contacts that share the body

  TALUS_INLINE Vec3Of<Real> own(Vec3Of<Real> direction) const { return rotate_back(orientation, direction); }
  TALUS_INLINE Vec3Of<Real> world(Vec3Of<Real> own_direction) const { return rotate(orientation, own_direction); }
  /// Lever in scaled axes of a point along a direction, both in the body's own axes.
  TALUS_INLINE Vec3Of<Real> lever(Vec3Of<Real> at, Vec3Of<Real> direction) const {
    return talus::scale(scale, cross(at, direction));
  }
  /// What a unit impulse along one lever changes of the speed along the other, by turning.
  TALUS_INLINE Real give(Vec3Of<Real> lever1, Vec3Of<Real> lever2) const { return turns * dot(lever1, lever2); }
};

constexpr float kMostLineTurn = 0.2f;  // [rad] what turns further than that lies on nothing for a step

/// [rad] By how much a body turns about the normal of a contact, in its own axes, until its mean position in a step:
/// the levers of two points where a round body lies are those that they have then. A capsule that rolls and turns has
/// most of its velocity along its axis, and rows with the axis of the start would lift one of its ends, by 7 mrad a
/// step at 50 and 1 rad/s. Within a sub-step a free body swings about its momentum, which stays, and not about its
/// velocity. w: of the body, in scaled axes; followed: such axes follow long bodies, and take their levers along.
template <class Real>
TALUS_INLINE Real turn_of_line(const PreparedBody<Real>& body, Vec3Of<Real> w, Vec3Of<Real> normal, Real dt, Real h,
                               bool followed) {
  const Vec3Of<Real> s = body.scale;
  const Real most = max_of(s.x, max_of(s.y, s.z)), least = min_of(s.x, min_of(s.y, s.z)), one(1.0f);
  const Real part = least / most * (least / most);  // of the largest moment of inertia that the least one is
  const Mask<Real> turns = body.inv_mass > Real(0.0f) && part > Real(followed ? 1.0f / kLongRatio : 0.0f);
  const Real turn = Real(0.5f) * (dt - h * (one - part)) * dot(scale(s, w), normal);
  return select(turns && abs_of(turn) < Real(kMostLineTurn), turn, Real(0.0f));
}

/// The lever of a point along the normal once it has made a small turn about it.
template <class Real>
TALUS_INLINE Vec3Of<Real> turned_lever(const PreparedBody<Real>& body, Real turn, Vec3Of<Real> normal,
                                       Vec3Of<Real> lever) {
  const Vec3Of<Real> s = body.scale, own{lever.x / s.x, lever.y / s.y, lever.z / s.z};
  return select<Real>(turn == Real(0.0f), lever, lever + turn * scale(s, cross(normal, own)));
}

constexpr float kNear = 0.02f;  // [1] of the size: points that are further apart bear no friction

/// [m] Size of the smaller of two bodies: the edge of a cube that is as easy to turn about the axis it turns about
/// best.
template <class Real>
TALUS_INLINE Real smaller_size(const PreparedBody<Real>& a, const PreparedBody<Real>& b) {
  const Real zero(0.0f), one(1.0f);
  const auto mass_by_inertia = [&](const PreparedBody<Real>& body) {
    const Real most = max_of(body.scale.x, max_of(body.scale.y, body.scale.z));
    const Mask<Real> moves = body.inv_mass > zero;
    return select(moves, body.turns * most * most / select(moves, body.rub, one), zero);
  };
  return square_root(Real(6.0f) / max_of(mass_by_inertia(a), mass_by_inertia(b)));
}

/// The tangent plane of two surfaces with a grain: its first axis, and the coefficients along both.
template <class Real>
struct GrainFrame {
  Vec3Of<Real> tangent;
  Real part;            // [1] of the coefficients of the grain; the rest is `friction`
  Mask<Real> opposed;   // the two grains point against each other
  Real fade_a, fade_b;  // [1] 0 where a grain leaves its surface, or there is none
  TALUS_INLINE Real between(Real of_grain, Real friction) const {
    return part * of_grain + (Real(1.0f) - part) * friction;
  }
};

/// Matchstick model (S1-117, S1-118): t halves the angle between the two grains, and the ellipse goes with that angle
/// from the coefficients of the grain, d = 1, to the circle of `friction`, d = 0, where they are at right angles. A
/// surface without grain follows the other one. Where a grain leaves its surface it fades.
/// grain_a, grain_b: world frame, unit or zero; t: the tangent where there is no grain.
template <class Real>
TALUS_INLINE GrainFrame<Real> matchstick_frame(Vec3Of<Real> normal, Vec3Of<Real> grain_a, Vec3Of<Real> grain_b,
                                               Vec3Of<Real> t) {
  constexpr float kFlat = 0.1f;  // [1] sine of the angle to the normal below which a grain fades: 6 degrees
  const Real zero(0.0f), one(1.0f), tiny(1e-6f);
  const Vec3Of<Real> in_a = grain_a - dot(normal, grain_a) * normal, in_b = grain_b - dot(normal, grain_b) * normal;
  const Real size_a = length(in_a), size_b = length(in_b);
  const Mask<Real> has_a = size_a > tiny, has_b = size_b > tiny;
  const Vec3Of<Real> unit_a = (one / max_of(size_a, tiny)) * in_a, unit_b = (one / max_of(size_b, tiny)) * in_b;
  const Vec3Of<Real> s_a = select<Real>(has_a, unit_a, unit_b), own_b = select<Real>(has_b, unit_b, unit_a);
  const Mask<Real> opposed = dot(s_a, own_b) < zero;
  const Vec3Of<Real> s_b = select<Real>(opposed, -own_b, own_b), sum = s_a + s_b;
  const Real angle = arc_tangent(length(cross(s_a, s_b)), dot(s_a, s_b));
  const Real depth_a = select(has_a, min_of(size_a / Real(kFlat), one), one);
  const Real depth_b = select(has_b, min_of(size_b / Real(kFlat), one), one);
  const Mask<Real> some = has_a || has_b;
  const Real d = select(some, (one - angle * Real(2.0f / kPi)) * depth_a * depth_b, zero);
  return {select<Real>(some, (one / max_of(length(sum), tiny)) * sum, t), d, opposed, select(has_a, depth_a, zero),
          select(has_b, depth_b, zero)};
}

/// A friction tensor in the tangent plane: xx, yy and xy along t and normal x t. grain: world frame; side: 1 if the
/// normal leaves the surface, -1 if it enters it. Where the grain leaves the surface the tensor fades to 1.
template <class Real>
TALUS_INLINE Vec3Of<Real> tensor_in_plane(Vec3Of<Real> tensor, Vec3Of<Real> grain, Real fade, Real side,
                                          Vec3Of<Real> normal, Vec3Of<Real> t) {
  const Real one(1.0f), x = dot(grain, t), y = dot(grain, cross(normal, t));
  const Real unit = one / max_of(square_root(x * x + y * y), Real(1e-6f)), c = unit * x, s = unit * y;
  const Real q11 = tensor.x, q22 = tensor.y, q12 = side * tensor.z, twice = Real(2.0f) * c * s * q12;
  return {fade * (c * c * q11 - twice + s * s * q22) + (one - fade),
          fade * (s * s * q11 + twice + c * c * q22) + (one - fade),
          fade * (c * s * (q11 - q22) + (c * c - s * s) * q12)};
}

/// Principal axes of a symmetric matrix in the plane of t and normal x t: the longer first.
template <class Real>
struct PlaneAxes {
  Vec3Of<Real> first;
  Real longer, shorter;
};
template <class Real>
TALUS_INLINE PlaneAxes<Real> plane_axes(Vec3Of<Real> matrix, Vec3Of<Real> normal, Vec3Of<Real> t) {
  const Real half(0.5f), zero(0.0f), mean = half * (matrix.x + matrix.y), d = half * (matrix.x - matrix.y),
                                     o = matrix.z;
  const Real r = square_root(d * d + o * o);
  const Real x = select(d < zero, o, r + d), y = select(d < zero, r - d, o);
  const Real size = square_root(x * x + y * y);
  const Mask<Real> round = !(size > Real(1e-6f) * mean);
  const Real unit = Real(1.0f) / max_of(size, Real(1e-30f));
  return {select<Real>(round, t, (unit * x) * t + (unit * y) * cross(normal, t)), mean + r, max_of(mean - r, zero)};
}

/// One lane is a contact, or padding at the end of a color. All lanes of a pack have the same color.
/// kSurfaces: with SurfaceRows.
template <bool kSurfaces>
struct PrepareContacts {
  // model
  BodyModel model;
  // scratch in
  PairList pairs;
  ContactRecords contacts;
  SolveRowScratch bodies;
  Column<Index> contact_pair;
  Column<std::uint32_t> sort_contact;
  Counters* counters;
  const StepParams* params;
  Index null_body;
  bool restitution;  // some body bounces
  bool carriers;     // some body is kinematic
  bool squeeze;      // some body may have more inertia along normals than along tangents: see squeeze.h
  // with kSurfaces
  MaterialTable materials;
  ContactCache last;     // rolling
  SurfaceRows surfaces;  // out
  // out: points that no lane of a pack has are left as they were
  SolverRows rows;

  /// Whose contact a lane is, for the lanes of a pack. Padding lanes copy the last contact of their color and are
  /// cleared when they are stored.
  template <int kWidth>
  struct Sources {
    std::uint32_t pair[kWidth], a[kWidth], b[kWidth];
    float there[kWidth], share_a[kWidth], share_b[kWidth], friction[kWidth], restitution[kWidth];
    float curvature[kWidth];  // [1/m] sum of the two surfaces' where they are round; 0: both are flat or sharp
    float both_round[kWidth];
    bool split;  // contacts of the overflow color
  };
  /// More of it, with kSurfaces.
  template <int kWidth>
  struct SurfaceSources {
    float along[kWidth], against[kWidth], along_a[kWidth], along_b[kWidth], across[kWidth];
    float tensor[kWidth], tensor_a[3][kWidth], tensor_b[3][kWidth];
    float sliding[kWidth], torsion[kWidth], rolling[kWidth], hertz[kWidth];
    float grain_a[3][kWidth], grain_b[3][kWidth], rolled[3][kWidth];
  };

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Real zero(0.0f), one(1.0f);
    const Place place = place_of(lane);
    if (!any_together(place.index < place.size)) {  // padding and nothing else
      for (const int field : {int(row::body_a), int(row::body_b), int(row::pair)}) {
        std::uint32_t* to = rows.at(field, lane);
        for (int i = 0; i < kWidth; ++i) to[i] = field == int(row::pair) ? 0u : std::uint32_t(null_body);
      }
      store(rows, row::count, lane, zero);
      return;
    }
    Sources<kWidth> from;
    find_sources(place, from);
    [[maybe_unused]] SurfaceSources<kWidth> surface_from;
    if constexpr (kSurfaces) find_surfaces(from, surface_from);
    const Mask<Real> there = load_lanes(from.there, Real{}) > zero;
    Real header[8], carried[8];
    gather_unit_together(contacts, from.pair, kHeaderUnit, header);
    gather_unit_together(contacts, from.pair, kImpulseUnit, carried);
    const PreparedBody<Real> a = body_of<Real>(from.a, from.share_a), b = body_of<Real>(from.b, from.share_b);
    const Vec3Of<Real> normal{header[0], header[1], header[2]};
    const Real count = select(there, header[3], zero), mass = a.inv_mass + b.inv_mass;
    const Vec3Of<Real> normal_a = a.own(normal), normal_b = b.own(normal);
    const Real warm(params->warm_start);
    const auto put = [&](int field, Real value) { store(rows, field, lane, select(there, value, zero)); };
    const auto put_vector = [&](int field, Vec3Of<Real> value) {
      put(field, value.x);
      put(field + 1, value.y);
      put(field + 2, value.z);
    };

    const Real size = smaller_size(a, b), per_near = one / (Real(kNear) * size);
    put(row::size, size);
    Vec3Of<Real> center_a{zero, zero, zero}, center_b = center_a, local_a[kMaxPoints];
    Real depth = zero;  // [m] of the first point
    Real weights = zero, points_give = zero;
    for (int i = 0; i < kMaxPoints && any_together(Real(float(i)) < count); ++i) {
      const Mask<Real> has = Real(float(i)) < count;
      Real point[8];
      gather_unit_together(contacts, from.pair, kPointUnit + i, point);
      const Real separation = point[0];
      local_a[i] = a.own({point[1], point[2], point[3]});
      const Vec3Of<Real> local_b = b.own({point[4], point[5], point[6]});
      const Vec3Of<Real> lever_a = a.lever(local_a[i], normal_a), lever_b = b.lever(local_b, normal_b);
      const Real k = mass + a.give(lever_a, lever_a) + b.give(lever_b, lever_b);
      const auto put_point = [&](int field, Real value) {
        store(rows, row::at(i, field), lane, select(has, value, zero));
      };
      put_point(row::lever_a, lever_a.x);
      put_point(row::lever_a + 1, lever_a.y);
      put_point(row::lever_a + 2, lever_a.z);
      put_point(row::lever_b, lever_b.x);
      put_point(row::lever_b + 1, lever_b.y);
      put_point(row::lever_b + 2, lever_b.z);
      put_point(row::separation, separation);
      put_point(row::mass, one / k);
      if (restitution) {
        const Real approach = approach_speed<Real>(from, normal, lever_a, lever_b);
        put_point(row::approach, approach);
        put_point(row::peak, zero);
      }
      put_point(row::impulse, warm * carried[4 + i]);
      store(rows, row::at(i, row::impact), lane, zero);
      if (i == 0) depth = max_of(-separation, zero);
      // Friction acts where the surfaces touch: points that are still apart count less.
      const Real near = one - max_of(separation, zero) * per_near;
      // Two points have limits of their own, by their loads.
      const Real weight = select(has, select(count == Real(2.0f), one, max_of(Real(1e-3f), near)), zero);
      center_a = center_a + weight * select<Real>(has, local_a[i], center_a);
      center_b = center_b + weight * select<Real>(has, local_b, center_b);
      weights = weights + weight;
      points_give = points_give + select(has, k, zero);
    }
    const Mask<Real> two = count == Real(2.0f), round_line = two && load_lanes(from.curvature, Real{}) > zero;
    if (any_together(round_line)) turn_lines(lane, from, round_line, a, b, normal_a, normal_b);
    const Real share = one / weights;
    const Vec3Of<Real> at_a = share * center_a, at_b = share * center_b;
    // Read again, not kept: in the loop above registers are short.
    Vec3Of<Real> middle_a{zero, zero, zero}, middle_b = middle_a;
    Real arm = zero, middle_separation = zero, deepest = zero;
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      middle_a = middle_a + load_vector<Real>(rows, row::at(i, row::lever_a), lane);
      middle_b = middle_b + load_vector<Real>(rows, row::at(i, row::lever_b), lane);
      const Real separation = load<Real>(rows, row::at(i, row::separation), lane);
      middle_separation = middle_separation + separation;
      deepest = min_of(deepest, separation);
      arm = arm + select(Real(float(i)) < count, length(local_a[i] - at_a), zero);
    }
    Real load_time(params->load_time);
    if constexpr (kSurfaces) {
      const Real hertz = load_lanes(surface_from.hertz, Real{});
      load_time = select(hertz > zero, load_time_of(contact_softness(*params, hertz, one < zero)), load_time);
    }
    const Real even_give = points_give / count;
    put(row::points_give, even_give);
    put(row::load_depth, load_time * even_give);
    NoteDeep<SoftRowFields>{rows, model.shape, model.shape_size, params, counters}.note(lane, deepest, count, from.a,
                                                                                        from.b);

    store_words(row::body_a, lane, from.there, from.a, std::uint32_t(null_body));
    store_words(row::body_b, lane, from.there, from.b, std::uint32_t(null_body));
    store_words(row::pair, lane, from.there, from.pair, 0u);
    put(row::count, count);
    put_vector(row::normal, normal);
    const Real even = one / count;
    middle_a = even * middle_a;
    middle_b = even * middle_b;
    put_vector(row::middle_a, middle_a);
    put_vector(row::middle_b, middle_b);
    put(row::middle_separation, even * middle_separation);
    const Real middle_turns = a.give(middle_a, middle_a) + b.give(middle_b, middle_b);
    put(row::middle_give, mass + middle_turns);
    Real slim = zero;
    if (any_of(count == Real(4.0f))) {
      const auto lever = [&](int field) {
        return [&, field](int i) { return load_vector<Real>(rows, row::at(i, field), lane); };
      };
      const auto give = [](const PreparedBody<Real>& body) {
        return [&body](Vec3Of<Real> along) { return body.give(along, along); };
      };
      const Mask<Real> is_slim = has_slow_tilt(count, points_give, mass, middle_turns, lever(row::lever_a),
                                               lever(row::lever_b), give(a), give(b));
      slim = select(is_slim, one, zero);
    }
    put(row::slim, slim);
    const Real friction_of = load_lanes(from.friction, Real{});
    if constexpr (!kSurfaces) put(row::friction, friction_of);
    store(rows, row::load, lane, zero);
    put(row::restitution, load_lanes(from.restitution, Real{}));

    const Vec3Of<Real> tangent =
        any_of(two) ? line_tangent(two, a, local_a[0], local_a[1], normal) : tangent_of(normal);
    [[maybe_unused]] SurfaceFriction<Real> friction_by{tangent, friction_of, friction_of, friction_of};
    if constexpr (kSurfaces) surface_friction(surface_from, a, b, normal, friction_of, friction_by);
    const Vec3Of<Real> t1 = friction_by.tangent, t2 = cross(normal, t1);
    const Vec3Of<Real> t1_a = a.own(t1), t1_b = b.own(t1), t2_a = cross(normal_a, t1_a), t2_b = cross(normal_b, t1_b);
    const Vec3Of<Real> a1 = a.lever(at_a, t1_a), b1 = b.lever(at_b, t1_b);
    const Vec3Of<Real> a2 = a.lever(at_a, t2_a), b2 = b.lever(at_b, t2_b);
    if (carriers) {
      const Vec3Of<Real> change = chord_change(from, a, b, at_a, at_b, normal);
      put(row::carry, dot(change, t1));
      put(row::carry + 1, dot(change, t2));
    }
    const Real rub = a.rub + b.rub;
    const Real k11 = rub + a.give(a1, a1) + b.give(b1, b1);
    const Real k22 = rub + a.give(a2, a2) + b.give(b2, b2);
    const Real k12 = a.give(a1, a2) + b.give(b1, b2);
    const Real inverse = one / (k11 * k22 - k12 * k12);
    put_vector(row::tangent, t1);
    put_vector(row::friction_a1, a1);
    put_vector(row::friction_b1, b1);
    put_vector(row::friction_a2, a2);
    put_vector(row::friction_b2, b2);
    put_vector(row::friction_mass, {inverse * k22, inverse * k11, -inverse * k12});
    put(row::friction_rate, one / larger_eigenvalue(k11, k22, k12));
    const Vec3Of<Real> twist_a = scale(a.scale, normal_a), twist_b = scale(b.scale, normal_b);
    put_vector(row::twist_a, twist_a);
    put_vector(row::twist_b, twist_b);
    put(row::twist_mass, one / (a.give(twist_a, twist_a) + b.give(twist_b, twist_b)));
    // A single point of a round body stands for a circle: its radius is sqrt(depth / curvature) (Hertz). Without its
    // friction a ball that spins between two others would do so for ever.
    const Real curvature = load_lanes(from.curvature, Real{});
    Real circle = square_root(select(curvature > zero, depth / max_of(curvature, Real(1e-6f)), zero));
    if (any_together(count == one && circle > zero)) {
      circle = circle * part_at_rest<Real>(from, a, b, normal, circle * curvature);
    }
    const Real twist_arm = select(count > one, arm / count, Real(kPatchArm) * circle);
    put(row::twist_arm, twist_arm);
    Mask<Real> line = two && twist_arm > zero;
    if constexpr (kSurfaces) line = line && is_plain_line(surface_from, friction_by, tangent);
    put(row::line, select(line, one, zero));
    if (restitution || kSurfaces) {
      const ContactMotion<Real> motion = motion_of<Real>(from);
      if (restitution) {
        const ContactFrame<Real> frame{normal, t1, t2, middle_a, a1, a2, middle_b, b1, b2};
        put(row::energy, energy_of(motion, frame, a, b));
      }
      if constexpr (kSurfaces) {
        const Vec3Of<Real> dv = motion.v_b - motion.v_a;
        const Real slip1 = dot(t1, dv) + dot(b1, motion.w_b) - dot(a1, motion.w_a);
        const Real slip2 = dot(t2, dv) + dot(b2, motion.w_b) - dot(a2, motion.w_a);
        const Real spin = twist_arm * (dot(twist_b, motion.w_b) - dot(twist_a, motion.w_a));
        // Decided once a step, by the slip that it starts with. No chatter: just above the threshold a contact that
        // holds less lets bodies get faster, just below it one that holds more lets them get slower (S0-16).
        const Real threshold(params->slip_threshold);
        const Mask<Real> slides = slip1 * slip1 + slip2 * slip2 + spin * spin > threshold * threshold;
        const Real left = select(slides, load_lanes(surface_from.sliding, Real{}), one);
        friction_by.forward = left * friction_by.forward;
        friction_by.backward = left * friction_by.backward;
        friction_by.across = left * friction_by.across;
        put(row::friction,
            Real(0.25f) * (friction_by.forward + friction_by.backward) + Real(0.5f) * friction_by.across);
        put_surface(lane, there, surface_from, friction_by);
        put_rolling(lane, there, surface_from, t1, t2, a, b, warm);
        put_softness(lane, there, load_lanes(surface_from.hertz, Real{}),
                     !(a.inv_mass > zero && b.inv_mass > zero) && Real(from.split ? 0.0f : 1.0f) > zero);
      }
    }
    const Vec3Of<Real> friction{carried[0], carried[1], carried[2]};
    put(row::friction_impulse, warm * dot(friction, t1));
    put(row::friction_impulse + 1, warm * dot(friction, t2));
    put(row::twist_impulse, warm * carried[3]);
  }

  /// Of both bodies, for the lanes that it is for: see turn_of_line.
  template <class Real, int kWidth>
  TALUS_INLINE void find_turns(const Sources<kWidth>& from, Mask<Real> round_line, bool followed,
                               const PreparedBody<Real>& a, const PreparedBody<Real>& b, Vec3Of<Real> normal_a,
                               Vec3Of<Real> normal_b, Real& turn_a, Real& turn_b) const {
    const Real zero(0.0f), dt(params->dt), h(params->h);
    const ContactMotion<Real> motion = motion_of<Real>(from);
    turn_a = select(round_line, turn_of_line(a, motion.w_a, normal_a, dt, h, followed), zero);
    turn_b = select(round_line, turn_of_line(b, motion.w_b, normal_b, dt, h, followed), zero);
  }
  /// The levers of both points, in the rows.
  template <class Real, int kWidth>
  TALUS_INLINE void turn_lines(Index lane, const Sources<kWidth>& from, Mask<Real> round_line,
                               const PreparedBody<Real>& a, const PreparedBody<Real>& b, Vec3Of<Real> normal_a,
                               Vec3Of<Real> normal_b) const {
    Real turn_a, turn_b;
    find_turns(from, round_line, true, a, b, normal_a, normal_b, turn_a, turn_b);
    for (int i = 0; i < 2; ++i) {
      turn_lever(row::at(i, row::lever_a), lane, a, turn_a, normal_a);
      turn_lever(row::at(i, row::lever_b), lane, b, turn_b, normal_b);
    }
  }
  template <class Real>
  TALUS_INLINE void turn_lever(int field, Index lane, const PreparedBody<Real>& body, Real turn,
                               Vec3Of<Real> normal) const {
    const Vec3Of<Real> lever = turned_lever(body, turn, normal, load_vector<Real>(rows, field, lane));
    store(rows, field, lane, lever.x);
    store(rows, field + 1, lane, lever.y);
    store(rows, field + 2, lane, lever.z);
  }

  /// [1] Of the friction of a circle against a twist. Round bodies that turn against each other spin about the normal
  /// and roll about the tangents. A circle that stays where it is resists; one that rolls on faster than its rim spins
  /// has left its ground before it has twisted it. So a ball in a groove, which spins on both sides as it rolls, goes
  /// on: these circles are those of soft contacts, and larger than any of a real ball. Between two round bodies that
  /// both move it is rolling faster than spinning that counts: balls in a heap are slowed. flat: [1] of the radius of
  /// the body that the circle's is.
  template <class Real, int kWidth>
  TALUS_INLINE Real part_at_rest(const Sources<kWidth>& from, const PreparedBody<Real>& a, const PreparedBody<Real>& b,
                                 Vec3Of<Real> normal, Real flat) const {
    const ContactMotion<Real> motion = motion_of<Real>(from);
    const Vec3Of<Real> turn = b.world(scale(b.scale, motion.w_b)) - a.world(scale(a.scale, motion.w_a));
    const Real zero(0.0f), spin = dot(turn, normal);
    const Mask<Real> both_move = a.inv_mass > zero && b.inv_mass > zero;
    const Real rim = select(both_move && load_lanes(from.both_round, Real{}) > zero, Real(1.0f), flat) * abs_of(spin);
    return max_of(rim - length(turn - spin * normal), zero) / max_of(rim, Real(1e-20f));
  }

  /// Velocities of the two bodies, angular ones in scaled axes.
  template <class Real>
  struct ContactMotion {
    Vec3Of<Real> v_a, w_a, v_b, w_b;
  };
  /// When the step begins.
  template <class Real, int kWidth>
  TALUS_INLINE ContactMotion<Real> motion_of(const Sources<kWidth>& from) const {
    Real a[8], b[8];
    gather_together(&bodies.velocity.data->linear.x, from.a, a);
    gather_together(&bodies.velocity.data->linear.x, from.b, b);
    return {{a[0], a[1], a[2]}, {a[4], a[5], a[6]}, {b[0], b[1], b[2]}, {b[4], b[5], b[6]}};
  }

  template <class Real, int kWidth>
  TALUS_INLINE static Vec3Of<Real> vector_of(const float (&lanes)[3][kWidth]) {
    return {load_lanes(lanes[0], Real{}), load_lanes(lanes[1], Real{}), load_lanes(lanes[2], Real{})};
  }

  template <int kWidth>
  TALUS_INLINE static void put_lane(float (&lanes)[3][kWidth], int i, Vec3 v) {
    lanes[0][i] = v.x;
    lanes[1][i] = v.y;
    lanes[2][i] = v.z;
  }
  template <class Real>
  TALUS_INLINE static Real energy_of(const ContactMotion<Real>& m, const ContactFrame<Real>& frame,
                                     const PreparedBody<Real>& a, const PreparedBody<Real>& b) {
    return pair_energy(frame, m.v_a, m.w_a, m.v_b, m.w_b, a.inv_mass, a.turns, b.inv_mass, b.turns);
  }

  /// The tangent plane of two surfaces: its first axis, and the coefficients along both.
  template <class Real>
  struct SurfaceFriction {
    Vec3Of<Real> tangent;
    Real forward, backward, across;  // as in SurfaceRows
  };
  template <class Real, int kWidth>
  TALUS_INLINE void surface_friction(const SurfaceSources<kWidth>& from, const PreparedBody<Real>& a,
                                     const PreparedBody<Real>& b, Vec3Of<Real> normal, Real friction,
                                     SurfaceFriction<Real>& to) const {
    const Vec3Of<Real> grain_a = a.world(vector_of<Real>(from.grain_a)),
                       grain_b = b.world(vector_of<Real>(from.grain_b));
    const GrainFrame<Real> grain = matchstick_frame(normal, grain_a, grain_b, to.tangent);
    const Real along = load_lanes(from.along, Real{}), against = load_lanes(from.against, Real{});
    const Real along_a = load_lanes(from.along_a, Real{}), along_b = load_lanes(from.along_b, Real{});
    // The tangent goes along the grain of A. What slides over A along it, B, has A slide over itself the other way.
    to.tangent = grain.tangent;
    to.forward = grain.between(select(grain.opposed, along, along_a), friction);
    to.backward = grain.between(select(grain.opposed, against, along_b), friction);
    to.across = grain.between(load_lanes(from.across, Real{}), friction);
    const Mask<Real> tensor = load_lanes(from.tensor, Real{}) > Real(0.0f);
    if (!any_of(tensor)) return;
    const Real one(1.0f), half = Real(0.5f) * friction;
    const Vec3Of<Real> of_a =
        tensor_in_plane(vector_of<Real>(from.tensor_a), grain_a, grain.fade_a, one, normal, grain.tangent);
    const Vec3Of<Real> of_b =
        tensor_in_plane(vector_of<Real>(from.tensor_b), grain_b, grain.fade_b, -one, normal, grain.tangent);
    const PlaneAxes<Real> axes = plane_axes(half * (of_a + of_b), normal, grain.tangent);
    to.tangent = select<Real>(tensor, axes.first, to.tangent);
    to.forward = select(tensor, axes.longer, to.forward);
    to.backward = select(tensor, axes.longer, to.backward);
    to.across = select(tensor, axes.shorter, to.across);
  }

  template <int kWidth>
  TALUS_INLINE void find_surfaces(Sources<kWidth>& from, SurfaceSources<kWidth>& to) const {
    for (int i = 0; i < kWidth; ++i) {
      const Index a = Index(from.a[i]), b = Index(from.b[i]);
      const std::uint32_t number_a = model.flags[a] >> kMaterialShift, number_b = model.flags[b] >> kMaterialShift;
      const SurfaceRecord surface_a =
          surface_of(materials, number_a, model.friction[a], model.restitution[a], model.combine[a]);
      const SurfaceRecord surface_b =
          surface_of(materials, number_b, model.friction[b], model.restitution[b], model.combine[b]);
      const ContactSurface c = contact_surface(surface_a, surface_b, find_material_pair(materials, number_a, number_b));
      from.friction[i] = c.friction;
      from.restitution[i] = c.restitution;
      to.along[i] = c.along;
      to.against[i] = c.against;
      to.along_a[i] = c.along_a;
      to.along_b[i] = c.along_b;
      to.across[i] = c.across;
      to.tensor[i] = surface_a.has_tensor != 0 || surface_b.has_tensor != 0 ? 1.0f : 0.0f;
      put_lane(to.tensor_a, i, {surface_a.tensor.along, surface_a.tensor.across, surface_a.tensor.shear});
      put_lane(to.tensor_b, i, {surface_b.tensor.along, surface_b.tensor.across, surface_b.tensor.shear});
      to.sliding[i] = c.sliding;
      to.torsion[i] = c.torsion;
      to.rolling[i] = c.rolling;
      to.hertz[i] = c.hertz;
      put_lane(to.grain_a, i, surface_a.grain);
      put_lane(to.grain_b, i, surface_b.grain);
      const Index row = c.rolling > 0.0f ? find_last_row(last, counters->cached_rows, a, b) : -1;
      put_lane(to.rolled, i, row >= 0 ? last.rolling[row].impulse : Vec3{0.0f, 0.0f, 0.0f});
    }
  }

  template <class Real, int kWidth>
  TALUS_INLINE void put_surface(Index lane, Mask<Real> there, const SurfaceSources<kWidth>& from,
                                const SurfaceFriction<Real>& friction) const {
    const Real zero(0.0f);
    const auto put = [&](int field, Real value) { store(surfaces, field, lane, select(there, value, zero)); };
    put(surface::forward, friction.forward);
    put(surface::backward, friction.backward);
    put(surface::across, friction.across);
    put(surface::tensor, load_lanes(from.tensor, Real{}));
    put(surface::torsion, load_lanes(from.torsion, Real{}));
    put(surface::rolling, load_lanes(from.rolling, Real{}));
    for (int i = 0; i < kMaxPoints; ++i) put(surface::compression + i, zero);
  }

  template <class Real>
  TALUS_INLINE void put_softness(Index lane, Mask<Real> there, Real hertz, Mask<Real> on_ground) const {
    const Real zero(0.0f);
    const Mask<Real> own = there && hertz > zero;
    const LaneSoftness<Real> soft = contact_softness(*params, hertz, on_ground);
    store(surfaces, surface::softness, lane, select(own, soft.bias_rate, zero));
    store(surfaces, surface::softness + 1, lane, select(own, soft.mass_scale, zero));
    store(surfaces, surface::softness + 2, lane, select(own, soft.impulse_scale, zero));
  }

  /// Rows against rolling: the two tangents, as turning alone feels them (S1-16).
  template <class Real, int kWidth>
  TALUS_INLINE void put_rolling(Index lane, Mask<Real> there, const SurfaceSources<kWidth>& from, Vec3Of<Real> t1,
                                Vec3Of<Real> t2, const PreparedBody<Real>& a, const PreparedBody<Real>& b,
                                Real warm) const {
    const Real zero(0.0f), one(1.0f);
    const auto put = [&](int field, Real value) { store(surfaces, field, lane, select(there, value, zero)); };
    const auto put_vector = [&](int field, Vec3Of<Real> value) {
      put(field, value.x);
      put(field + 1, value.y);
      put(field + 2, value.z);
    };
    const Vec3Of<Real> a1 = scale(a.scale, a.own(t1)), a2 = scale(a.scale, a.own(t2));
    const Vec3Of<Real> b1 = scale(b.scale, b.own(t1)), b2 = scale(b.scale, b.own(t2));
    const Real k11 = a.give(a1, a1) + b.give(b1, b1), k22 = a.give(a2, a2) + b.give(b2, b2);
    const Real k12 = a.give(a1, a2) + b.give(b1, b2), inverse = one / (k11 * k22 - k12 * k12);
    put_vector(surface::roll_a1, a1);
    put_vector(surface::roll_b1, b1);
    put_vector(surface::roll_a2, a2);
    put_vector(surface::roll_b2, b2);
    put_vector(surface::roll_mass, {inverse * k22, inverse * k11, -inverse * k12});
    put(surface::roll_rate, one / larger_eigenvalue(k11, k22, k12));
    const Vec3Of<Real> rolled = vector_of<Real>(from.rolled);
    put(surface::roll_impulse, warm * dot(rolled, t1));
    put(surface::roll_impulse + 1, warm * dot(rolled, t2));
  }

  TALUS_INLINE float curvature(Index body) const {
    const float radius = round_radius(body);
    return radius > 0.0f ? 1.0f / radius : 0.0f;
  }

  /// Words of a field, for the lanes that are there.
  template <int kWidth>
  TALUS_INLINE void store_words(int field, Index lane, const float (&there)[kWidth],
                                const std::uint32_t (&words)[kWidth], std::uint32_t otherwise) const {
    std::uint32_t* to = rows.at(field, lane);
    for (int i = 0; i < kWidth; ++i) to[i] = there[i] > 0.0f ? words[i] : otherwise;
  }

  /// Where the first lane of a pack is among the contacts.
  struct Place {
    int color;
    Index before;  // contacts of earlier colors
    Index index;   // within the color; from `size` on it is padding
    Index size;    // contacts of the color
  };
  TALUS_INLINE Place place_of(Index lane) const {
    int color = 0;
    Index before = 0;
    while (lane >= counters->color_begin[color + 1]) before += counters->color_size[color++];
    return {color, before, lane - counters->color_begin[color], counters->color_size[color]};
  }

  template <int kWidth>
  TALUS_INLINE void find_sources(const Place& place, Sources<kWidth>& from) const {
    const int color = place.color;
    from.split = color == kOverflowColor;
    for (int i = 0; i < kWidth; ++i) {
      const Index contact = min_of(place.index + i, place.size - 1);
      const Index pair = contact_pair[Index(sort_contact[place.before + contact])];
      const Index a = pairs.owner[pair], b = pairs.partner[pair];
      from.pair[i] = std::uint32_t(pair);
      from.a[i] = std::uint32_t(a);
      from.b[i] = std::uint32_t(b);
      from.there[i] = place.index + i < place.size ? 1.0f : 0.0f;
      // A body in n overflow contacts lends each of them 1/n of its mass (methods: parallel engine, 3.4).
      from.share_a[i] = color == kOverflowColor ? float(bodies.split_count[a]) : 1.0f;
      from.share_b[i] = color == kOverflowColor ? float(bodies.split_count[b]) : 1.0f;
      const float curvature_a = curvature(a), curvature_b = curvature(b);
      from.curvature[i] = curvature_a + curvature_b;
      from.both_round[i] = curvature_a * curvature_b;
      const std::uint8_t rules_a = model.combine[a], rules_b = model.combine[b];
      from.friction[i] = combine(friction_rule(rules_a), friction_rule(rules_b), model.friction[a], model.friction[b]);
      from.restitution[i] = !restitution ? 0.0f
                                         : combine(restitution_rule(rules_a), restitution_rule(rules_b),
                                                   model.restitution[a], model.restitution[b]);
    }
  }

  /// From the first of two points to the second, in the tangent plane; that of tangent_of where there are no two.
  template <class Real>
  TALUS_INLINE Vec3Of<Real> line_tangent(Mask<Real> two, const PreparedBody<Real>& a, Vec3Of<Real> first,
                                         Vec3Of<Real> second, Vec3Of<Real> normal) const {
    const Vec3Of<Real> across = cross(normal, a.world(second - first));
    const Real size = length(across), zero(0.0f), one(1.0f);
    const Mask<Real> far = two && size > zero;
    return select<Real>(far, cross((one / select(far, size, one)) * across, normal), tangent_of(normal));
  }
  /// Whether both points have the same friction in all directions, and nothing else.
  template <class Real, int kWidth>
  TALUS_INLINE Mask<Real> is_plain_line(const SurfaceSources<kWidth>& from, const SurfaceFriction<Real>& by,
                                        Vec3Of<Real> tangent) const {
    const bool circle = params->polygon.sides == 0 && params->box_friction == 0;
    const Mask<Real> same = by.forward == by.backward && by.forward == by.across && by.tangent.x == tangent.x &&
                            by.tangent.y == tangent.y && by.tangent.z == tangent.z;
    return same && load_lanes(from.tensor, Real{}) == Real(circle ? 0.0f : 2.0f) &&
           load_lanes(from.torsion, Real{}) == Real(0.0f);
  }

  /// Whether one of two bodies is kinematic and turns.
  template <class Real>
  TALUS_INLINE static Mask<Real> turns_other(const ContactMotion<Real>& m, const PreparedBody<Real>& a,
                                             const PreparedBody<Real>& b) {
    const Real zero(0.0f);
    return (!(a.inv_mass > zero) && dot(m.w_a, m.w_a) > zero) || (!(b.inv_mass > zero) && dot(m.w_b, m.w_b) > zero);
  }

  /// [m/s] By how much the mean velocity of a kinematic body's surface at a contact, over the step, differs from the
  /// one now, as that of B against A. A body that turns takes its points along arcs, and what it carries goes straight
  /// through a step: it has to go along the chord, or it would drift outward. What rolls or slides over it meets other
  /// places, with other velocities: a ball on a turntable would spiral inward if it was taken for carried. at_a, at_b:
  /// the contact, in own axes.
  template <class Real, int kWidth>
  TALUS_INLINE Vec3Of<Real> chord_change(const Sources<kWidth>& from, const PreparedBody<Real>& a,
                                         const PreparedBody<Real>& b, Vec3Of<Real> at_a, Vec3Of<Real> at_b,
                                         Vec3Of<Real> normal) const {
    const Real zero(0.0f), one(1.0f), half(0.5f), dt(params->dt);
    const ContactMotion<Real> m = motion_of<Real>(from);
    const Mask<Real> turns = turns_other(m, a, b);
    if (!any_together(turns)) return {zero, zero, zero};
    // The carrier, the other one, and the normal that leads from the first to the second.
    const Mask<Real> by_a = !(a.inv_mass > zero);
    const Vec3Of<Real> w_a = a.world(scale(a.scale, m.w_a)), w_b = b.world(scale(b.scale, m.w_b));
    const Vec3Of<Real> on_a = a.world(at_a), on_b = b.world(at_b);
    const Vec3Of<Real> w = select<Real>(by_a, w_a, w_b), at = select<Real>(by_a, on_a, on_b);
    const Vec3Of<Real> n = select<Real>(by_a, normal, -normal), speed = cross(w, at);
    const Vec3Of<Real> along = over_carrier(from, m, by_a, w_a, w_b, on_a, on_b, n) - speed;
    const Vec3Of<Real> over = along - dot(along, n) * n;
    const Real angle = dt * dt * dot(w, w), u = min_of(angle, one);  // [rad^2] of the turn; beyond 1 it is a guess
    // sin(x) / x - 1 and (1 - cos(x)) / x^2
    const Real shorter = u * (Real(-1.0f / 6.0f) + u * Real(1.0f / 120.0f));
    const Real inward = half + u * (Real(-1.0f / 24.0f) + u * Real(1.0f / 720.0f));
    const Vec3Of<Real> carried = shorter * speed + (inward * dt) * cross(w, speed);
    // The body's velocity is one of the step before: what is carried lags behind by up to the turn.
    const Mask<Real> stays = dot(over, over) <= u * dot(speed, speed);
    const Vec3Of<Real> change = select<Real>(stays, carried, (half * dt) * cross(w, speed + over));
    const Vec3Of<Real> none{zero, zero, zero};
    return select<Real>(turns, select<Real>(by_a, -change, change), none);
  }
  /// [m/s] How the place of a contact moves, against the carrier's centre. A rounded surface touches above or below a
  /// place in it that goes with the body, on the side where the normal points; the normal goes with the body that is
  /// flat there, or with the line between two such places. Between two flat ones the contact goes with the smaller.
  template <class Real, int kWidth>
  TALUS_INLINE Vec3Of<Real> over_carrier(const Sources<kWidth>& from, const ContactMotion<Real>& m, Mask<Real> by_a,
                                         Vec3Of<Real> w_a, Vec3Of<Real> w_b, Vec3Of<Real> on_a, Vec3Of<Real> on_b,
                                         Vec3Of<Real> n) const {
    const Real zero(0.0f), one(1.0f);
    float rounds[2][kWidth], smaller_as[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      const Index a = Index(from.a[i]), b = Index(from.b[i]);
      rounds[0][i] = round_radius(a);
      rounds[1][i] = round_radius(b);
      const float size_a = model.radius[a], size_b = model.radius[b];  // 0: a plane
      smaller_as[i] = size_a > 0.0f && (size_a < size_b || !(size_b > 0.0f)) ? 1.0f : 0.0f;
    }
    const Real round_a = load_lanes(rounds[0], Real{}), round_b = load_lanes(rounds[1], Real{});
    const Real round = select(by_a, round_a, round_b), round_of_other = select(by_a, round_b, round_a);
    const Vec3Of<Real> w = select<Real>(by_a, w_a, w_b), w_of_other = select<Real>(by_a, w_b, w_a);
    const Vec3Of<Real> inside = select<Real>(by_a, on_a, on_b) - round * n;
    const Vec3Of<Real> inside_other = select<Real>(by_a, on_b, on_a) + round_of_other * n;
    const Vec3Of<Real> v = m.v_b - m.v_a, past = select<Real>(by_a, v, -v);
    const Vec3Of<Real> through = cross(w, inside), through_other = past + cross(w_of_other, inside_other);
    const Real apart = round + round_of_other;
    const Mask<Real> rounded = round > zero, other_rounded = round_of_other > zero;
    const Vec3Of<Real> line = (one / max_of(apart, Real(1e-30f))) * (through_other - through);
    const Vec3Of<Real> flat = cross(select<Real>(rounded, w_of_other, w), n);
    const Vec3Of<Real> turn = select<Real>(rounded && other_rounded, line, flat);  // [1/s] of the normal
    const Mask<Real> smaller_a = load_lanes(smaller_as, Real{}) > zero;
    const Mask<Real> is_smaller = (by_a && smaller_a) || (!by_a && !smaller_a);
    const Mask<Real> with_carrier = (rounded || is_smaller) && !other_rounded;
    return select<Real>(with_carrier, through + round * turn, through_other - round_of_other * turn);
  }
  TALUS_INLINE float round_radius(Index body) const {
    return is_round(ShapeType(model.shape[body])) ? model.shape_size.x[body] : 0.0f;
  }

  /// The lever of friction along a direction, which gives the body's speed there and this much more. It serves nothing
  /// else where the body is not pushed.
  template <class Real>
  TALUS_INLINE Vec3Of<Real> chord_lever(const std::uint32_t* body, Vec3Of<Real> change, Vec3Of<Real> direction,
                                        Vec3Of<Real> lever) const {
    Real now[8];
    gather_together(&bodies.velocity.data->linear.x, body, now);
    const Vec3Of<Real> w{now[4], now[5], now[6]};
    const Real square = dot(w, w), zero(0.0f);
    return lever + select(square > zero, dot(change, direction) / select(square > zero, square, Real(1.0f)), zero) * w;
  }

  template <class Real>
  TALUS_INLINE PreparedBody<Real> body_of(const std::uint32_t* body, const float* share) const {
    Real frame[8];
    gather_together(&bodies.frame.data->orientation.x, body, frame);
    const Real contacts_of = load_lanes(share, Real{}), zero(0.0f), inv_mass = contacts_of * frame[7];
    Real rub = inv_mass;
    if (squeeze) {
      Real now[8];
      gather_together(&bodies.velocity.data->linear.x, body, now);
      rub = inv_mass * (Real(1.0f) - now[7]);
    }
    return {{frame[0], frame[1], frame[2], frame[3]},
            {frame[4], frame[5], frame[6]},
            inv_mass,
            select(frame[7] > zero, contacts_of, zero),
            rub};
  }

  template <class Real, int kWidth>
  TALUS_INLINE Real approach_speed(const Sources<kWidth>& from, Vec3Of<Real> normal, Vec3Of<Real> lever_a,
                                   Vec3Of<Real> lever_b) const {
    Real a[8], b[8];
    gather_together(&bodies.velocity.data->linear.x, from.a, a);
    gather_together(&bodies.velocity.data->linear.x, from.b, b);
    return dot(normal, Vec3Of<Real>{b[0] - a[0], b[1] - a[1], b[2] - a[2]}) +
           dot(lever_b, Vec3Of<Real>{b[4], b[5], b[6]}) - dot(lever_a, Vec3Of<Real>{a[4], a[5], a[6]});
  }
};

}  // namespace talus::inline TALUS_ISA
