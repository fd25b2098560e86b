// SPDX-License-Identifier: MIT
// When two moving shapes meet: conservative advancement (Mirtich 1996, section 2.3), along separating axes. Along any
// axis shapes are as far apart as they are or less, and the gap closes no faster than the shapes' shifts and turns let
// it: so long they cannot meet, and from there the next look is taken. It never steps over a meeting, and where it
// runs out of looks it has come too short, not too far.
#pragma once
#include <talus/defs.h>

#include "math/angle.h"
#include "math/vec3.h"
#include "shapes/append.h"
#include "shapes/extent.h"

namespace talus::inline TALUS_ISA {

/// A rotation as one turn about a fixed axis.
struct Turn {
  Vec3 axis;    // of length 1
  float angle;  // [rad] 0..2 pi
};
/// The shorter way round, or the longer one if that is nearer to what the body would turn by at the end's rate. `about`
/// [rad]: that rate, own axes, times the step.
TALUS_HD inline Turn turn_of(Quat q, Vec3 about) {
  const Vec3 v{q.x, q.y, q.z};
  const float sine = length(v);
  if (!(sine > 1e-12f)) return {{0.0f, 1.0f, 0.0f}, 0.0f};
  const float sign = q.w < 0.0f ? -1.0f : 1.0f, angle = 2.0f * arc_tangent(sine, abs_of(q.w));
  const Vec3 axis = (sign / sine) * v;
  if (dot(axis, about) < angle - kPi) return {-axis, 2.0f * kPi - angle};
  return {axis, angle};
}
/// The first part of a turn, 0..1.
TALUS_HD inline Quat part_of(Turn turn, float part) {
  float sine = 0.0f, cosine = 1.0f;
  sine_cosine_small(0.25f * part * turn.angle, sine, cosine);
  const float s = 2.0f * sine * cosine;
  return {s * turn.axis.x, s * turn.axis.y, s * turn.axis.z, 1.0f - 2.0f * sine * sine};
}

/// How a body turns in a step, evenly: about an axis that is fixed in it and, before that, about one of its own along
/// which it is long.
struct Turns {
  Turn turn, spin;
};
constexpr Turn kNoTurn{{0.0f, 1.0f, 0.0f}, 0.0f};
TALUS_HD inline Quat part_of(const Turns& turns, float part) {
  const Quat turn = part_of(turns.turn, part);
  return turns.spin.angle > 0.0f ? turn * part_of(turns.spin, part) : turn;
}

/// A shape on its way through a step: shifted evenly, and turned evenly; from some time on it may go along with others,
/// or stand still. A rounded box, see ShapeRecord, or a half space behind a plane, which has `core` for its normal.
struct ShapePath {
  Vec3 core;        // [m]
  float rounding;   // [m]
  bool half_space;  //
  Quat start;       // orientation, body to world
  Vec3 shift;       // [m] of the whole step
  Turns turns;      // of the whole step, own frame
  Vec3 axis;        // of the turn, world frame
  float spread;     // [m] largest distance of the core from that axis
  float along;      // [m] half the width of the core along it
  float section;    // [m] largest distance of the core from the axis of the spin
  float part;       // of the step: it does not turn from then on, and goes along with others
  Vec3 along_with;  // [m] of a whole step, how these are shifted
  float hold;       // of the step, not before that: it stands still from then on
};
/// [m] How far it is shifted at some time of the step.
TALUS_HD inline Vec3 shift_until(const ShapePath& path, float time) {
  const float with_others = max_of(min_of(time, path.hold) - path.part, 0.0f);
  return min_of(time, path.part) * path.shift + with_others * path.along_with;
}
/// The time from which on it moves in another way than now.
TALUS_HD inline float next_change(const ShapePath& path, float time) {
  return time < path.part ? path.part : time < path.hold ? path.hold : 1.0f;
}

/// [m] Largest distance of a box from an axis through its centre.
TALUS_HD inline float distance_from_axis(Vec3 half, Vec3 axis) {
  float most = 0.0f;
  for (int corner = 0; corner < 4; ++corner) {
    const Vec3 at{(corner & 1) != 0 ? -half.x : half.x, (corner & 2) != 0 ? -half.y : half.y, half.z};
    most = max_of(most, length_squared(cross(at, axis)));
  }
  return square_root(most);
}

TALUS_HD inline ShapePath shape_path(ShapeType type, Vec3 size, Quat start, Vec3 shift, Turns turns) {
  ShapePath path{};
  const bool is_box = type == ShapeType::box;
  path.half_space = type == ShapeType::plane;
  path.core = is_box || path.half_space ? size : Vec3{0.0f, type == ShapeType::capsule ? size.y : 0.0f, 0.0f};
  path.rounding = is_box || path.half_space ? 0.0f : size.x;
  path.start = start;
  path.shift = shift;
  path.turns = turns;
  path.axis = rotate(start, turns.turn.axis);
  path.spread = path.half_space ? 0.0f : distance_from_axis(path.core, turns.turn.axis);
  path.along = dot(abs_of(turns.turn.axis), path.core);
  path.section = turns.spin.angle > 0.0f ? distance_from_axis(path.core, turns.spin.axis) : 0.0f;
  path.part = path.hold = 1.0f;
  return path;
}
/// [m] Of all its points, the longest way by turning.
TALUS_HD inline float swing_of(const ShapePath& path) {
  return path.turns.turn.angle * path.spread + path.turns.spin.angle * path.section;
}

/// [m] No point of one gets further than this against the other.
TALUS_HD inline float closing_of(const ShapePath& a, const ShapePath& b) {
  float most = length_squared(shift_until(b, 1.0f) - shift_until(a, 1.0f));
  if (min_of(a.part, b.part) < 1.0f) {  // or where one of them changes its way
    const float times[4] = {a.part, b.part, a.hold, b.hold};
    for (const float time : times) most = max_of(most, length_squared(shift_until(b, time) - shift_until(a, time)));
  }
  return square_root(most) + swing_of(a) + swing_of(b);
}

/// How far two shapes are apart at some time of the step, and for how long they cannot come to a level.
struct Apart {
  float gap;      // [m] largest along any axis; negative: they overlap, and this is how deep
  float advance;  // part of the step
  Vec3 normal;    // that axis, from A to B
};

/// Two shapes at some time of the step.
class PathsAt {
 public:
  /// `between`: from A to B at the start.
  TALUS_HD PathsAt(const ShapePath& a, const ShapePath& b, Vec3 between, float time) : a_(a), b_(b) {
    const float now_a = min_of(time, a.part), now_b = min_of(time, b.part);
    between_ = between + (shift_until(b, time) - shift_until(a, time));
    const bool moves_a = time < a.part, moves_b = time < b.part;
    drift_ = rate_at(b, time) - rate_at(a, time);
    angle_a_ = moves_a ? a.turns.turn.angle : 0.0f;
    angle_b_ = moves_b ? b.turns.turn.angle : 0.0f;
    spin_a_ = moves_a ? a.turns.spin.angle * a.section : 0.0f;
    spin_b_ = moves_b ? b.turns.spin.angle * b.section : 0.0f;
    axes_a_ = matrix_of(orientation_of(a, now_a));
    axes_b_ = matrix_of(orientation_of(b, now_b));
  }

