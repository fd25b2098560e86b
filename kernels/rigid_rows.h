// SPDX-License-Identifier: MIT
// Rows of the rigid contact solvers: from manifolds to a normal and two tangents at each point (S1-15, S2-01..03), and
// from their impulses back to the cache.
//
// The cache has one friction impulse a manifold: a force in the middle of the points and a twist about the normal. A
// step starts with each point's share of it, in proportion to the normal impulses: such shares have the same sum and
// the same moment about the normal.
#pragma once
#include "bounce.h"
#include "event_columns.h"
#include "lengths.h"
#include "prepare.h"
#include "rigid_columns.h"
#include "rigid_surfaces.h"
#include "solve.h"

namespace talus::inline TALUS_ISA {

constexpr float kLoadedGap =
    0.05f;  // [1] of the smaller body's radius: points that are further apart start without an
            // impulse. What an impact left there could wedge a ball in a corner, where friction
            // above 1 has more than one answer, and throw it back at a wall it has left

/// The levers of the rows of a point: normal, tangent, second tangent.
template <class Real>
struct PointLevers {
  Levers<Real> row[3];
};
template <class Real>
TALUS_INLINE PointLevers<Real> load_point_levers(const RigidRows& rows, int point, Index lane) {
  PointLevers<Real> levers;
  for (int r = 0; r < 3; ++r) {
    levers.row[r] = {load_vector<Real>(rows, rigid_row::at(point, rigid_row::lever_a) + 3 * r, lane),
                     load_vector<Real>(rows, rigid_row::at(point, rigid_row::lever_b) + 3 * r, lane)};
  }
  return levers;
}

/// One lane is a contact, or padding at the end of a color, as in PrepareContacts. kSurfaces: with RigidSurfaceRows.
template <bool kSurfaces>
struct PrepareRigid {
  using Contacts = PrepareContacts<kSurfaces>;
  Contacts from;      // its own rows are not used
  BodyState state;    // with kSurfaces
  BodyInputs inputs;  // with kSurfaces
  bool joints;        // there are some: MarkJointedBodies has been
  // out: points that no lane of a pack has are left as they were
  RigidRows rows;
  RigidSurfaceRows surfaces;  // with kSurfaces

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    constexpr int kWidth = LaneCount<Real>::value;
    typename Contacts::template Sources<kWidth> sources;
    from.find_sources(from.place_of(lane), sources);
    [[maybe_unused]] typename Contacts::template SurfaceSources<kWidth> surface_sources;
    if constexpr (kSurfaces) from.find_surfaces(sources, surface_sources);
    float whole[kWidth];
    for (float& share : whole) share = 1.0f;
    const Real zero(0.0f), one(1.0f);
    const Mask<Real> there = load_lanes(sources.there, Real{}) > zero;
    Real header[8], carried[8];
    gather_unit_together(from.contacts, sources.pair, kHeaderUnit, header);
    gather_unit_together(from.contacts, sources.pair, kImpulseUnit, carried);
    const PreparedBody<Real> a = from.template body_of<Real>(sources.a, whole),
                             b = from.template body_of<Real>(sources.b, whole);
    const Vec3Of<Real> normal{header[0], header[1], header[2]};
    const Real count = select(there, header[3], zero), coefficient = load_lanes(sources.friction, Real{});
    RigidFriction<Real> friction{coefficient, zero, coefficient, coefficient, coefficient, zero};
    Vec3Of<Real> t1 = tangent_of(normal);
    if constexpr (kSurfaces) {
      typename Contacts::template SurfaceFriction<Real> by{t1, coefficient, coefficient, coefficient};
      from.surface_friction(surface_sources, a, b, normal, coefficient, by);
      t1 = by.tangent;
      friction.forward = by.forward;
      friction.backward = by.backward;
      friction.across = by.across;
    }
    const Vec3Of<Real> t2 = cross(normal, t1), axes[3] = {normal, t1, t2};
    const Real bounce = load_lanes(sources.restitution, Real{});
    float radii[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      radii[i] = smaller_radius(from.model.radius[Index(sources.a[i])], from.model.radius[Index(sources.b[i])]);
    }
    const Real radius = load_lanes(radii, Real{});
    Real rate(from.params->rigid_push_rate), yields(from.params->rigid_softness);
    if constexpr (kSurfaces) {
      const Real hertz = load_lanes(surface_sources.hertz, Real{});
      const LaneSoftness<Real> soft = contact_softness(*from.params, hertz, one < zero);
      rate = select(hertz > zero, soft.bias_rate, rate);
      yields = select(hertz > zero, soft.impulse_scale / soft.mass_scale, yields);
    }
    const auto put = [&](int field, Real value) { store(rows, field, lane, select(there, value, zero)); };

