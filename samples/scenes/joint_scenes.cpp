// SPDX-License-Identifier: MIT
#include "joint_scenes.h"

#include <algorithm>
#include <cmath>

#include "scene_parts.h"

namespace talus::scenes {
namespace {

// A ball joint at a point of the world.
void join(Scene& scene, int a, int b, Vecd point) {
  scene.joints.push_back({a, b, ball_joint(kWorld, kWorld, to_vec3(point))});
}

// Adds an assembly behind the bodies that are there.
void add_parts(Scene& scene, const Assembly& parts) {
  const int first = static_cast<int>(scene.bodies.size());
  scene.bodies.insert(scene.bodies.end(), parts.bodies.begin(), parts.bodies.end());
  for (AssemblyJoint joint : parts.joints) {
    if (joint.a >= 0) joint.a += first;
    if (joint.b >= 0) joint.b += first;
    scene.joints.push_back(joint);
  }
}

// A wall through a point: an unlimited plane.
void add_wall(Scene& scene, Vecd normal, Vecd point) {
  scene.statics.push_back(body_at(plane(to_vec3(normal)), point));
  scene.boundaries.push_back({normal, dot(normal, point)});
}

}  // namespace

// Spheres in the xy plane with joints half-way to each neighbour; the top row is fixed and the rest hangs. The exact
// answer is that nothing moves.
Scene joint_grid(int side) {
  Scene scene;
  scene.stack = true;
  scene.contacts = false;
  scene.view_from = {0.25f, 0.15f, 1.0f};
  const double spacing = 1.1;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      BodyDef def = body_at(sphere(0.5f), {column * spacing, -row * spacing, 0});
      def.filter.mask = 0;
      if (row == 0) def.motion = Motion::fixed;
      scene.bodies.push_back(def);
    }
  }
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const int body = row * side + column;
      if (column + 1 < side && row > 0) join(scene, body, body + 1, {(column + 0.5) * spacing, -row * spacing, 0});
      if (row + 1 < side) join(scene, body, body + side, {column * spacing, -(row + 0.5) * spacing, 0});
    }
  }
  return scene;
}

// The links carry the weight from the first moment on; nothing should move here either.
Scene chain(int links, int weight) {
  Scene scene;
  scene.stack = true;
  scene.contacts = false;
  scene.view_from = {0.25f, 0.15f, 1.0f};
  const double pitch = 0.5, weight_radius = 0.5;  // [m]
  const float link_mass = 10.0f;                  // [kg]
  for (int link = 0; link < links; ++link) {
    BodyDef def = body_at(capsule(0.1f, 0.15f), {0, -(link + 0.5) * pitch, 0});
    def.mass = link_mass;
    scene.bodies.push_back(def);
    join(scene, link - 1, link, {0, -link * pitch, 0});  // the first one is joined to the world, -1
  }
  BodyDef end = body_at(sphere(float(weight_radius)), {0, -links * pitch - weight_radius, 0});
  end.mass = link_mass * float(weight);
  scene.bodies.push_back(end);
  join(scene, links - 1, links, {0, -links * pitch, 0});
  return scene;
}

// Planks along an arc between two fixed ends, hinged edge to edge.
Scene bridge(int planks, int boxes) {
  Scene scene;
  scene.view_from = {0.35f, 0.35f, 1.0f};
  add_ground_plane(scene);
  const double pitch = 0.6, half_width = 1.0;  // [m] from plank to plank, across
  const double half_angle = kPi / 6;           // of the arc
  const double step = 2 * half_angle / planks;
  const double radius = pitch / (2 * std::sin(step / 2));
  const double lowest = 2;  // [m] above the ground
  const auto on_arc = [&](double angle, double r) {
    return Vecd{r * std::sin(angle), lowest + radius - r * std::cos(angle), 0};
  };
  for (int plank = 0; plank <= planks; ++plank) {
    const double edge = -half_angle + plank * step;
    scene.joints.push_back({plank - 1, plank < planks ? plank : -1,
                            hinge_joint(kWorld, kWorld, to_vec3(on_arc(edge, radius)), {0, 0, 1})});
    if (plank == planks) break;
    const double middle = edge + step / 2;
    BodyDef def =
        body_at(box(to_vec3({pitch / 2 - 0.03, 0.04, half_width})), on_arc(middle, radius * std::cos(step / 2)));
    def.orientation = turn_about({0, 0, 1}, middle);
    def.density = 500;
    scene.bodies.push_back(def);
  }
  // Boxes two abreast over the middle third of the bridge, in layers.
  const double span = 2 * radius * std::sin(half_angle), edge = 0.4, spacing = 0.6;  // [m]
  const int columns = std::max(1, static_cast<int>(span / 3 / spacing));
  Jitter jitter;
  for (int i = 0; i < boxes; ++i) {
    const int row = i % 2, column = i / 2 % columns, layer = i / (2 * columns);
    const double x = (column - (columns - 1) * 0.5) * spacing, top = lowest + radius * (1 - std::cos(half_angle / 2));
    BodyDef def =
        body_at(box(to_vec3({edge / 2, edge / 2, edge / 2})), {x, top + 1 + layer * spacing, (row - 0.5) * spacing});
    def.position.x += float(0.02 * jitter.next());
    scene.bodies.push_back(def);
  }
  return scene;
}