  /// [m] Along a unit direction from A to B.
  TALUS_HD float gap_along(Vec3 n) const {
    const float half_b = b_.half_space ? 0.0f : half_along(axes_b_, b_, n) + b_.rounding;
    return dot(n, between_) - half_along(axes_a_, a_, n) - a_.rounding - half_b;
  }
  /// `enough`: no better axis is looked for than one that holds for as long and is clearly open. By default there is
  /// no such axis.
  TALUS_HD Apart apart(float level, float enough = kUnbounded) const {
    Apart best{-kUnbounded, 0.0f, {0.0f, 1.0f, 0.0f}};
    if (b_.half_space) {
      try_plane(level, best);
      return best;
    }
    const bool ball_a = is_ball(a_), ball_b = is_ball(b_);
    const float open = max_of(0.5f * level, 2.0f * level);  // not just above the level, which would count as reached
    for (int i = 0; i < 6; ++i) {
      if (i < 3 ? ball_a : ball_b) continue;
      try_axis(column_of(i < 3 ? axes_a_ : axes_b_, i < 3 ? i : i - 3), level, best);
      if (best.advance >= enough && best.gap > open) return best;
    }
    for (int i = 0; i < 9 && !ball_a && !ball_b; ++i) {
      const Vec3 n = cross(column_of(axes_a_, i / 3), column_of(axes_b_, i % 3));
      const float l = length(n);
      if (l > 1e-3f) try_axis((1.0f / l) * n, level, best);
      if (best.advance >= enough && best.gap > open) return best;
    }
    if (a_.rounding + b_.rounding > 0.0f) try_nearest(ball_a || ball_b ? 1 : 6, level, best);
    return best;
  }