    Real offset1[kMaxPoints], offset2[kMaxPoints], load_of[kMaxPoints], middle1 = zero, middle2 = zero;
    [[maybe_unused]] Real slip1 = zero, slip2 = zero;  // [m/s] sums over the points, when the step began
    [[maybe_unused]] typename Contacts::template ContactMotion<Real> motion{};
    if constexpr (kSurfaces) motion = from.template motion_of<Real>(sources);
    Real points_give = zero;
    // Points on a body that turns go along chords of their own, which a rigid body cannot follow: it goes along that of
    // their middle.
    Vec3Of<Real> change_a{zero, zero, zero}, change_b = change_a;
    if (from.carriers) {
      Vec3Of<Real> center_a = change_a, center_b = change_a;
      find_center(sources, count, a, b, center_a, center_b);
      const Vec3Of<Real> change = from.chord_change(sources, a, b, center_a, center_b, normal), none = change_a;
      change_a = select<Real>(a.inv_mass > zero, none, a.own(-change));
      change_b = select<Real>(b.inv_mass > zero, none, b.own(change));
    }
    for (int i = 0; i < kMaxPoints; ++i) offset1[i] = offset2[i] = load_of[i] = zero;
    const Mask<Real> round_line = count == Real(2.0f) && load_lanes(sources.curvature, Real{}) > zero;
    const bool lines = any_together(round_line);
    Real line_a = zero, line_b = zero;  // [rad] see turn_of_line
    if (lines) from.find_turns(sources, round_line, false, a, b, a.own(normal), b.own(normal), line_a, line_b);
    Real deepest = zero;  // [m] smallest separation
    for (int i = 0; i < kMaxPoints && any_together(Real(float(i)) < count); ++i) {
      const Mask<Real> has = Real(float(i)) < count;
      Real point[8];
      gather_unit_together(from.contacts, sources.pair, kPointUnit + i, point);
      // Where surfaces overlap both bodies are pushed halfway between them: friction that acts on each at its own would
      // turn them. Where they are apart they are pushed when they have met, each at its own.
      const Vec3Of<Real> half_gap = (Real(0.5f) * min_of(point[0], zero)) * normal;
      const Vec3Of<Real> on_a = Vec3Of<Real>{point[1], point[2], point[3]} + half_gap;
      const Vec3Of<Real> on_b = Vec3Of<Real>{point[4], point[5], point[6]} - half_gap;
      const Vec3Of<Real> at_a = a.own(on_a), at_b = b.own(on_b);
      const auto put_point = [&](int field, Real value) {
        store(rows, rigid_row::at(i, field), lane, select(has, value, zero));
      };
      Levers<Real> levers[3];
      for (int r = 0; r < 3; ++r) {
        const Vec3Of<Real> own_a = a.own(axes[r]), own_b = b.own(axes[r]);
        Vec3Of<Real> lever_a = a.lever(at_a, own_a), lever_b = b.lever(at_b, own_b);
        if (lines && r == 0) {
          lever_a = turned_lever(a, line_a, own_a, lever_a);
          lever_b = turned_lever(b, line_b, own_b, lever_b);
        }
        if (from.carriers && r > 0) {
          lever_a = from.chord_lever(sources.a, change_a, own_a, lever_a);
          lever_b = from.chord_lever(sources.b, change_b, own_b, lever_b);
        }
        levers[r] = {lever_a, lever_b};
        put_point(rigid_row::lever_a + 3 * r, lever_a.x);
        put_point(rigid_row::lever_a + 3 * r + 1, lever_a.y);
        put_point(rigid_row::lever_a + 3 * r + 2, lever_a.z);
        put_point(rigid_row::lever_b + 3 * r, lever_b.x);
        put_point(rigid_row::lever_b + 3 * r + 1, lever_b.y);
        put_point(rigid_row::lever_b + 3 * r + 2, lever_b.z);
      }
      const Real give = a.inv_mass + b.inv_mass + a.give(levers[0].a, levers[0].a) + b.give(levers[0].b, levers[0].b);
      points_give = points_give + give;
      const Real approach =
          from.restitution ? from.template approach_speed<Real>(sources, normal, levers[0].a, levers[0].b) : zero;
      const Mask<Real> touches = point[0] <= zero;
      put_point(rigid_row::separation, point[0]);
      deepest = select(has, min_of(deepest, point[0]), deepest);
      const Real resting = resting_bias(point[0], radius, rate), bouncing = bounce_of(point[0], approach, bounce);
      put_point(rigid_row::bias, select(bouncing < zero, min_of(bouncing, resting), resting));
      if constexpr (kSurfaces) {
        const auto put_more = [&](int field, Real value) {
          store(surfaces, rigid_surface::at(i, field), lane, select(has, value, zero));
        };
        const Vec3Of<Real> way =
            way_between(axes, levers, motion.v_a, motion.w_a, motion.v_b, motion.w_b, a.inv_mass, b.inv_mass);
        put_more(rigid_surface::bounce, bouncing);
        put_more(rigid_surface::resting, resting);
        put_more(rigid_surface::way_square, length_squared(way));
        const Vec3Of<Real> dv = motion.v_b - motion.v_a;
        slip1 = slip1 + select(has, dot(t1, dv) + dot(levers[1].b, motion.w_b) - dot(levers[1].a, motion.w_a), zero);
        slip2 = slip2 + select(has, dot(t2, dv) + dot(levers[2].b, motion.w_b) - dot(levers[2].a, motion.w_a), zero);
      }
      put_point(rigid_row::softness, select(touches, yields * give + Real(from.params->rigid_mixing), zero));
      put_point(rigid_row::push, zero);
      for (int r = 0; r < 3; ++r) put_point(rigid_row::direction + r, zero);
      offset1[i] = select(has, dot(on_a, t1), zero);
      offset2[i] = select(has, dot(on_a, t2), zero);
      const Mask<Real> starts = has && point[0] < Real(kLoadedGap) * radius;
      load_of[i] = select(starts, Real(from.params->warm_start) * carried[4 + i], zero);
      middle1 = middle1 + offset1[i];
      middle2 = middle2 + offset2[i];
    }
    const Real per_point = select(count > zero, one / max_of(count, one), zero);
    for (int i = 0; i < kMaxPoints; ++i) {
      offset1[i] = offset1[i] - per_point * middle1;
      offset2[i] = offset2[i] - per_point * middle2;
    }
    if constexpr (kSurfaces) {
      const Vec3Of<Real> turn_a[3] = {scale(a.scale, a.own(normal)), scale(a.scale, a.own(t1)),
                                      scale(a.scale, a.own(t2))};
      const Vec3Of<Real> turn_b[3] = {scale(b.scale, b.own(normal)), scale(b.scale, b.own(t1)),
                                      scale(b.scale, b.own(t2))};
      Real arm = zero;
      for (int i = 0; i < kMaxPoints; ++i) {
        const Real size = square_root(offset1[i] * offset1[i] + offset2[i] * offset2[i]);
        arm = arm + select(Real(float(i)) < count, per_point * size, zero);
      }
      const Real spin = arm * (dot(turn_b[0], motion.w_b) - dot(turn_a[0], motion.w_a));
      slide(surface_sources, per_point * slip1, per_point * slip2, spin, friction);
      put_surface(lane, there, surface_sources, friction, turn_a, turn_b);
      put_rolled(lane, there, Contacts::template vector_of<Real>(surface_sources.rolled), t1, t2);
      put_energy(lane, there, sources, motion, a, b);
    }
    const Vec3Of<Real> force{carried[0], carried[1], carried[2]};
    share_friction(lane, count, friction, dot(force, t1), dot(force, t2), carried[3], offset1, offset2, load_of);
    put(rigid_row::push_rate, rate);
    NoteDeep<RigidRowFields>{rows, from.model.shape, from.model.shape_size, from.params, from.counters}.note(
        lane, deepest, count, sources.a, sources.b);

