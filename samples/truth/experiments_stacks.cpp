// SPDX-License-Identifier: MIT
// Experiments on stacks and contact forces: towers, walls, dominoes, desks.
#include <algorithm>
#include <vector>

#include "scenes/metrics.h"
#include "scenes/scene.h"
#include "truth/experiment.h"

namespace talus::truth {
namespace {

constexpr const char* kGroup = "Experiments: stacks and contact forces";

// ---- contact forces -------------------------------------------------------------------------------------------------

/// [N] that the contacts between two bodies bear, over one step.
double load_between(World& world, BodyId a, BodyId b, double dt) {
  double sum = 0;
  for (const ContactReport& contact : world.read_contacts()) {
    const bool these = (contact.a == a && contact.b == b) || (contact.a == b && contact.b == a);
    for (int i = 0; these && i < contact.point_count; ++i) sum += double(contact.points[i].normal_impulse);
  }
  return sum / dt;
}

// Bender et al. 2014, section 7.3: what each joint of a tower of ten cubes bears.
Worst tower_forces(const Variant& variant, int, std::uint64_t) {
  WorldDef def = bench_def(variant, {0, -9.81f, 0});
  def.contact_reports = true;
  World world(def);
  std::vector<BodyId> bodies{world.add_body({.shape = plane({0, 1, 0})})};
  for (int i = 0; i < 10; ++i) {
    bodies.push_back(
        world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 1.0f, .position = {0, 0.5f + float(i), 0}}));
  }
  for (int i = 0; i < 300; ++i) world.step(kStep);
  Worst worst;
  for (std::size_t i = 0; i < 10; ++i) {
    const double expected = double(10 - i) * kGravity;
    worst.compare(load_between(world, bodies[i], bodies[i + 1], double(kStep)), expected, expected,
                  "under cube " + std::to_string(i + 1));
  }
  return worst;
}
// Bender et al. 2014, section 7.3: a cube of ten times the mass on another: the floor bears eleven weights.
Worst heavy_on_light(const Variant& variant, int, std::uint64_t) {
  WorldDef def = bench_def(variant, {0, -9.81f, 0});
  def.contact_reports = true;
  World world(def);
  const BodyId floor = world.add_body({.shape = plane({0, 1, 0})});
  const BodyId low = world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 1.0f, .position = {0, 0.5f, 0}});
  world.add_body({.shape = box({0.5f, 0.5f, 0.5f}), .mass = 10.0f, .position = {0, 1.5f, 0}});
  for (int i = 0; i < 300; ++i) world.step(kStep);
  Worst worst;
  worst.compare(load_between(world, floor, low, double(kStep)), 11 * kGravity, 11 * kGravity, "10 kg on 1 kg");
  return worst;
}
// A lift that starts with 2 m/s^2: its floor bears m (g + a).
Worst lift(const Variant& variant, int, std::uint64_t) {
  WorldDef def = bench_def(variant, {0, -9.81f, 0});
  def.contact_reports = true;
  World world(def);
  const BodyId floor = world.add_body({.shape = box({1, 0.1f, 1}), .motion = Motion::kinematic});
  const BodyId load = world.add_body({.shape = box({0.3f, 0.3f, 0.3f}), .mass = 10.0f, .position = {0, 0.4f, 0}});
  double sum = 0;
  for (int i = 0; i < 120; ++i) {
    world.set_velocity(floor, {0, float(2.0 * (i + 1) / 60), 0}, {0, 0, 0});
    world.step(kStep);
    if (i >= 60) sum += load_between(world, floor, load, double(kStep));
  }
  Worst worst;
  worst.compare(sum / 60, 10 * (kGravity + 2), 10 * (kGravity + 2), "10 kg, mean over a second");
  return worst;
}

// ---- stacks ---------------------------------------------------------------------------------------------------------

/// Runs a scene and gives its measures.
scenes::Metrics run_scene(const Variant& variant, const char* name, int steps) {
  WorldDef def = bench_def(variant, {0, -9.81f, 0});
  scenes::RunningScene running(scenes::make_scene(name), def);
  for (int i = 0; i < steps; ++i) running.step();
  return scenes::measure(running.scene(), running.motions());
}
Worst moved(const Variant& variant, const char* name, int steps) {
  const scenes::Metrics metrics = run_scene(variant, name, steps);
  Worst worst;
  worst.compare(1e3 * std::max(metrics.drift_max, metrics.sag_max), 0, 1.0, name);
  return worst;
}
Worst box_stack(const Variant& variant, int, std::uint64_t) {
  return moved(variant, "box_stack_25", 400);
}
Worst wall(const Variant& variant, int, std::uint64_t) {
  return moved(variant, "wall_200", 200);
}
Worst card_house(const Variant& variant, int, std::uint64_t) {
  return moved(variant, "card_house_3", 300);
}

