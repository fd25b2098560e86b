// SPDX-License-Identifier: MIT
// Experiments with many joints: chains, loops, trees, and what turns another thing.
#include <algorithm>
#include <vector>

#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: chains and mechanisms";

/// [m] Distance of the two points that a joint should hold together.
struct Anchor {
  BodyId a, b;  // a may be kWorld
  Vecd in_a, in_b;
};
Vecd place(Bench& bench, BodyId body, Vecd in_body) {
  if (body == kWorld) return in_body;
  const Transform pose = bench.world().pose(body);
  return scenes::vec<double>(pose.position) + axis_in_world(pose, in_body);
}
double opening(Bench& bench, const Anchor& anchor) {
  return length(place(bench, anchor.b, anchor.in_b) - place(bench, anchor.a, anchor.in_a));
}

// ---- the carousel: a hub with four chains of three links
// -------------------------------------------------------------

struct Carousel {
  Bench bench;
  std::vector<Anchor> anchors;

  explicit Carousel(const Variant& variant) : bench(variant, {0, 0, -9.81f}, 0.01f) {
    const BodyId hub = bench.add({.shape = sphere(0.1f),
                                  .mass = 10.0f,
                                  .inertia = Vec3{2.5f, 2.5f, 5.0f},
                                  .angular_velocity = {0, 0, 2},
                                  .filter = {.mask = 0}});
    bench.world().add_joint(hinge_joint(kWorld, hub, {0, 0, 0}, {0, 0, 1}));
    for (int chain = 0; chain < 4; ++chain) {
      const Vecd top{std::cos(chain * kPi / 2), std::sin(chain * kPi / 2), 0};
      BodyId above = hub;
      Vecd in_above = top;
      for (int link = 0; link < 3; ++link) {
        const Vecd centre = top + Vecd{0, 0, -0.15 - 0.3 * link};
        const BodyId body = bench.add({.shape = box({0.03f, 0.03f, 0.15f}),
                                       .mass = 0.5f,
                                       .position = scenes::to_vec3(centre),
                                       .linear_velocity = scenes::to_vec3(cross(Vecd{0, 0, 2}, centre)),
                                       .angular_velocity = {0, 0, 2},
                                       .filter = {.mask = 0}});
        bench.world().add_joint(ball_joint(above, body, scenes::to_vec3(centre + Vecd{0, 0, 0.15})));
        anchors.push_back({above, body, in_above, {0, 0, 0.15}});
        above = body;
        in_above = {0, 0, -0.15};
      }
    }
  }
  double mean_opening() {
    double sum = 0;
    for (const Anchor& anchor : anchors) sum += opening(bench, anchor);
    return sum / double(anchors.size());
  }
};
Worst carousel_opening(const Variant& variant, int, std::uint64_t) {
  Carousel carousel(variant);
  Worst worst;
  for (int i = 1; i <= 500; ++i) {
    carousel.bench.step();
    if (i % 10 == 0) worst.compare(carousel.mean_opening(), 0, 1e-3, "after " + std::to_string(i) + " steps");
  }
  return worst;
}
Worst carousel_energy(const Variant& variant, int, std::uint64_t) {
  Carousel carousel(variant);
  const double start = carousel.bench.energy();
  carousel.bench.run(500);
  Worst worst;
  worst.compare(carousel.bench.energy(), start, 1.0, "after 5 s");
  return worst;
}

// ---- loops ----------------------------------------------------------------------------------------------------------