    for (int i = 0; i < kWidth; ++i) {
      const bool used = sources.there[i] > 0.0f;
      *rows.at(rigid_row::body_a, lane + i) = used ? sources.a[i] : std::uint32_t(from.null_body);
      *rows.at(rigid_row::body_b, lane + i) = used ? sources.b[i] : std::uint32_t(from.null_body);
      *rows.at(rigid_row::pair, lane + i) = used ? sources.pair[i] : 0u;
    }
    put(rigid_row::count, count);
    put(rigid_row::normal, normal.x);
    put(rigid_row::normal + 1, normal.y);
    put(rigid_row::normal + 2, normal.z);
    put(rigid_row::tangent, t1.x);
    put(rigid_row::tangent + 1, t1.y);
    put(rigid_row::tangent + 2, t1.z);
    put(rigid_row::friction, friction.friction);
    put(rigid_row::special, friction.special);
    put(rigid_row::radius, radius);
    put(rigid_row::slim, is_slim(lane, count, points_give, a, b));
    for (const int field : {rigid_row::update, rigid_row::residual_normal, rigid_row::residual_friction,
                            rigid_row::residual_approach, rigid_row::stress}) {
      put(field, zero);
    }
  }

 private:
  /// Middle of the points, in the bodies' own axes.
  template <class Real, class Sources>
  TALUS_INLINE void find_center(const Sources& sources, Real count, const PreparedBody<Real>& a,
                                const PreparedBody<Real>& b, Vec3Of<Real>& center_a, Vec3Of<Real>& center_b) const {
    for (int i = 0; i < kMaxPoints && any_together(Real(float(i)) < count); ++i) {
      const Real share = select(Real(float(i)) < count, Real(1.0f) / count, Real(0.0f));
      Real point[8];
      gather_unit_together(from.contacts, sources.pair, kPointUnit + i, point);
      const Vec3Of<Real> on_a = a.own({point[1], point[2], point[3]}), on_b = b.own({point[4], point[5], point[6]});
      center_a = select<Real>(share > Real(0.0f), center_a + share * on_a, center_a);
      center_b = select<Real>(share > Real(0.0f), center_b + share * on_b, center_b);
    }
  }