 private:
  /// [m] Of a whole step.
  TALUS_HD static Vec3 rate_at(const ShapePath& path, float time) {
    return time < path.part ? path.shift : time < path.hold ? path.along_with : Vec3{0.0f, 0.0f, 0.0f};
  }
  TALUS_HD static Quat orientation_of(const ShapePath& path, float part) {
    const bool turns = path.turns.turn.angle > 0.0f || path.turns.spin.angle > 0.0f;
    return turns ? path.start * part_of(path.turns, part) : path.start;
  }
  TALUS_HD static bool is_ball(const ShapePath& path) { return path.core.y == 0.0f; }
  /// [m] Half the width of a core.
  TALUS_HD static float half_along(const Mat3& axes, const ShapePath& path, Vec3 n) {
    return dot(abs_of(transposed_times(axes, n)), path.core);
  }
  TALUS_HD void try_plane(float level, Apart& best) const {
    const Vec3 n = -(axes_b_ * b_.core);
    const float turning =
        angle_a_ * a_.spread + spin_a_ + angle_b_ * (length(between_) + length(a_.core) + a_.rounding);
    best.normal = n;
    take(gap_along(n), turning - dot(n, drift_), level, best);
  }

  TALUS_HD void try_axis(Vec3 axis, float level, Apart& best) const {
    const Vec3 n = dot(axis, between_) < 0.0f ? -axis : axis;
    const float closing = -dot(n, drift_), rounded = dot(n, between_) - (a_.rounding + b_.rounding);
    const float half_a = half_along(axes_a_, a_, n), half_b = half_along(axes_b_, b_, n);
    const float gap = rounded - half_a - half_b;
    if (gap > best.gap) best.normal = n;
    const float cosine_a = abs_of(dot(n, a_.axis)), cosine_b = abs_of(dot(n, b_.axis));
    const float sine_a = square_root(max_of(1.0f - cosine_a * cosine_a, 0.0f));
    const float sine_b = square_root(max_of(1.0f - cosine_b * cosine_b, 0.0f));
    const float turning = angle_a_ * sine_a * a_.spread + angle_b_ * sine_b * b_.spread + spin_a_ + spin_b_;
    take(gap, closing + turning, level, best);
    // What the cores sweep by turning once around: nothing closes by turning then.
    if (!(turning > 0.0f) || spin_a_ + spin_b_ > 0.0f) return;
    const float swept_a = angle_a_ > 0.0f ? cosine_a * a_.along + sine_a * a_.spread : half_a;
    const float swept_b = angle_b_ > 0.0f ? cosine_b * b_.along + sine_b * b_.spread : half_b;
    take(rounded - swept_a - swept_b, closing, level, best);
  }

  TALUS_HD static void take(float gap, float closing, float level, Apart& best) {
    best.gap = max_of(gap, best.gap);
    if (!(gap > level)) return;
    const float room = gap - level;
    best.advance = max_of(best.advance, room < 2.0f * closing ? room / closing : 2.0f);
  }