// Vondrak 2005, contact stabilisation: five boxes that overlap by 1 % are pushed apart without gaining speed.
Worst overlapping_stack(const Variant& variant, int, std::uint64_t) {
  Bench bench(variant);
  bench.floor(rough(0.5));
  std::vector<BodyId> boxes;
  boxes.reserve(5);
  for (int i = 0; i < 5; ++i) {
    boxes.push_back(bench.add(
        {.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, float(0.49 + 0.99 * i), 0}, .material = rough(0.5)}));
  }
  bench.run(300);
  Worst worst;
  worst.compare(1e3 * bench.position(boxes.back()).y, 4500, 1.0, "after 5 s");
  return worst;
}
// Vondrak 2005, critical contacts: a cube is crushed between two plates that cannot be stopped.
Worst crushed_cube(const Variant& variant, int, std::uint64_t) {
  Bench bench(variant);
  bench.floor(rough(0.5));
  const BodyId cube = bench.add({.shape = box({0.5f, 0.5f, 0.5f}), .position = {0, 0.5f, 0}, .material = rough(0.5)});
  for (const int side : {-1, 1}) {
    bench.add({.shape = box({0.5f, 1, 1}),
               .motion = Motion::kinematic,
               .position = {1.05f * float(side), 1, 0},
               .linear_velocity = {-0.1f * float(side), 0, 0},
               .material = rough(0.5)});
  }
  Worst worst;
  for (int i = 0; i < 180; ++i) {  // each plate goes 0.25 m into it
    bench.step();
    worst.compare(length(bench.velocity(cube)), 0, 1.0, "step " + std::to_string(i));
  }
  return worst;
}

// Vondrak 2005, group merging: two boxes meet. What is far away changes nothing, and neither box is favoured.
Worst meeting_boxes(const Variant& variant, int, std::uint64_t) {
  std::vector<Vecd> ends;
  for (const bool others : {false, true}) {
    Bench bench(variant);
    bench.floor(rough(0.1));
    std::vector<BodyId> boxes;
    for (const int side : {-1, 1}) {
      boxes.push_back(bench.add({.shape = box({0.5f, 0.5f, 0.5f}),
                                 .position = {float(side), 0.5f, 0},
                                 .linear_velocity = {float(-side), 0, 0},
                                 .material = rough(0.1)}));
    }
    for (int i = 0; others && i < 20; ++i) {
      const int column = i % 5, row = i / 5;
      bench.add({.shape = sphere(0.5f), .position = {50.0f + 0.7f * float(column), 1.0f + 0.8f * float(row), 0}});
    }
    bench.run(120);
    for (const BodyId body : boxes) ends.push_back(bench.position(body));
  }
  Worst worst;
  worst.compare(length(ends[0] - ends[2]), 0, 1e-3, "twenty balls 50 m away");
  worst.compare(ends[0].x + ends[1].x, 0, 1e-3, "mirror image");
  return worst;
}

// ---- friction of many -----------------------------------------------------------------------------------------------

// Vondrak 2005, friction: a desk without friction on the table carries three boxes; the top one is pushed, and all go
// with it as long as F is below mu m_top g M / (M - m_top).
Worst dragged_desk(const Variant& variant, int, std::uint64_t) {
  Bench bench(variant);
  bench.floor(slippery());
  Material desk = rough(0.5);
  desk.friction_combine = Combine::geometric_mean;
  const BodyId low =
      bench.add({.shape = box({1, 0.1f, 0.5f}), .mass = 4.0f, .position = {0, 0.1f, 0}, .material = desk});
  BodyId top = low;
  for (int i = 0; i < 3; ++i) {
    top = bench.add(
        {.shape = box({0.3f, 0.1f, 0.3f}), .mass = 2.0f, .position = {0, float(0.3 + 0.2 * i), 0}, .material = desk});
  }
  bench.run(30);
  const double start = bench.world().mechanics().momentum[0];
  const double force = 0.8 * 0.5 * 2 * kGravity * 10 / 8;  // [N] 0.8 of what the top box can pass on
  for (int i = 0; i < 60; ++i) {
    bench.world().apply_force(top, {float(force), 0, 0});
    bench.step();
  }
  const double expected = force / 10 - start / 10;
  Worst worst;
  for (const BodyId body : {low, top}) worst.compare(bench.velocity(body).x, expected, expected, "after 1 s");
  return worst;
}