  /// 1: has a tilt that is slow.
  template <class Real>
  TALUS_INLINE Real is_slim(Index lane, Real count, Real points_give, const PreparedBody<Real>& a,
                            const PreparedBody<Real>& b) const {
    if (!any_of(count == Real(4.0f))) return Real(0.0f);
    const auto lever_a = [&](int i) { return load_vector<Real>(rows, rigid_row::at(i, rigid_row::lever_a), lane); };
    const auto lever_b = [&](int i) { return load_vector<Real>(rows, rigid_row::at(i, rigid_row::lever_b), lane); };
    const auto give_a = [&](Vec3Of<Real> lever) { return a.give(lever, lever); };
    const auto give_b = [&](Vec3Of<Real> lever) { return b.give(lever, lever); };
    const Vec3Of<Real> sum_a = (lever_a(0) + lever_a(1)) + (lever_a(2) + lever_a(3));
    const Vec3Of<Real> sum_b = (lever_b(0) + lever_b(1)) + (lever_b(2) + lever_b(3));
    const Real middle_turns = Real(0.0625f) * (give_a(sum_a) + give_b(sum_b));
    const Mask<Real> slim =
        has_slow_tilt(count, points_give, a.inv_mass + b.inv_mass, middle_turns, lever_a, lever_b, give_a, give_b);
    return select(slim, Real(1.0f), Real(0.0f));
  }