  /// Along the line between the nearest points of the cores, or of points near these: any axis is a good one. With a
  /// ball one projection finds them.
  TALUS_HD void try_nearest(int projections, float level, Apart& best) const {
    Vec3 on_a{0.0f, 0.0f, 0.0f}, on_b = between_;  // from A's centre
    for (int i = 0; i < projections; ++i) {
      on_a = axes_a_ * clamp_each(transposed_times(axes_a_, on_b), a_.core);
      on_b = between_ + axes_b_ * clamp_each(transposed_times(axes_b_, on_a - between_), b_.core);
    }
    const Vec3 n = on_b - on_a;
    const float l = length(n);
    if (l > 1e-6f) try_axis((1.0f / l) * n, level, best);
  }

  const ShapePath &a_, &b_;
  Vec3 between_, drift_;     // [m]
  float angle_a_, angle_b_;  // [rad] of a whole step, or 0 for what stands still
  float spin_a_, spin_b_;    // [m] the most that the spin moves a point, the same
  Mat3 axes_a_, axes_b_;
};

// Lengths in thinnest extents: of A or B, whatever is smaller.
constexpr float kStopGap = 0.01f;      // at which what would pass into another is stopped, to twice that. Not at 0: it
                                       // would start the next step in the other, and be free to go on
constexpr float kMostDepth = 0.2f;     // to which a step may take one into the other: contacts are left to that
constexpr float kNoPassing = 1.0f;     // on which nobody passes: to be out on the other side takes nearly twice that
constexpr float kSunkDepth = 0.15f;    // how deep in a wall a body is that must not get deeper, however slow it is
constexpr float kWallWay = 0.25f;      // of the thickness of what stands: nobody passes it by that way
constexpr float kMostBend = 1.0f;      // [rad] of a step: what turns further was taken elsewhere by an impact
constexpr float kRowDip = 4.0f;        // [dips] r a^2 / 8: to which rows, which follow turns to first order, let a tip
constexpr float kCreepDepth = 0.005f;  // how much deeper, if they were as deep already
constexpr float kRollDepth = 0.4f;     // to which those may get that roll off each other
constexpr float kCrowdDepth = 0.5f;    // to which no step takes one into the other: they were made like that
constexpr int kMostAdvances = 64;

/// [m] How deep two shapes may get into each other, as a negative gap, that have a gap at the start. `has_wall`: one of
/// them stands. Else those that are deep inside each other are left to what pushes them apart.
TALUS_HD inline float deepest_gap(float start, float thin, bool has_wall) {
  if (!has_wall && start < -kCrowdDepth * thin) return -kUnbounded;
  return min_of(-kMostDepth * thin, start - kCreepDepth * thin);
}
/// [m] The gap at the end of two ways, or a lower bound of it that is more than the level. A call on a GPU: registers
/// are short in what follows.
TALUS_SELDOM inline float end_gap(const ShapePath& a, const ShapePath& b, Vec3 between, float level) {
  return PathsAt(a, b, between, 1.0f).apart(level, 0.0f).gap;
}

/// Whether the ways bend so much that what lies between their ends tells nothing, while one of the two is too thick to
/// be passed in a step: solvers are left to that, unless the end itself is deeper than a bend explains. A needle that
/// stands on its tip and falls over turns about the tip; if its centre went straight on, the tip would dip, and a
/// needle stopped for that would hang where it is for ever. `thick` [m]: thickness of the one that stands, or of the
/// thicker one.
TALUS_HD inline bool are_bent(const ShapePath& a, const ShapePath& b, Vec3 between, float thin, float thick) {
  const float angle_a = a.turns.turn.angle, angle_b = b.turns.turn.angle;
  const float dip = 0.125f * (angle_a * swing_of(a) + angle_b * swing_of(b));
  if (!(dip > 0.5f * kMostDepth * thin) || max_of(angle_a, angle_b) > kMostBend) return false;
  if (length(b.shift - a.shift) + swing_of(a) + swing_of(b) >= kWallWay * thick) return false;
  const float deepest = -(kMostDepth * thin + kRowDip * dip);
  return end_gap(a, b, between, deepest) > deepest;
}

/// The time, as a part of the step, at which two shapes on their ways must stop, lest B gets into A deeper than it may.
/// 1: they need not. `thin` [m]: the thinnest extent. `thick` [m]: see are_bent. `has_wall`: one of them stands.
TALUS_HD inline float first_stop(const ShapePath& a, const ShapePath& b, Vec3 between, float thin, float thick,
                                 bool has_wall) {
  if (are_bent(a, b, between, thin, thick)) return 1.0f;
  const float deepest = -kMostDepth * thin, short_way = kNoPassing * thin;
  if (closing_of(a, b) < short_way && end_gap(a, b, between, deepest) > deepest) return 1.0f;
  const float gap = kStopGap * thin + 4e-7f * (length(between) + length(a.core) + a.rounding);
  float level = gap, time = 0.0f, stop = -1.0f;  // stop: where they were last apart, once they touch
  for (int look = 0; look < kMostAdvances; ++look) {
    const PathsAt paths(a, b, between, time);
    Apart now = paths.apart(level, 1.0f - time);
    if (level > 0.0f && now.gap <= 2.0f * gap) {  // they touch; if they do from the start, they stop where they may not
      if (look > 0) stop = time;                  // get deeper
      if (look == 0 && now.gap < -kSunkDepth * thin) {
        // What has sunk in and turns fast would be stopped while a tip dips, and never get out.
        const float as_deep = now.gap - 1e-4f * thin,
                    way = dot(now.normal, shift_until(b, 1.0f) - shift_until(a, 1.0f));
        if (abs_of(way) < short_way && end_gap(a, b, between, as_deep) > as_deep) return 1.0f;
      }
      // Two that nobody holds touch from the start, and roll off each other: if they stopped whenever a row, which
      // follows turns to first order, lets them dip, both would hang in the air.
      if (look == 0 && !has_wall && closing_of(a, b) < thick) {
        const float rolled = -kRollDepth * thin;
        if (end_gap(a, b, between, rolled) > rolled) return 1.0f;
      }
      level = deepest_gap(look > 0 ? 0.0f : now.gap, thin, has_wall);
      if (level < -0.5f * kUnbounded) return 1.0f;
      now = paths.apart(level, 1.0f - time);
    }
    if (level < 0.0f && now.gap <= level + 0.25f * kCreepDepth * thin) break;
    const float next = min_of(time + now.advance, min_of(next_change(a, time), next_change(b, time)));
    if (next >= 1.0f || (time >= a.hold && time >= b.hold)) return 1.0f;
    time = next;
  }
  return stop >= 0.0f ? stop : time;
}

/// [m] How far the way of one of two that touch from the start must be shortened along `normal`, lest they get deeper
/// into each other than they may and than they were. 0: not at all.
struct Slide {
  Vec3 normal;  // unit, from A to B
  float way;    // [m]
};
TALUS_HD inline Slide slide_of(const ShapePath& a, const ShapePath& b, Vec3 between, float thin) {
  const float passed = (kCreepDepth - kMostDepth) * thin;  // first_stop lets it pass
  const PathsAt last(a, b, between, 1.0f);
  const Apart end = last.apart(passed, 0.0f);
  if (end.gap > passed) return {end.normal, 0.0f};
  const Apart start = PathsAt(a, b, between, 0.0f).apart(kStopGap * thin, 0.0f);
  if (start.gap > 2.0f * kStopGap * thin) return {start.normal, 0.0f};
  // Beside a rim the normal leans, and what rolls past it seems to get deep along it.
  const float least = min_of(start.gap, passed);
  if (end.gap >= least) return {start.normal, 0.0f};
  return {start.normal, max_of(least - last.gap_along(start.normal), 0.0f)};
}

}  // namespace talus::inline TALUS_ISA
