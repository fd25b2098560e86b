// SPDX-License-Identifier: MIT
// Experiments with bodies that spin on the ground and do the unexpected: a tippe top and a rattleback. Shapes are
// centred on their bodies, so each is made of two bodies, a round one that touches the ground and a weight welded to
// it.
#include <algorithm>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: tippe top and rattleback";

/// A round body with a weight welded to it, at the start. Axes of both are turned about y only.
struct Assembly {
  double mass, weight;           // [kg] of the round body and of the weight
  Vecd body_moments, moments;    // [kg m^2] of the two about their own centres and axes
  double drop;                   // [m] from the round body's centre down to the weight's
  double askew = 0;              // [rad] of the weight's axes about y, against the round body's
  Quat orientation = kIdentity;  // of the whole
  Vecd spin{};                   // [rad/s]
  double friction = 0;
};

/// The assembly as one body in the frame of the round one: its inertia has one product, xz.
struct Inertia {
  double xx, yy, zz, xz;
  explicit Inertia(const Assembly& a) {
    const double reduced = a.mass * a.weight / (a.mass + a.weight), parallel = reduced * a.drop * a.drop;
    const double c = std::cos(a.askew), s = std::sin(a.askew);
    xx = a.body_moments.x + c * c * a.moments.x + s * s * a.moments.z + parallel;
    zz = a.body_moments.z + s * s * a.moments.x + c * c * a.moments.z + parallel;
    yy = a.body_moments.y + a.moments.y;
    xz = c * s * (a.moments.z - a.moments.x);
  }
  Vecd times(Vecd w) const { return {xx * w.x + xz * w.z, yy * w.y, xz * w.x + zz * w.z}; }
  Vecd solve(Vecd l) const {
    const double det = xx * zz - xz * xz;
    return {(zz * l.x - xz * l.z) / det, l.y / yy, (xx * l.z - xz * l.x) / det};
  }
};

/// Where the round body is next to the ground.
struct Touch {
  double gap;  // [m]
  Vecd normal, point;
};
using TouchOf = Touch (*)(Vecd centre, scenes::Rotation<double> turn);

/// Reference: one rigid body on a stiff spring (0.1 mm deep) with Coulomb's friction, which below 1 mm/s is viscous.
class Reference {
 public:
  Reference(const Assembly& a, Vecd centre, TouchOf touch)
      : inertia_(a), touch_(touch), mass_(a.mass + a.weight), up_(a.weight * a.drop / mass_), friction_(a.friction) {
    const scenes::Rotation<double> q = scenes::rotation<double>(a.orientation);
    const Vecd x = centre - scenes::rotate(q, Vecd{0, up_, 0});
    const Vecd l = scenes::rotate(q, inertia_.times(scenes::rotate_back(q, a.spin)));
    state_ = {x.x, x.y, x.z, 0, 0, 0, q.x, q.y, q.z, q.w, l.x, l.y, l.z};
  }
  void run(double seconds) {
    constexpr double kPiece = 5e-5;  // [s]
    for (double t = 0; t < seconds - kPiece / 2; t += kPiece) {
      runge_kutta(state_, kPiece, [this](const State& s) { return rate(s); });
      const double size =
          std::sqrt(state_[6] * state_[6] + state_[7] * state_[7] + state_[8] * state_[8] + state_[9] * state_[9]);
      for (std::size_t i = 6; i < 10; ++i) state_[i] /= size;
    }
  }
  Vecd axis() const { return scenes::rotate(turn(state_), Vecd{0, 1, 0}); }
  Vecd spin() const { return spin(state_); }