  /// [m/s] Apart: the gap may close within the step but not beyond (S1-13). Touching: a part of the penetration becomes
  /// velocity.
  template <class Real>
  TALUS_INLINE Real resting_bias(Real separation, Real radius, Real rate) const {
    const Real zero(0.0f), gap = Real(from.params->inv_h) * separation;
    const Real depth = min_of(separation + Real(from.params->slop) * radius, zero);
    const Real push = max_of(rate * depth, Real(-from.params->max_push_speed));
    return select(separation > zero, gap, push);
  }
  /// [m/s] What comes in fast and would get there within the step leaves as Newton's law says (S1-28), from where it
  /// is; zero where nothing bounces.
  template <class Real>
  TALUS_INLINE Real bounce_of(Real separation, Real approach, Real bounce) const {
    const Real zero(0.0f), gap = Real(from.params->inv_h) * separation;
    const Mask<Real> bounces =
        bounce > zero && approach < Real(-from.params->restitution_threshold) && gap + approach < zero;
    return select(bounces, bounce * approach, zero);
  }

  // ---- with kSurfaces ----------------------------------------------------------------------------------------------

  /// Decided once a step, as in PrepareContacts: what slips when it begins has a part of its coefficients.
  template <class Real, class SurfaceSources>
  TALUS_INLINE void slide(const SurfaceSources& sources, Real slip1, Real slip2, Real spin,
                          RigidFriction<Real>& friction) const {
    const Real zero(0.0f), one(1.0f), threshold(from.params->slip_threshold);
    const Mask<Real> slides = slip1 * slip1 + slip2 * slip2 + spin * spin > threshold * threshold;
    const Real left = select(slides, load_lanes(sources.sliding, Real{}), one);
    friction.forward = left * friction.forward;
    friction.backward = left * friction.backward;
    friction.across = left * friction.across;
    friction.friction = Real(0.25f) * (friction.forward + friction.backward) + Real(0.5f) * friction.across;
    friction.tensor = load_lanes(sources.tensor, Real{});
    const Mask<Real> round =
        friction.forward == friction.backward && friction.forward == friction.across && !(friction.tensor > zero);
    const Mask<Real> turns = load_lanes(sources.torsion, Real{}) + load_lanes(sources.rolling, Real{}) > zero;
    friction.special = select(round, select(turns, -one, zero), one);
  }

  template <class Real, class SurfaceSources>
  TALUS_INLINE void put_surface(Index lane, Mask<Real> there, const SurfaceSources& sources,
                                const RigidFriction<Real>& friction, const Vec3Of<Real> turn_a[3],
                                const Vec3Of<Real> turn_b[3]) const {
    const auto put = [&](int field, Real value) { store(surfaces, field, lane, select(there, value, Real(0.0f))); };
    put(rigid_surface::forward, friction.forward);
    put(rigid_surface::backward, friction.backward);
    put(rigid_surface::across, friction.across);
    put(rigid_surface::tensor, friction.tensor);
    put(rigid_surface::torsion, load_lanes(sources.torsion, Real{}));
    put(rigid_surface::rolling, load_lanes(sources.rolling, Real{}));
    for (int r = 0; r < 3; ++r) {
      put(rigid_surface::turn_a + 3 * r, turn_a[r].x);
      put(rigid_surface::turn_a + 3 * r + 1, turn_a[r].y);
      put(rigid_surface::turn_a + 3 * r + 2, turn_a[r].z);
      put(rigid_surface::turn_b + 3 * r, turn_b[r].x);
      put(rigid_surface::turn_b + 3 * r + 1, turn_b[r].y);
      put(rigid_surface::turn_b + 3 * r + 2, turn_b[r].z);
      put(rigid_surface::turn_impulse + r, Real(0.0f));
      put(rigid_surface::turn_direction + r, Real(0.0f));
    }
  }