// Two cranks of 1 m carry a bar of 2 m parallel to the ground: a pendulum in one angle. With crank masses 1 kg and the
// bar's 2 kg: (2 m l^2 / 3 + M l^2) a'' = -(m + M) g l sin a.
Worst parallelogram(const Variant& variant, int, std::uint64_t) {
  const double start = 60 * kDegree, crank = 1, bar = 2;  // [rad, kg, kg]
  std::array<double, 2> truth{start, 0};
  const auto rate = [&](const std::array<double, 2>& y) {
    return std::array<double, 2>{y[1], -(crank + bar) * kGravity * std::sin(y[0]) / (2 * crank / 3 + bar)};
  };
  Bench bench(variant);
  const auto end = [&](double x) { return Vec3{float(x + std::sin(start)), float(-std::cos(start)), 0}; };
  const auto add_crank = [&](double x) {
    return bench.add({.shape = capsule(0.02f, 0.48f),
                      .mass = float(crank),
                      .inertia = Vec3{1.0f / 12, 1e-3f, 1.0f / 12},
                      .position = {float(x + std::sin(start) / 2), float(-std::cos(start) / 2), 0},
                      .orientation = turn({0, 0, 1}, start),
                      .filter = {.mask = 0}});
  };
  const BodyId left = add_crank(0), right = add_crank(2);
  const BodyId rod = bench.add({.shape = box({1.0f, 0.05f, 0.05f}),
                                .mass = float(bar),
                                .position = {end(1).x, end(1).y, 0},
                                .filter = {.mask = 0}});
  const Vec3 axis{0, 0, 1};
  bench.world().add_joint(hinge_joint(kWorld, left, {0, 0, 0}, axis));
  bench.world().add_joint(hinge_joint(kWorld, right, {2, 0, 0}, axis));
  bench.world().add_joint(hinge_joint(left, rod, end(0), axis));
  bench.world().add_joint(hinge_joint(right, rod, end(2), axis));
  Worst worst;
  for (int i = 1; i <= 120; ++i) {
    bench.step();
    for (int k = 0; k < 10; ++k) runge_kutta(truth, bench.dt() / 10, rate);
    const Vecd expected{1 + std::sin(truth[0]), -std::cos(truth[0]), 0};
    worst.add(length(bench.position(rod) - expected), "after " + std::to_string(i) + " steps");
  }
  return worst;
}

// A universal joint between shafts that meet at 30 degrees: the second one runs ahead and behind twice a turn.
Worst cardan(const Variant& variant, int, std::uint64_t) {
  const double bend = 30 * kDegree, speed = 2;  // [rad, rad/s]
  Bench bench(variant, {0, 0, 0});
  const BodyDef shaft{.shape = sphere(0.2f), .mass = 1.0f, .inertia = Vec3{0.1f, 0.1f, 0.1f}, .filter = {.mask = 0}};
  BodyDef first = shaft, second = shaft;
  const Vec3 along{float(std::cos(bend)), float(std::sin(bend)), 0};
  first.position = {-1, 0, 0};
  second.position = along;
  const BodyId a = bench.add(first), b = bench.add(second);
  JointDef drive = hinge_joint(kWorld, a, first.position, {1, 0, 0});
  drive.axis(Axis::twist).drive = Drive::velocity;
  drive.axis(Axis::twist).target_velocity = float(speed);
  bench.world().add_joint(drive);
  bench.world().add_joint(hinge_joint(kWorld, b, second.position, along));
  bench.world().add_joint(universal_joint(a, b, {0, 0, 0}, {0, 0, 1}, {-along.y, along.x, 0}));
  bench.world().set_velocity(a, {0, 0, 0}, {float(speed), 0, 0});
  const float slow = float(speed * std::cos(bend));
  bench.world().set_velocity(b, {0, 0, 0}, {slow * along.x, slow * along.y, 0});
  Worst worst;
  for (int i = 1; i <= 200; ++i) {
    bench.step();
    const Vecd arm = axis_in_world(bench.world().pose(a), {0, 0, 1});
    const double turned = std::atan2(-arm.y, arm.z);  // the arm starts across the plane of the two shafts
    const double found = dot(bench.spin(b), scenes::vec<double>(along));
    const double c = std::sin(bend) * std::sin(turned);
    worst.compare(found, speed * std::cos(bend) / (1 - c * c), speed, "turned by " + std::to_string(turned) + " rad");
  }
  return worst;
}