// Van Leeuwen (Am. J. Phys. 78, 721, 2010): speed of falling dominoes without friction among them. Those that fall lean
// on each other, h sin(a_i - a_next) = (s + d) cos a_next - d; impacts are plastic.
struct Train {
  double spacing, thick, height;        // [m] between faces; of a domino
  std::vector<double> angles, weights;  // of those that fall, from the head back, and their rates over the head's

  void settle(double head, std::size_t count) {
    angles.assign(1, head);
    weights.assign(1, 1.0);
    while (angles.size() < count) {
      const double a = angles.back(), pitch = spacing + thick;
      const double lever = (pitch * std::cos(a) - thick) / height;
      const double behind = a + std::asin(lever);
      const double rate = 1 - pitch * std::sin(a) / (height * std::cos(behind - a));
      angles.push_back(behind);
      weights.push_back(weights.back() * rate);
    }
  }
  double inertia() const {  // of the head's rate, per mass
    double sum = 0;
    for (const double w : weights) sum += w * w;
    return sum * (height * height + thick * thick) / 3;
  }
  double potential() const {
    double sum = 0;
    for (const double a : angles) sum += kGravity * (height * std::cos(a) + thick * std::sin(a)) / 2;
    return sum;
  }
};
double domino_speed(double spacing, double thick, double height) {  // [m/s]
  Train train{spacing, thick, height, {}, {}};
  const double hit = std::asin(spacing / height);  // the head touches the next one
  double rate = 1.0, time = 0;                     // [rad/s] of the head after the last impact; [s] of the last domino
  for (std::size_t count = 1; count <= 40; ++count) {
    train.settle(0, count);
    const double energy = train.inertia() * rate * rate / 2 + train.potential();
    time = 0;
    constexpr int kPieces = 2000;
    for (int i = 0; i < kPieces; ++i) {
      train.settle(hit * (i + 0.5) / kPieces, count);
      time += hit / kPieces / std::sqrt(2 * (energy - train.potential()) / train.inertia());
    }
    train.settle(hit, count);
    rate = std::sqrt(2 * (energy - train.potential()) / train.inertia());
    std::vector<double> before{0.0};
    for (const double w : train.weights) before.push_back(w * rate);
    train.settle(0, count + 1);
    double projected = 0, squares = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      projected += train.weights[i] * before[i];
      squares += train.weights[i] * train.weights[i];
    }
    rate = projected / squares;
  }
  return (spacing + thick) / time;
}
Worst dominoes(const Variant& variant, int, std::uint64_t) {
  const double spacing = 0.35, thick = 0.15, height = 1;  // [m]
  Bench bench(variant);
  bench.floor(rough(2.0));
  std::vector<BodyId> pieces;
  constexpr std::size_t kPieces = 24;
  for (std::size_t i = 0; i < kPieces; ++i) {
    pieces.push_back(bench.add({.shape = box({float(thick / 2), float(height / 2), 0.25f}),
                                .position = {float(double(i) * (spacing + thick)), float(height / 2), 0},
                                .angular_velocity = {0, 0, i == 0 ? -1.5f : 0.0f},
                                .material = {.friction = 0.0f, .friction_combine = Combine::average}}));
  }
  bench.world().set_velocity(pieces[0], {0.75f, 0, 0}, {0, 0, -1.5f});
  std::vector<double> hit(kPieces, 0.0);
  for (int i = 1; i < 600 && hit[20] == 0; ++i) {
    bench.step();
    for (std::size_t k = 0; k < kPieces; ++k) {
      const double lean = axis_in_world(bench.world().pose(pieces[k]), {0, 1, 0}).x;
      if (hit[k] == 0 && lean > 0.02) hit[k] = i * bench.dt();
    }
  }
  const double expected = domino_speed(spacing, thick, height);
  Worst worst;
  worst.compare(hit[20] > 0 ? 10 * (spacing + thick) / (hit[20] - hit[10]) : 0.0, expected, expected,
                "1 m high, 0.15 m thick, 0.35 m apart");
  return worst;
}