  /// Impulses against rolling to start from, [N m s] world frame.
  template <class Real>
  TALUS_INLINE void put_rolled(Index lane, Mask<Real> there, Vec3Of<Real> rolled, Vec3Of<Real> t1,
                               Vec3Of<Real> t2) const {
    const Real zero(0.0f), warm(from.params->warm_start);
    store(surfaces, rigid_surface::turn_impulse + 1, lane, select(there, warm * dot(rolled, t1), zero));
    store(surfaces, rigid_surface::turn_impulse + 2, lane, select(there, warm * dot(rolled, t2), zero));
  }

  /// What bounce_bias() compares with.
  template <class Real, class Sources, class Motion>
  TALUS_INLINE void put_energy(Index lane, Mask<Real> there, const Sources& sources, const Motion& motion,
                               const PreparedBody<Real>& a, const PreparedBody<Real>& b) const {
    constexpr int kWidth = LaneCount<Real>::value;
    float push[3][kWidth], inv_mass_a[kWidth], inv_mass_b[kWidth], work_a[kWidth], work_b[kWidth];
    store_lanes(inv_mass_a, a.inv_mass);
    store_lanes(inv_mass_b, b.inv_mass);
    for (int i = 0; i < kWidth; ++i) {
      const float bound = has_joints(Index(sources.a[i]), Index(sources.b[i])) ? kNoEnergyBound : 0.0f;
      work_a[i] = bound + free_work(Index(sources.a[i]), inv_mass_a[i]);
      work_b[i] = bound + free_work(Index(sources.b[i]), inv_mass_b[i]);
      const Vec3 of_a = outer_push(from.model, inputs, *from.params, Index(sources.a[i]), inv_mass_a[i]);
      const Vec3 of_b = outer_push(from.model, inputs, *from.params, Index(sources.b[i]), inv_mass_b[i]);
      push[0][i] = of_b.x - of_a.x;
      push[1][i] = of_b.y - of_a.y;
      push[2][i] = of_b.z - of_a.z;
    }
    const auto put = [&](int field, Real value) { store(surfaces, field, lane, select(there, value, Real(0.0f))); };
    for (int axis = 0; axis < 3; ++axis) put(rigid_surface::push + axis, load_lanes(push[axis], Real{}));
    const Real two(2.0f);  // energies are half of these squares, over the turns
    put(rigid_surface::spin_a, length_squared(motion.w_a) + two * a.turns * load_lanes(work_a, Real{}));
    put(rigid_surface::spin_b, length_squared(motion.w_b) + two * b.turns * load_lanes(work_b, Real{}));
  }
  TALUS_HD bool has_joints(Index a, Index b) const {
    const auto& bounces = from.bodies.group_bounces;
    return joints && ((bounces[a] | bounces[b]) & kHasJoints) != 0;
  }
  /// [J] Of the outer torque in this step, if nothing touches the body.
  TALUS_HD float free_work(Index body, float inv_mass) const {
    if (!(inv_mass > 0.0f)) return 0.0f;
    const Quat begin = state.orientation[body];
    const Vec3 torque = rotate_back(begin, inputs.torque[body]);
    const Vec3 spin = rotate_back(begin, state.angular_velocity[body]);
    return dot(torque, free_turn(spin, torque, from.model.inv_inertia[body], from.params->dt));
  }

