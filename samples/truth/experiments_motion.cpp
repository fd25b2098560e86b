// SPDX-License-Identifier: MIT
// Experiments without contacts: flight, orbits, free rotation.
#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: flight and spin";

// ---- flight ---------------------------------------------------------------------------------------------------------

constexpr double kFlight = 2.0;                                // [s]
constexpr Vec3 kThrow{8.0f, 10.0f, 0.0f};                      // [m/s]
double thrown_height(const Variant& variant, int* substeps) {  // [m] after kFlight
  Bench bench(variant);
  const BodyId ball = bench.add({.shape = sphere(0.1f), .linear_velocity = kThrow});
  bench.run(int(std::lround(kFlight / bench.dt())));
  *substeps = bench.substeps();
  return bench.position(ball).y;
}

Worst projectile(const Variant& variant, int, std::uint64_t) {
  int substeps = 1;
  const double y = thrown_height(variant, &substeps);
  const double h = 1.0 / 60 / substeps, n = kFlight / h;
  Worst worst;
  worst.compare(y, double(kThrow.y) * kFlight - kGravity * h * h * n * (n + 1) / 2, 1.0, "thrown at (8, 10) m/s");
  return worst;
}

Worst parabola(const Variant& variant, int, std::uint64_t) {
  int substeps = 1;
  Worst worst;
  worst.compare(thrown_height(variant, &substeps), double(kThrow.y) * kFlight - kGravity * kFlight * kFlight / 2, 1.0,
                "thrown at (8, 10) m/s");
  return worst;
}

Worst moreau_parabola(const Variant& variant, int, std::uint64_t) {
  Variant moreau = variant;
  moreau.settings.integrator = Integrator::moreau;
  return parabola(moreau, 1, 1);
}

// A planet on an ellipse of half axis 1 m and eccentricity 0.3, one turn in 4 s; the pull is a force that the program
// sets before each step.
Worst kepler(const Variant& variant, int, std::uint64_t) {
  const double period = 4.0, eccentricity = 0.3, pull = std::pow(2 * kPi / period, 2);  // [m^3/s^2]
  const double near = 1 - eccentricity;                                                 // [m]
  Bench bench(variant, {0, 0, 0});
  const BodyId planet = bench.add({.shape = sphere(0.05f),
                                   .mass = 1.0f,
                                   .position = {float(near), 0, 0},
                                   .linear_velocity = {0, float(std::sqrt(pull * (1 + eccentricity) / near)), 0}});
  Unwrap angle;
  angle(0.0);
  double time = 0, turned = 0, before = 0;
  while (turned < 6 * kPi && time < 20) {
    const Vecd x = bench.position(planet);
    bench.world().apply_force(planet, scenes::to_vec3((-pull / std::pow(length(x), 3)) * x));
    bench.step();
    time += bench.dt();
    before = turned;
    const Vecd y = bench.position(planet);
    turned = angle(std::atan2(y.y, y.x));
  }
  time -= bench.dt() * (turned - 6 * kPi) / (turned - before);
  Worst worst;
  worst.compare(time, 3 * period, 3 * period, "three turns");
  return worst;
}

// ---- springs --------------------------------------------------------------------------------------------------------

struct Swing {
  double period;     // [s]
  double amplitude;  // [m] after five periods
};
Swing swing(const Variant& variant) {
  Bench bench(variant, {0, 0, 0});
  const BodyId weight = bench.add({.shape = sphere(0.1f), .mass = 1.0f});
  JointDef slider = slider_joint(kWorld, weight, {0, 0, 0}, {1, 0, 0});
  slider.axis(Axis::x).drive = Drive::spring;
  slider.axis(Axis::x).stiffness = float(4 * kPi * kPi);  // [N/m] one swing a second
  bench.world().add_joint(slider);
  bench.world().set_velocity(weight, {float(2 * kPi), 0, 0}, {0, 0, 0});  // amplitude 1 m
  Crossings crossings;
  double largest = 0;
  for (int i = 1; i <= 330; ++i) {
    bench.step();
    const double x = bench.position(weight).x;
    crossings.add(i * bench.dt(), x);
    if (i > 270) largest = std::max(largest, std::abs(x));
  }
  return {2 * (crossings.last() - crossings.first()) / (crossings.count() - 1), largest};
}
Worst spring_period(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  worst.compare(swing(variant).period, 1.0, 1.0, "k = 4 pi^2 N/m, 1 kg");
  return worst;
}
Worst spring_amplitude(const Variant& variant, int, std::uint64_t) {
  Worst worst;
  worst.compare(swing(variant).amplitude, 1.0, 1.0, "k = 4 pi^2 N/m, 1 kg, after 5 s");
  return worst;
}

// ---- free rotation --------------------------------------------------------------------------------------------------

// Time of the third flip of a body that turns about its middle axis.
Worst flips(const Variant& variant, int, std::uint64_t) {
  const std::array<double, 3> moments{1, 2, 3};
  std::array<double, 3> w{0.01, 5, 0.01};
  const auto euler = [&](const std::array<double, 3>& v) {
    return std::array<double, 3>{(moments[1] - moments[2]) / moments[0] * v[1] * v[2],
                                 (moments[2] - moments[0]) / moments[1] * v[2] * v[0],
                                 (moments[0] - moments[1]) / moments[2] * v[0] * v[1]};
  };
  Crossings truth;
  for (int i = 1; truth.count() < 3; ++i) {
    runge_kutta(w, 1e-3, euler);
    truth.add(i * 1e-3, w[1]);
  }
  Bench bench(variant, {0, 0, 0});
  const BodyId body = bench.add({.shape = box({0.5f, 0.5f, 0.5f}),
                                 .mass = 1.0f,
                                 .inertia = Vec3{1, 2, 3},
                                 .angular_velocity = {0.01f, 5, 0.01f}});
  Crossings found;
  for (int i = 1; found.count() < 3 && i < 1200; ++i) {
    bench.step();
    const BodyMotion m = bench.world().motion(body);
    found.add(i * bench.dt(), dot(bench.spin(body), axis_in_world(m.pose, {0, 1, 0})));
  }
  Worst worst;
  worst.compare(found.last(), truth.last(), 1.0, "moments 1, 2, 3, spin (0.01, 5, 0.01) rad/s");
  return worst;
}