 private:
  using State = std::array<double, 13>;  // place, velocity, turn, angular momentum
  static scenes::Rotation<double> turn(const State& s) { return {s[6], s[7], s[8], s[9]}; }
  Vecd spin(const State& s) const {
    const scenes::Rotation<double> q = turn(s);
    return scenes::rotate(q, inertia_.solve(scenes::rotate_back(q, Vecd{s[10], s[11], s[12]})));
  }
  State rate(const State& s) const {
    const Vecd x{s[0], s[1], s[2]}, v{s[3], s[4], s[5]}, w = spin(s);
    const scenes::Rotation<double> q = turn(s);
    const Touch at = touch_(x + scenes::rotate(q, Vecd{0, up_, 0}), q);
    const Vecd arm = at.point - x, speed = v + cross(w, arm);
    const double closing = dot(speed, at.normal), stiffness = 1e4 * mass_ * kGravity, damping = 200 * mass_;
    const double load = at.gap < 0 ? std::max(0.0, -stiffness * at.gap - damping * closing) : 0.0;
    const Vecd slip = speed - closing * at.normal;
    const Vecd force = load * at.normal + (-friction_ * load / std::sqrt(dot(slip, slip) + 1e-6)) * slip;
    const Vecd a = (1 / mass_) * force - Vecd{0, kGravity, 0}, torque = cross(arm, force);
    const Vecd half = 0.5 * w, u{q.x, q.y, q.z};
    const Vecd du = q.w * half + cross(half, u);
    return {v.x, v.y, v.z, a.x, a.y, a.z, du.x, du.y, du.z, -dot(half, u), torque.x, torque.y, torque.z};
  }

  Inertia inertia_;
  TouchOf touch_;
  double mass_, up_, friction_;  // up_: from the common centre of mass to the round body's centre
  State state_{};
};

/// Adds the two bodies, turning about their common centre of mass; the round one.
BodyId add(Bench& bench, const Assembly& a, const ShapeDef& shape, Quat shape_turn, Vecd shape_moments, Vecd centre) {
  const scenes::Rotation<double> q = scenes::rotation<double>(a.orientation);
  const Vecd down = scenes::rotate(q, Vecd{0, -a.drop, 0}), middle = (a.weight / (a.mass + a.weight)) * down;
  const auto times = [](Quat p, Quat r) {
    return Quat{p.w * r.x + p.x * r.w + p.y * r.z - p.z * r.y, p.w * r.y - p.x * r.z + p.y * r.w + p.z * r.x,
                p.w * r.z + p.x * r.y - p.y * r.x + p.z * r.w, p.w * r.w - p.x * r.x - p.y * r.y - p.z * r.z};
  };
  const BodyId body = bench.add({.shape = shape,
                                 .mass = float(a.mass),
                                 .inertia = scenes::to_vec3(shape_moments),
                                 .position = scenes::to_vec3(centre),
                                 .orientation = times(a.orientation, shape_turn),
                                 .linear_velocity = scenes::to_vec3(cross(a.spin, -middle)),
                                 .angular_velocity = scenes::to_vec3(a.spin),
                                 .material = rough(a.friction)});
  const BodyId weight = bench.add({.shape = sphere(0.01f),
                                   .mass = float(a.weight),
                                   .inertia = scenes::to_vec3(a.moments),
                                   .position = scenes::to_vec3(centre + down),
                                   .orientation = times(a.orientation, truth::turn({0, 1, 0}, a.askew)),
                                   .linear_velocity = scenes::to_vec3(cross(a.spin, down - middle)),
                                   .angular_velocity = scenes::to_vec3(a.spin),
                                   .filter = {.mask = 0}});
  bench.world().add_joint(weld_joint(body, weight, scenes::to_vec3(centre)));
  return body;
}

// ---- tippe top ------------------------------------------------------------------------------------------------------

constexpr double kTopRadius = 0.1;  // [m]
Touch on_floor(Vecd centre, scenes::Rotation<double>) {
  return {centre.y - kTopRadius, {0, 1, 0}, centre - Vecd{0, kTopRadius, 0}};
}
/// Equal moments about all axes through the centre of mass, which is 1.5 cm below the ball's centre.
Assembly tippe() {
  const double moment = 4e-3, own = 1e-5, drop = 0.03;
  return {.mass = 1,
          .weight = 1,
          .body_moments = {moment - own - drop * drop / 2, moment - own, moment - own - drop * drop / 2},
          .moments = {own, own, own},
          .drop = drop,
          .orientation = turn({0, 0, 1}, 10 * kDegree),
          .spin = {0, 150, 0},
          .friction = 0.3};
}
Worst tippe_top(const Variant& variant, int, std::uint64_t) {
  const Assembly top = tippe();
  static const double expected = [] {
    Reference reference(tippe(), {0, kTopRadius, 0}, on_floor);
    reference.run(4);
    return reference.axis().y;
  }();
  Bench bench(variant, {0, -9.81f, 0}, 1.0f / 240);
  bench.floor(rough(top.friction));
  const BodyId ball = add(bench, top, sphere(float(kTopRadius)), kIdentity, top.body_moments, {0, kTopRadius, 0});
  bench.run(960);
  Worst worst;
  worst.compare(axis_in_world(bench.world().pose(ball), {0, 1, 0}).y, expected, 1.0, "150 rad/s, friction 0.3, 4 s");
  return worst;
}