  // ------------------------------------------------------------------------------------------------------------------

  /// Impulses to start from.
  template <class Real>
  TALUS_INLINE void share_friction(Index lane, Real count, const RigidFriction<Real>& friction, Real force1,
                                   Real force2, Real twist, const Real offset1[kMaxPoints],
                                   const Real offset2[kMaxPoints], const Real load_of[kMaxPoints]) const {
    const Real zero(0.0f), one(1.0f);
    Real sum = zero, center1 = zero, center2 = zero, spread = zero;
    for (int i = 0; i < kMaxPoints; ++i) {
      sum = sum + load_of[i];
      center1 = center1 + load_of[i] * offset1[i];
      center2 = center2 + load_of[i] * offset2[i];
    }
    const Real share = select(sum > zero, one / max_of(sum, Real(1e-30f)), zero);
    center1 = share * center1;
    center2 = share * center2;
    for (int i = 0; i < kMaxPoints; ++i) {
      const Real r1 = offset1[i] - center1, r2 = offset2[i] - center2;
      spread = spread + share * load_of[i] * (r1 * r1 + r2 * r2);
    }
    // The force acts in the middle of the points; what it turns about the center of the load goes to the twist.
    const Real moment = twist + (center2 * force1 - center1 * force2);
    Real left = twist;  // [N m s] of the twist, without what points take
    const Real turn = select(spread > Real(1e-12f), moment / max_of(spread, Real(1e-12f)), zero);
    for (int i = 0; i < kMaxPoints && any_of(Real(float(i)) < count); ++i) {
      const Mask<Real> has = Real(float(i)) < count;
      const Real part = share * load_of[i];
      Real f1 = part * (force1 - turn * (offset2[i] - center2)), f2 = part * (force2 + turn * (offset1[i] - center1));
      nearest_friction<kSurfaces>(*from.params, friction, load_of[i], f1, f2);
      left = left - select(has, offset1[i] * f2 - offset2[i] * f1, zero);
      const Real values[] = {load_of[i], f1, f2, offset1[i], offset2[i]};
      for (int r = 0; r < 3; ++r)
        store(rows, rigid_row::at(i, rigid_row::impulse) + r, lane, select(has, values[r], zero));
      store(rows, rigid_row::at(i, rigid_row::offset), lane, select(has, offset1[i], zero));
      store(rows, rigid_row::at(i, rigid_row::offset) + 1, lane, select(has, offset2[i], zero));
    }
    if constexpr (kSurfaces) {
      const Real limit = sum * load<Real>(surfaces, rigid_surface::torsion, lane);
      store(surfaces, rigid_surface::turn_impulse, lane, select(count > zero, clamp_to(left, -limit, limit), zero));
    }
  }
};

/// Impulses for the next step's start and for reports. Padding lanes have no points. kSurfaces: with RigidSurfaceRows.
template <bool kSurfaces>
struct StoreRigid {
  RigidRows rows;
  ContactRecords contacts;           // out: the lane's own
  RigidSurfaceRows surfaces;         // with kSurfaces
  Column<RollingImpulse> rolling{};  // with kSurfaces, out: the lane's own