// ---- chains ---------------------------------------------------------------------------------------------------------

// A chain of 40 rods hangs between points 2.4 m apart and comes to rest: sag of its middle against that of rods with
// their weights in their middles, whose angles have equal steps of tangent.
Worst catenary(const Variant& variant, int, std::uint64_t) {
  constexpr int kRods = 40;
  const double rod = 0.1, width = 2.4;  // [m]
  const auto half_width = [&](double step) {
    double sum = 0;
    for (int i = 0; i < kRods / 2; ++i) sum += rod / std::sqrt(1 + std::pow((i + 0.5) * step, 2));
    return sum;
  };
  double low = 0, high = 10;
  for (int i = 0; i < 60; ++i) (half_width((low + high) / 2) > width / 2 ? low : high) = (low + high) / 2;
  double sag = 0;
  for (int i = 0; i < kRods / 2; ++i) {
    const double t = (i + 0.5) * low;
    sag += rod * t / std::sqrt(1 + t * t);
  }
  // It starts as a V, with damping that makes it come to rest.
  Bench bench(variant);
  const double slope = std::acos(width / (kRods * rod));
  BodyId before = kWorld;
  Vecd end{0, 0, 0};
  BodyId middle{};
  for (int i = 0; i < kRods; ++i) {
    const double angle = i < kRods / 2 ? -slope : slope;
    const Vecd along{std::cos(angle), std::sin(angle), 0};
    const BodyId link = bench.add({.shape = capsule(0.01f, 0.04f),
                                   .mass = 0.1f,
                                   .inertia = Vec3{1e-4f, 1e-4f, 1e-4f},
                                   .position = scenes::to_vec3(end + (rod / 2) * along),
                                   .orientation = turn({0, 0, 1}, angle - kPi / 2),
                                   .filter = {.mask = 0},
                                   .linear_damping = 2.0f,
                                   .angular_damping = 2.0f});
    bench.world().add_joint(ball_joint(before, link, scenes::to_vec3(end)));
    end = end + rod * along;
    before = link;
    if (i == kRods / 2) middle = link;
  }
  bench.world().add_joint(ball_joint(before, kWorld, scenes::to_vec3(end)));
  bench.run(900);
  const Transform pose = bench.world().pose(middle);
  const Vecd lowest = scenes::vec<double>(pose.position) - (rod / 2) * axis_in_world(pose, {0, 1, 0});
  Worst worst;
  worst.compare(-lowest.y, sag, 1e-3, "40 rods of 0.1 m between points 2.4 m apart");
  return worst;
}

// A chain of links with a weight at its end swings down from the horizontal: how far its joints open, in the mean over
// them or at worst.
enum class Of { mean, largest };
Worst chain_opening(const Variant& variant, int links, double weight, Of of) {
  Bench bench(variant);
  std::vector<Anchor> anchors;
  BodyId before = kWorld;
  Vecd in_before{0, 0, 0};
  for (int i = 0; i <= links; ++i) {
    const bool last = i == links;
    const Vecd centre{0.5 * i + 0.25, 0, 0};
    const BodyId link = bench.add({.shape = capsule(0.05f, 0.2f),
                                   .mass = last ? float(weight) : 1.0f,
                                   .position = scenes::to_vec3(centre),
                                   .orientation = turn({0, 0, 1}, -kPi / 2),
                                   .filter = {.mask = 0}});
    bench.world().add_joint(ball_joint(before, link, scenes::to_vec3(centre - Vecd{0.25, 0, 0})));
    anchors.push_back({before, link, in_before, {0, -0.25, 0}});
    before = link;
    in_before = {0, 0.25, 0};
  }
  Worst worst;
  for (int i = 1; i <= 240; ++i) {
    bench.step();
    double largest = 0, sum = 0;
    for (const Anchor& anchor : anchors) {
      const double open = opening(bench, anchor);
      largest = std::max(largest, open);
      sum += open;
    }
    worst.compare(1e3 * (of == Of::mean ? sum / double(anchors.size()) : largest), 0, 1.0, "step " + std::to_string(i));
  }
  return worst;
}
Worst chain32(const Variant& variant, int, std::uint64_t) {
  return chain_opening(variant, 31, 1, Of::mean);
}
Worst whip(const Variant& variant, int, std::uint64_t) {
  return chain_opening(variant, 31, 1, Of::largest);
}
Worst ball_and_chain(const Variant& variant, int, std::uint64_t) {
  return chain_opening(variant, 10, 100, Of::largest);
}
Worst wrecking_ball(const Variant& variant, int, std::uint64_t) {
  return chain_opening(variant, 10, 10000, Of::largest);
}