// ---- rattleback -----------------------------------------------------------------------------------------------------

// A log, which is round across and straight along, lies on a large ball, so that both its ways to rock have an end; the
// weight below has its axes askew to the log's.
constexpr double kLog = 0.2, kHalfLog = 0.5, kGround = 1.0;  // [m]
Touch on_ball(Vecd centre, scenes::Rotation<double> turn) {
  const Vecd axis = scenes::rotate(turn, Vecd{1, 0, 0});
  const double along = std::clamp(-dot(centre, axis), -kHalfLog, kHalfLog);
  const Vecd place = centre + along * axis, normal = scenes::normalized(place);
  return {length(place) - kGround - kLog, normal, place - kLog * normal};
}
Assembly celt(double spin) {
  return {.mass = 0.5,
          .weight = 0.5,
          .body_moments = {0.002, 0.01, 0.01},
          .moments = {0.004, 0.12, 0.12},
          .drop = 0.28,
          .askew = 0.7,
          .spin = {0.5, spin, 0},
          .friction = 1.0};
}
double true_rattle(double spin, double seconds) {
  Reference reference(celt(spin), {0, kGround + kLog, 0}, on_ball);
  reference.run(seconds);
  return reference.spin().y;
}
double rattle(const Variant& variant, double spin, double seconds) {
  const Assembly body = celt(spin);
  Bench bench(variant, {0, -9.81f, 0}, 1.0f / 240);
  bench.add({.shape = sphere(float(kGround)), .motion = Motion::fixed, .material = rough(body.friction)});
  // The capsule's axis is its y, the log's is x.
  const BodyId log = add(bench, body, capsule(float(kLog), float(kHalfLog)), turn({0, 0, 1}, -kPi / 2),
                         {body.body_moments.y, body.body_moments.x, body.body_moments.z}, {0, kGround + kLog, 0});
  bench.run(int(seconds * 240));
  return bench.spin(log).y;
}
constexpr double kRattle = 8;  // [s]
Worst rattles(const Variant& variant, int, std::uint64_t) {
  static const double expected = true_rattle(-3, kRattle);
  Worst worst;
  worst.compare(rattle(variant, -3, kRattle), expected, 3.0, "started with -3 rad/s");
  return worst;
}
Worst spins_on(const Variant& variant, int, std::uint64_t) {
  static const double expected = true_rattle(3, kRattle);
  Worst worst;
  worst.compare(rattle(variant, 3, kRattle), expected, 3.0, "started with 3 rad/s");
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "TippeTop",
     .statement =
         "A ball with its centre of mass 1.5 cm below its middle, spun with 150 rad/s, turns upside down: height of "
         "its upper side after 4 s, from 1 (upright) to -1, steps of 1/240 s (Bender et al. 2014, section 7.3).",
     .unit = "1",
     .bound = 0.02,
     .trials = 1,
     .measure = tippe_top,
     .reference = "one rigid body with Coulomb's friction by Runge-Kutta, double precision, steps of 0.05 ms",
     .bounds = "jacobi=0.03"},
    {.group = kGroup,
     .name = "RattlebackReverses",
     .statement = "A rattleback spun the wrong way, with -3 rad/s, shakes itself around: its spin after 8 s, relative "
                  "to 3 rad/s, steps of 1/240 s (Bender et al. 2014, section 7.3).",
     .unit = "1",
     .bound = 0.06,
     .trials = 1,
     .measure = rattles,
     .reference = "the same kind of reference",
     .bounds = "default=0.4 jacobi=0.4 projection=0.4 rigid=0.12 rigid_block=0.12 rigid_nncg=0.12 shock=0.3"},
    {.group = kGroup,
     .name = "RattlebackSpinsOn",
     .statement = "Spun the right way, with 3 rad/s, it goes on: its spin after 8 s, relative to 3 rad/s.",
     .unit = "1",
     .bound = 0.06,
     .trials = 1,
     .measure = spins_on,
     .reference = "the same kind of reference"},
};

}  // namespace

std::span<const Row> top_rows() {
  return kRows;
}

}  // namespace talus::truth