// Figures lie on air above a flight of stairs that goes down along z, four deep however many: what happens to one does
// not depend on their number. The last bodies are the stairs.
Scene ragdolls(int count) {
  Scene scene;
  scene.view_from = {0.55f, 0.45f, 0.75f};
  const double rise = 0.2, tread = 0.35, run_out = 5;  // [m] of a stair; of the floor below
  const int stairs_in_cell = 6;
  const double cell = stairs_in_cell * tread, layer_height = 0.7;  // [m] that a lying figure has to itself
  const int side = std::max(2, static_cast<int>(std::ceil(std::sqrt(count / 4.0))));
  const double half_width = side * cell / 2;
  const int stairs = side * stairs_in_cell;
  add_ground_plane(scene);
  add_wall(scene, {1, 0, 0}, {-half_width, 0, 0});
  add_wall(scene, {-1, 0, 0}, {half_width, 0, 0});
  add_wall(scene, {0, 0, 1}, {0, 0, -stairs * tread});
  add_wall(scene, {0, 0, -1}, {0, 0, run_out});

  const Skeleton human = human_skeleton();
  const double middle_of_body = 0.95;  // [m] above the feet
  const float tone = 0.1f;             // [1] of a man's strength: not quite limp
  Jitter jitter;
  for (int i = 0; i < count; ++i) {
    const int column = i % side, row = i / side % side, layer = i / (side * side);
    const double x = (column + 0.5) * cell - half_width, z = -(row + 0.5) * cell;
    const double stairs_below = (cell / 2 - z) / tread * rise;  // [m] highest stair under the cell
    const Vecd centre{x, stairs_below + 0.6 + layer * layer_height, z};
    const double yaw = kPi * jitter.next(), back = jitter.next() < 0 ? kPi / 2 : -kPi / 2;
    const double c = std::cos(yaw / 2), s = std::sin(yaw / 2), cb = std::cos(back / 2), sb = std::sin(back / 2);
    const Rotation<double> turn{c * sb, s * cb, -s * sb, c * cb};  // laid down about x, then turned about y
    const Vecd feet = centre - rotate(turn, Vecd{0, middle_of_body, 0});
    const Quat orientation{float(turn.x), float(turn.y), float(turn.z), float(turn.w)};
    add_parts(scene, figure_assembly(human, {to_vec3(feet), orientation}, tone));
  }
  for (int stair = 0; stair < stairs; ++stair) {
    const double height = (stair + 1) * rise;
    scene.bodies.push_back(static_box({0, height / 2, -(stair + 0.5) * tread}, {half_width, height / 2, tread / 2}));
  }
  return scene;
}

// Bumps under both wheels, the left ones, the right ones, and both again. They are capsules sunk into the ground.
Scene vehicle_on_bumps() {
  Scene scene;
  scene.view_from = {0.8f, 0.35f, 0.6f};
  add_ground_plane(scene);
  VehicleDef car;
  car.drive_speed = 8;
  car.trailer = true;
  add_parts(scene, vehicle_assembly(car, {{0, 0, -16}, kIdentity}));
  struct Bump {
    double x, z, half_length;  // [m]
  };
  const double radius = 0.6, height = 0.08;  // [m]
  for (const Bump bump : {Bump{0, -8, 1.5}, Bump{0.9, -4, 0.4}, Bump{-0.9, 0, 0.4}, Bump{0, 4, 1.5}}) {
    BodyDef def = body_at(capsule(float(radius), float(bump.half_length)), {bump.x, height - radius, bump.z});
    def.orientation = turn_about({0, 0, 1}, kPi / 2);
    def.motion = Motion::fixed;
    scene.bodies.push_back(def);
  }
  return scene;
}

}  // namespace talus::scenes