// A tree of 127 bodies whose joints are springs toward their first pose is pushed and comes back (Vondrak 2005,
// "articulated structure").
Worst tree(const Variant& variant, double stiffness, double damping) {
  Bench bench(variant, {0, 0, 0});
  std::vector<BodyId> bodies;
  std::vector<Vecd> places;
  for (int i = 0; i < 127; ++i) {
    const int level = int(std::log2(i + 1)), place = i + 1 - (1 << level);
    const Vecd centre{0.3 * level, (place - ((1 << level) - 1) / 2.0) * 6.0 / (1 << level), 0};
    places.push_back(centre);
    bodies.push_back(bench.add({.shape = sphere(0.1f),
                                .mass = 1.0f,
                                .position = scenes::to_vec3(centre),
                                .filter = {.mask = 0},
                                .linear_damping = 1.0f,
                                .angular_damping = 1.0f}));
    JointDef joint = ball_joint(i == 0 ? kWorld : bodies[std::size_t((i - 1) / 2)], bodies.back(),
                                scenes::to_vec3(i == 0 ? centre : places[std::size_t((i - 1) / 2)]));
    for (const Axis axis : {Axis::twist, Axis::swing_y, Axis::swing_z}) {
      joint.axis(axis).drive = Drive::spring;
      joint.axis(axis).stiffness = float(stiffness);
      joint.axis(axis).damping = float(damping);
    }
    bench.world().add_joint(joint);
  }
  for (const BodyId body : bodies) bench.world().apply_impulse(body, {0, 0, 0.1f});
  double furthest = 0, left = 0;
  for (int i = 0; i < 1200; ++i) {
    bench.step();
    furthest = std::max(furthest, length(bench.position(bodies.back()) - places.back()));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) left = std::max(left, length(bench.position(bodies[i]) - places[i]));
  Worst worst;
  worst.compare(1e3 * left, 0, 1.0, "pushed " + std::to_string(furthest) + " m away");
  return worst;
}