  template <class Real>
  TALUS_INLINE void solve(Index lane) const {
    const Real zero(0.0f), count = load<Real>(rows, rigid_row::count, lane);
    Real impulse[kMaxPoints], f1 = zero, f2 = zero, twist = zero;
    for (int i = 0; i < kMaxPoints; ++i) {
      const Mask<Real> has = Real(float(i)) < count;
      impulse[i] = zero;
      if (!any_of(has)) continue;
      const Vec3Of<Real> x = load_vector<Real>(rows, rigid_row::at(i, rigid_row::impulse), lane);
      const Real r1 = load<Real>(rows, rigid_row::at(i, rigid_row::offset), lane);
      const Real r2 = load<Real>(rows, rigid_row::at(i, rigid_row::offset) + 1, lane);
      impulse[i] = select(has, x.x, zero);
      f1 = f1 + select(has, x.y, zero);
      f2 = f2 + select(has, x.z, zero);
      twist = twist + select(has, r1 * x.z - r2 * x.y, zero);
    }
    const Vec3Of<Real> normal = load_vector<Real>(rows, rigid_row::normal, lane);
    const Vec3Of<Real> t1 = load_vector<Real>(rows, rigid_row::tangent, lane), t2 = cross(normal, t1);
    const Vec3Of<Real> friction = f1 * t1 + f2 * t2;
    if constexpr (kSurfaces) {
      const Mask<Real> turns = resists_turning<Real>(surfaces, lane);
      twist = select(turns, twist + load<Real>(surfaces, rigid_surface::turn_impulse, lane), twist);
    }
    const Real unit[8] = {friction.x, friction.y, friction.z, twist, impulse[0], impulse[1], impulse[2], impulse[3]};
    const RowIndices<Real> pairs(rows, rigid_row::pair, lane);
    scatter_unit_together(contacts, pairs.data(), kImpulseUnit, unit, zero < count);
    if constexpr (kSurfaces) store_rolling(lane, pairs, zero < count, t1, t2);
  }

 private:
  template <class Real>
  TALUS_INLINE void store_rolling(Index lane, const RowIndices<Real>& pairs, Mask<Real> wanted, Vec3Of<Real> t1,
                                  Vec3Of<Real> t2) const {
    constexpr int kWidth = LaneCount<Real>::value;
    const Real zero(0.0f);
    const Vec3Of<Real> torque = load<Real>(surfaces, rigid_surface::turn_impulse + 1, lane) * t1 +
                                load<Real>(surfaces, rigid_surface::turn_impulse + 2, lane) * t2;
    float x[kWidth], y[kWidth], z[kWidth];
    store_lanes(x, torque.x + zero);
    store_lanes(y, torque.y + zero);
    store_lanes(z, torque.z + zero);
    const unsigned bits = lane_bits(wanted);
    for (int i = 0; i < kWidth; ++i) {
      if ((bits >> i) & 1u) rolling[Index(pairs.data()[i])] = {{x[i], y[i], z[i]}, 0.0f};
    }
  }
};

/// Before the solve, for events: NoteApproach. One element is one lane; padding has no points.
struct NoteRigidApproach {
  RigidRows rows;
  const BodyVelocity* velocity;
  PairEvents pairs;  // approach: out

  TALUS_HD void operator()(Index lane) const {
    const int count = int(rows.number(rigid_row::count, lane));
    if (count == 0) return;
    const BodyVelocity a = velocity[rows.word(rigid_row::body_a, lane)],
                       b = velocity[rows.word(rigid_row::body_b, lane)];
    const float centers = dot(rows.vector(rigid_row::normal, lane), b.linear - a.linear);
    float fastest = 0.0f;
    for (int i = 0; i < count; ++i) {
      const Vec3 lever_a = rows.vector(rigid_row::at(i, rigid_row::lever_a), lane);
      const Vec3 lever_b = rows.vector(rigid_row::at(i, rigid_row::lever_b), lane);
      fastest = max_of(fastest, -(centers + (dot(lever_b, b.angular) - dot(lever_a, a.angular))));
    }
    pairs.approach[Index(rows.word(rigid_row::pair, lane))] = fastest;
  }
};
/// After it: SumLoads.
struct SumRigidLoads {
  RigidRows rows;
  PairEvents pairs;  // load: in/out

  TALUS_HD void operator()(Index lane) const {
    const int count = int(rows.number(rigid_row::count, lane));
    if (count == 0) return;
    float& load = pairs.load[Index(rows.word(rigid_row::pair, lane))];
    for (int i = 0; i < count; ++i) load = load + rows.number(rigid_row::at(i, rigid_row::impulse), lane);
  }
};

}  // namespace talus::inline TALUS_ISA