const Row kRows[] = {
    {.group = kGroup,
     .name = "TowerForces",
     .statement = "What the contacts of a tower of ten cubes bear, relative, the worst of ten (Bender et al. 2014, "
                  "section 7.3).",
     .unit = "1",
     .bound = 4e-05,
     .trials = 1,
     .measure = tower_forces,
     .not_for = "shock",
     .why_not = "layers are solved one on another, each with the one below held: the impulses of the last layer pass "
                "are not what the contact bears.",
     .reference = "k m g",
     .bounds = "rigid=0.08 rigid_block=0.01"},
    {.group = kGroup,
     .name = "HeavyOnLight",
     .statement = "What the floor bears under a cube with one of ten times its mass on it, relative (Bender et al. "
                  "2014, section 7.3).",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = heavy_on_light,
     .not_for = "shock",
     .why_not = "as for TowerForces.",
     .reference = "11 m g"},
    {.group = kGroup,
     .name = "Lift",
     .statement = "What the floor of a lift bears that starts with 2 m/s^2, relative.",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = lift,
     .not_for = "default jacobi projection",
     .why_not = "the load that is reported is that of the last sub-step of a step, and the jolt of each new speed of "
                "the lift falls into the first one. The boxes themselves move right.",
     .reference = "m (g + a)",
     .bounds = "rigid_nncg=2.5e-05"},
    {.group = kGroup,
     .name = "BoxStack25",
     .statement = "Largest movement of 25 cubes of 1 t in a column, 4 s in steps of 0.01 s (Erleben 2007, box stack).",
     .unit = "mm",
     .bound = 120,
     .trials = 1,
     .measure = box_stack,
     .reference = "0",
     .bounds = "jacobi=250 rigid=150 rigid_block=200"},
    {.group = kGroup,
     .name = "Wall200",
     .statement = "Largest movement of a wall of 200 bricks, 2 s in steps of 0.01 s (Erleben 2007, wall).",
     .unit = "mm",
     .bound = 10,
     .trials = 1,
     .measure = wall,
     .reference = "0",
     .bounds = "jacobi=60"},
    {.group = kGroup,
     .name = "CardHouse",
     .statement = "Largest movement of a house of cards with three storeys, 5 s (Bender et al. 2014, section 7.3).",
     .unit = "mm",
     .bound = 15,
     .trials = 1,
     .measure = card_house,
     .not_for = "jacobi shock",
     .why_not = "with as few sweeps as the default Jacobi does not hold it; shock propagation takes cards that lean on "
                "each other for a stack, and most houses fall.",
     .reference = "0",
     .bounds = "projection=30"},
    {.group = kGroup,
     .name = "OverlappingStack",
     .statement = "Height of the uppermost of five boxes that started 1 % inside each other, after 5 s (Vondrak 2005, "
                  "contact stabilisation).",
     .unit = "mm",
     .bound = 6,
     .trials = 1,
     .measure = overlapping_stack,
     .reference = "4.5 m",
     .bounds = "jacobi=15 projection=8 rigid=8 rigid_block=8 rigid_nncg=8"},
    {.group = kGroup,
     .name = "CrushedCube",
     .statement = "Largest speed of a cube that two unstoppable plates crush to half its width: no answer is right, it "
                  "must not explode (Vondrak 2005, critical contacts).",
     .unit = "m/s",
     .bound = 0.4,
     .trials = 1,
     .measure = crushed_cube,
     .reference = "0"},
    {.group = kGroup,
     .name = "MeetingBoxes",
     .statement = "Two boxes meet with 1 m/s each: how far their places differ from those without twenty balls "
                  "elsewhere in the world, and from mirror images (Vondrak 2005, group merging).",
     .unit = "mm",
     .bound = 0.02,
     .trials = 1,
     .measure = meeting_boxes,
     .reference = "the same places with and without others; mirror images"},
    {.group = kGroup,
     .name = "DraggedDesk",
     .statement = "A force on the uppermost of three boxes drags them and the desk below: their speeds after 1 s, "
                  "relative (Vondrak 2005, friction).",
     .unit = "1",
     .bound = 2e-05,
     .trials = 1,
     .measure = dragged_desk,
     .not_for = "shock",
     .why_not = "friction between layers is solved from the ground up, and the desk gets too little of a push that "
                "comes from above.",
     .reference = "F / M"},
    {.group = kGroup,
     .name = "DominoSpeed",
     .statement = "Speed at which dominoes of 1 m x 0.15 m, 0.35 m apart, fall, relative.",
     .unit = "1",
     .bound = 0.06,
     .trials = 1,
     .measure = dominoes,
     .reference = "van Leeuwen, Am. J. Phys. 78, 721 (2010): a train of dominoes that lean on each other, plastic "
                  "impacts, no friction among them; integrated here",
     .bounds = "projection=0.08 rigid=0.08 rigid_block=0.08 rigid_nncg=0.08 shock=0.08"},
};

}  // namespace

std::span<const Row> stack_rows() {
  return kRows;
}

}  // namespace talus::truth