Worst soft_tree(const Variant& variant, int, std::uint64_t) {
  return tree(variant, 100, 1);
}
Worst stiff_tree(const Variant& variant, int, std::uint64_t) {
  return tree(variant, 1000, 300);
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "CarouselOpening",
     .statement = "A carousel, four chains of three links on a hub that turns with 2 rad/s, 5 s in steps of 0.01 s: "
                  "mean opening of the joints (Vondrak 2005, section 9.1; there explicit methods fail within 2 s).",
     .unit = "mm",
     .bound = 0.05,
     .trials = 1,
     .measure = carousel_opening,
     .reference = "0",
     .bounds = "rigid=0.6 rigid_block=0.6 rigid_nncg=0.6 shock=0.6"},
    {.group = kGroup,
     .name = "CarouselEnergy",
     .statement =
         "The same carousel: what it has lost or gained of its energy after 5 s; it starts with 22 J of motion.",
     .unit = "J",
     .bound = 0.02,
     .trials = 1,
     .measure = carousel_energy,
     .reference = "constant"},
    {.group = kGroup,
     .name = "Parallelogram",
     .statement = "Two cranks and a bar, four hinges with three redundant rows, swing from 60 degrees for 2 s: largest "
                  "distance of the bar from where it should be (Vondrak 2005, joint cycles).",
     .unit = "m",
     .bound = 0.02,
     .trials = 1,
     .measure = parallelogram,
     .reference = "a'' = -(m + M) g sin a / ((2 m / 3 + M) l) by Runge-Kutta",
     .bounds = "rigid=0.08 rigid_block=0.08 rigid_nncg=0.08 shock=0.08"},
    {.group = kGroup,
     .name = "CardanShaft",
     .statement = "A universal joint between shafts at 30 degrees: speed of the second shaft over a turn, relative to "
                  "that of the first.",
     .unit = "1",
     .bound = 0.001,
     .trials = 1,
     .measure = cardan,
     .reference = "w2 = w1 cos b / (1 - sin^2 b sin^2 a)",
     .bounds = "rigid=0.015 rigid_block=0.015 rigid_nncg=0.015 shock=0.015"},
    {.group = kGroup,
     .name = "Catenary",
     .statement = "A chain of 40 rods hangs between two points: depth of its middle.",
     .unit = "mm",
     .bound = 0.05,
     .trials = 1,
     .measure = catenary,
     .reference = "equilibrium of the rods, double precision"},
    {.group = kGroup,
     .name = "Chain32",
     .statement = "A chain of 32 links of 0.5 m swings down from the horizontal for 4 s: mean opening of its joints, "
                  "in the worst step (Vondrak 2005, chain).",
     .unit = "mm",
     .bound = 1.5,
     .trials = 1,
     .measure = chain32,
     .reference = "0",
     .bounds = "rigid=12 rigid_block=12 rigid_nncg=12 shock=12"},
    {.group = kGroup,
     .name = "ChainCracksLikeAWhip",
     .statement = "The same chain: largest opening of any joint in any step. Its free end cracks like a whip: the last "
                  "link turns by more than 0.1 rad in a sub-step.",
     .unit = "mm",
     .bound = 40,
     .trials = 1,
     .measure = whip,
     .reference = "0",
     .bounds = "rigid=250 rigid_block=250 rigid_nncg=250 shock=250"},
    {.group = kGroup,
     .name = "BallAndChain",
     .statement = "The same with 10 links and a ball of 100 times their mass (Bender et al. 2014, section 7.3).",
     .unit = "mm",
     .bound = 0.5,
     .trials = 1,
     .measure = ball_and_chain,
     .reference = "0",
     .bounds = "rigid=2.5 rigid_block=2.5 rigid_nncg=2.5 shock=2.5"},
    {.group = kGroup,
     .name = "WreckingBall",
     .statement = "The same with a ball of 10,000 times their mass.",
     .unit = "mm",
     .bound = 0.1,
     .trials = 1,
     .measure = wrecking_ball,
     .reference = "0",
     .bounds = "rigid=3 rigid_block=3 rigid_nncg=3 shock=3"},
    {.group = kGroup,
     .name = "ArticulatedTree",
     .statement = "A tree of 127 balls with springs of 100 N m/rad and 1 N m s/rad in its joints is pushed and comes "
                  "back (Vondrak 2005, articulated structure): what is left after 20 s.",
     .unit = "mm",
     .bound = 15,
     .trials = 1,
     .measure = soft_tree,
     .reference = "0"},
    {.group = kGroup,
     .name = "StiffTree",
     .statement = "The same tree with springs of 1000 N m/rad and 300 N m s/rad.",
     .unit = "mm",
     .bound = 1.0,
     .trials = 1,
     .measure = stiff_tree,
     .not_for = "default jacobi projection rigid rigid_block rigid_nncg shock",
     .why_not = "springs of a tree are solved by sweeps, one joint after another. Where many stiff and strongly damped "
                "ones act on light bodies with long arms the sweeps do not converge, and the tree gains energy. Take "
                "softer springs, or shorter steps.",
     .reference = "0"},
};

}  // namespace

std::span<const Row> mechanism_rows() {
  return kRows;
}

}  // namespace talus::truth
