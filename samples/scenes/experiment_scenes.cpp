// SPDX-License-Identifier: MIT
#include "experiment_scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "scene_parts.h"

namespace talus::scenes {
namespace {

constexpr float kDt = 0.01f;              // [s]
constexpr Vecd kBrick{0.5, 0.25, 0.25};   // [m] half extents
constexpr float kBrickDensity = 2000.0f;  // [kg/m^3]
constexpr int kRing = 20;                 // bricks in a ring of the tower or a row of the wall
constexpr double kBrickGap = 0.03;        // [m] between the inner edges of neighbours in a ring
constexpr float kRoofRestitution = 0.2f;  // [1]
constexpr double kRoofDrop = 1.0;         // [m]
constexpr int kRoofBricks = 50;           // mass of the roof, in bricks
constexpr Vec3 kCannonSpeed{60, 0, 0};    // [m/s]

BodyDef brick_at(Vecd position) {
  BodyDef def = body_at(box(to_vec3(kBrick)), position);
  def.density = kBrickDensity;
  return def;
}

double ring_radius() {
  return (kBrick.x + kBrickGap / 2) / std::tan(kPi / kRing) + kBrick.z;
}

// Rings of twenty bricks; odd ones are turned by half a brick.
void add_tower(Scene& scene, int bricks) {
  for (int i = 0; i < bricks; ++i) {
    const int ring = i / kRing;
    const double angle = 2 * kPi * (i % kRing + 0.5 * (ring % 2)) / kRing;
    BodyDef def =
        brick_at({ring_radius() * std::sin(angle), kBrick.y * (2 * ring + 1), ring_radius() * std::cos(angle)});
    def.orientation = turn_about({0, 1, 0}, angle);
    scene.bodies.push_back(def);
  }
}

Scene standing_scene() {
  Scene scene;
  scene.dt = kDt;
  scene.stack = true;
  add_ground(scene);
  return scene;
}

struct Stroke {
  double x0, y0, x1, y1;  // in letters of width 1 and height 1.6
};
constexpr std::array kT{Stroke{0, 1.6, 1, 1.6}, Stroke{0.5, 0, 0.5, 1.6}};
constexpr std::array kA{Stroke{0, 0, 0.5, 1.6}, Stroke{0.5, 1.6, 1, 0}, Stroke{0.25, 0.7, 0.75, 0.7}};
constexpr std::array kL{Stroke{0, 0, 0, 1.6}, Stroke{0, 0, 1, 0}};
constexpr std::array kU{Stroke{0, 0, 0, 1.6}, Stroke{0, 0, 1, 0}, Stroke{1, 0, 1, 1.6}};
constexpr std::array kS{Stroke{0, 0, 1, 0}, Stroke{1, 0, 1, 0.8}, Stroke{0, 0.8, 1, 0.8}, Stroke{0, 0.8, 0, 1.6},
                        Stroke{0, 1.6, 1, 1.6}};

}  // namespace

// One column of cubes: the worst case of a solver that sweeps from contact to contact.
Scene box_stack(int boxes) {
  Scene scene = standing_scene();
  for (int i = 0; i < boxes; ++i) scene.bodies.push_back(body_at(box({0.5f, 0.5f, 0.5f}), {0, 0.5 + i, 0}));
  return scene;
}

// Rows of twenty bricks. Odd rows are shifted by a quarter of a brick: by a half, those at the ends would stand exactly
// at their tipping point.
Scene wall(int bricks) {
  Scene scene = standing_scene();
  scene.view_from = {0.25f, 0.20f, 1.0f};
  for (int i = 0; i < bricks; ++i) {
    const int row = i / kRing;
    const double x = (i % kRing - 0.5 * (kRing - 1) + (row % 2 == 0 ? -0.125 : 0.125)) * 2 * kBrick.x;
    scene.bodies.push_back(brick_at({x, kBrick.y * (2 * row + 1), 0}));
  }
  return scene;
}

Scene tower(int bricks) {
  Scene scene = standing_scene();
  add_tower(scene, bricks);
  return scene;
}

// Balls that overlap by a fifth of their size from below, and the floor by a tenth. Nothing pulls: what moves them is
// the correction of their positions alone.
Scene ball_grid(int balls) {
  Scene scene;
  scene.dt = kDt;
  scene.gravity = {0.0f, 0.0f, 0.0f};
  add_ground(scene);
  const int n = std::max(1, static_cast<int>(std::lround(std::cbrt(double(balls)))));
  const double middle = 0.5 * (n - 1);
  for (int i = 0; i < n * n * n; ++i) {
    const int layer = i / (n * n), row = i / n % n, column = i % n;
    scene.bodies.push_back(body_at(sphere(0.5f), {column - middle, 0.4 + 0.8 * layer, row - middle}));
  }
  return scene;
}

// The tower, a heavy roof that falls on it from one metre, and, once that has come to rest, a ball shot at its middle.
// The roof is the last body but one, the ball the last.
Scene tower_roof(int bricks) {
  Scene scene = standing_scene();
  scene.view_from = {-0.65f, 0.35f, 0.65f};  // the ball comes from there
  add_tower(scene, bricks);
  const int layers = (bricks + kRing - 1) / kRing;
  const double top = 2 * kBrick.y * layers;
  const double half_width = ring_radius() + kBrick.z;
  BodyDef roof = body_at(box(to_vec3({half_width, 0.5, half_width})), {0, top + kRoofDrop + 0.5, 0});
  roof.mass = kRoofBricks * kBrickDensity * float(8 * kBrick.x * kBrick.y * kBrick.z);
  roof.material.restitution = kRoofRestitution;
  scene.bodies.push_back(roof);

  BodyDef ball = body_at(sphere(0.75f), {-half_width - 4, 0.45 * top, 0});
  ball.density = 7800.0f;
  ball.gravity_scale = 0.0f;  // it waits where it will fly
  scene.bodies.push_back(ball);
  scene.before_step = [](World& world, std::span<const BodyId> bodies, std::uint64_t step, float) {
    if (step == kCannonStep) world.set_velocity(bodies.back(), kCannonSpeed, {0.0f, 0.0f, 0.0f});
  };
  return scene;
}

// Boxes and spheres fall into twelve walls.
Scene silo(int count) {
  Scene scene;
  scene.dt = kDt;
  scene.view_from = {0.5f, 0.9f, 0.6f};
  add_ground(scene);
  constexpr int kWalls = 12;
  const double spacing = 1.1, thickness = 0.5;
  const int across = std::max(3, static_cast<int>(std::lround(std::cbrt(0.5 * count))));
  const double radius = across * spacing / 2 + 0.5;  // of the circle that touches the walls from inside
  std::vector<Vecd> places;                          // of one layer
  for (int i = 0; i < across * across; ++i) {
    const int column = i % across, row = i / across;
    const Vecd place{(column - 0.5 * (across - 1)) * spacing, 0, (row - 0.5 * (across - 1)) * spacing};
    if (length(place) < radius - 0.95) places.push_back(place);
  }
  const int in_layer = static_cast<int>(places.size());
  const int whole_layers = count / in_layer;
  const double height = (whole_layers + 2) * spacing * 1.1 + 2;
  for (int i = 0; i < kWalls; ++i) {
    const double angle = 2 * kPi * i / kWalls;
    const Vecd inward{-std::cos(angle), 0, -std::sin(angle)};
    BodyDef side = static_box(-(radius + thickness) * inward + Vecd{0, height / 2, 0},
                              {thickness, height / 2, (radius + 2 * thickness) * std::tan(kPi / kWalls)});
    side.orientation = turn_about({0, 1, 0}, -angle);
    scene.statics.push_back(side);
    scene.boundaries.push_back({inward, -radius});
  }
  Jitter jitter;
  for (int i = 0; i < count; ++i) {
    const int layer = i / in_layer;
    const Vecd place = places[static_cast<std::size_t>(i % in_layer)] + Vecd{0, 0.6 + layer * spacing, 0};
    const ShapeDef shape = i % 2 == 0 ? box({0.4f, 0.4f, 0.4f}) : sphere(0.5f);
    scene.bodies.push_back(body_at(shape, place + random_vec(jitter, 0.02)));
  }
  return scene;
}

// Balls of many sizes roll down a plane with letters on it, to a bar at its foot. The plane leans by 20 degrees towards
// +z; letters are read from there.
Scene incline(int balls) {
  Scene scene;
  scene.dt = kDt;
  scene.view_from = {0.0f, 0.9f, 0.8f};
  const double lean = 20 * kPi / 180;
  const Vecd up{0, std::cos(lean), std::sin(lean)}, uphill{0, std::sin(lean), -std::cos(lean)}, right{1, 0, 0};
  const auto on_plane = [&](double x, double along, double above) { return x * right + along * uphill + above * up; };
  scene.statics.push_back(body_at(plane(to_vec3(up)), {0, 0, 0}));
  scene.boundaries.push_back({up, 0});
  // A bar on the plane from one point to another. Turned about x it lies on the plane, then about the plane's normal.
  const auto add_bar = [&](Stroke s, double half_thickness, double half_height) {
    const double dx = s.x1 - s.x0, dy = s.y1 - s.y0, half = 0.5 * std::hypot(dx, dy) + half_thickness;
    BodyDef bar =
        static_box(on_plane((s.x0 + s.x1) / 2, (s.y0 + s.y1) / 2, half_height), {half, half_height, half_thickness});
    const double turn = std::atan2(dy, dx) / 2, c = std::cos(turn), sn = std::sin(turn);
    const double cl = std::cos(lean / 2), sl = std::sin(lean / 2);
    bar.orientation = {float(sl * c), float(cl * sn), float(sl * sn), float(cl * c)};
    scene.statics.push_back(bar);
  };
  const std::array<std::span<const Stroke>, 5> word{kT, kA, kL, kU, kS};
  const double size = 6, pitch = 9;  // [m] width of a letter, and from one to the next
  for (std::size_t letter = 0; letter < word.size(); ++letter) {
    const double left = (double(letter) - 2) * pitch - size / 2;
    for (const Stroke& s : word[letter]) {
      add_bar({left + size * s.x0, size * s.y0, left + size * s.x1, size * s.y1}, 0.2, 0.3);
    }
  }
  add_bar({-26, -6, 26, -6}, 0.5, 1.5);

  Jitter jitter;
  const int columns = 40, rows = 12;
  for (int i = 0; i < balls; ++i) {
    const int layer = i / (columns * rows), row = i / columns % rows, column = i % columns;
    const double radius = 0.3 + 0.15 * jitter.next();
    const Vecd shift = random_vec(jitter, 0.03);
    scene.bodies.push_back(
        body_at(sphere(float(radius)),
                on_plane((column - 0.5 * (columns - 1)) * 1.05, 1 + row * 1.05, 1.2 + layer * 1.05) + shift));
  }
  return scene;
}

}  // namespace talus::scenes