// A plate thrown up wobbles twice as fast as it spins (Feynman): its axis turns about the angular momentum by L / I.
Worst plate(const Variant& variant, int, std::uint64_t) {
  const double spin = 10, tilt = 0.1, moment = 1;  // [rad/s, rad, kg m^2]; 2 kg m^2 about the plate's own axis
  Bench bench(variant, {0, 0, 0});
  const Vecd w{spin * std::sin(tilt) * 2, spin * std::cos(tilt), 0};  // body axes: momentum (.., .., 0)
  const BodyId body = bench.add({.shape = box({0.5f, 0.02f, 0.5f}),
                                 .mass = 1.0f,
                                 .inertia = Vec3{float(moment), float(2 * moment), float(moment)},
                                 .angular_velocity = scenes::to_vec3(w)});
  const Vecd momentum{moment * w.x, 2 * moment * w.y, 0};
  const Vecd along = scenes::normalized(momentum), side = cross(along, Vecd{0, 0, 1});
  Unwrap angle;
  double turned = 0;
  for (int i = 0; i <= 300; ++i) {
    if (i > 0) bench.step();
    const Vecd axis = axis_in_world(bench.world().pose(body), {0, 1, 0});
    turned = angle(std::atan2(dot(axis, Vecd{0, 0, 1}), dot(axis, side)));
  }
  Worst worst;
  worst.compare(std::abs(turned) / 5, length(momentum) / moment, length(momentum) / moment, "spin 10 rad/s, 5 s");
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "Projectile",
     .statement = "A ball thrown at (8, 10) m/s is, after 2 s, where the scheme's own closed form puts it: the "
                  "velocity is updated first, then the position, in each sub-step.",
     .unit = "m",
     .bound = 8e-05,
     .trials = 1,
     .measure = projectile,
     .reference = "y = v t - g h^2 n (n + 1) / 2, n sub-steps of h"},
    {.group = kGroup,
     .name = "Parabola",
     .statement =
         "The same ball against the parabola itself. The scheme is of first order: it falls further by g h t / 2.",
     .unit = "m",
     .bound = 0.05,
     .trials = 1,
     .measure = parabola,
     .reference = "y = v t - g t^2 / 2",
     .bounds = "rigid=0.2 rigid_block=0.2 rigid_nncg=0.2 shock=0.2"},
    {.group = kGroup,
     .name = "ParabolaByMoreau",
     .statement = "The same with `Integrator::moreau`, which is exact for a constant force.",
     .unit = "m",
     .bound = 8e-05,
     .trials = 1,
     .measure = moreau_parabola,
     .reference = "y = v t - g t^2 / 2"},
    {.group = kGroup,
     .name = "KeplerOrbit",
     .statement = "A planet on an ellipse of eccentricity 0.3 comes round three times in three periods. Its pull is a "
                  "force that is set once a step, 240 times a turn.",
     .unit = "1",
     .bound = 0.005,
     .trials = 1,
     .measure = kepler,
     .not_for = "default jacobi projection",
     .why_not = "a force that is set once a step stays as it is over the step's sub-steps, and the orbit then gains "
                "energy. Set forces that depend on the place more often (shorter steps), or take one sub-step.",
     .reference = "T = 2 pi sqrt(a^3 / GM), Kepler's third law"},
    {.group = kGroup,
     .name = "SpringPeriod",
     .statement = "A weight on a spring (a slider's drive) swings once a second.",
     .unit = "1",
     .bound = 0.0006,
     .trials = 1,
     .measure = spring_period,
     .reference = "T = 2 pi sqrt(m / k)",
     .bounds = "rigid=0.01 rigid_block=0.01 rigid_nncg=0.01 shock=0.01"},
    {.group = kGroup,
     .name = "SpringAmplitude",
     .statement = "It keeps its amplitude for five swings. It does not: springs are integrated implicitly, which is "
                  "stable for any stiffness and takes (2 pi h / T)^2 / 2 of the amplitude in each sub-step.",
     .unit = "1",
     .bound = 0.4,
     .trials = 1,
     .measure = spring_amplitude,
     .not_for = "rigid rigid_block rigid_nncg shock",
     .why_not = "one sub-step of 1/60 s takes four fifths of the amplitude in five seconds.",
     .reference = "amplitude 1 m for ever"},
    {.group = kGroup,
     .name = "MiddleAxisFlips",
     .statement = "A body with moments 1, 2, 3 that turns about its middle axis flips over for the third time "
                  "(Dzhanibekov's wing nut; Vondrak 2005, section 5.2.2).",
     .unit = "s",
     .bound = 0.2,
     .trials = 1,
     .measure = flips,
     .reference = "Euler's equations by Runge-Kutta, double precision, steps of 1 ms"},
    {.group = kGroup,
     .name = "FeynmansPlate",
     .statement = "A spinning plate wobbles about twice as fast as it spins: rate of the wobble over 5 s, relative.",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = plate,
     .reference = "L / I, I about a diameter"},
};

}  // namespace

std::span<const Row> motion_rows() {
  return kRows;
}

}  // namespace talus::truth
