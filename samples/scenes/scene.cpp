// SPDX-License-Identifier: MIT
#include "scene.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <system_error>
#include <utility>

#include "experiment_scenes.h"
#include "joint_scenes.h"
#include "scene_parts.h"

namespace talus::scenes {
namespace {

constexpr double kHalf = 0.5;  // [m] half edge of the boxes and radius of the spheres

ShapeDef unit_sphere() {
  return sphere(0.5f);
}
ShapeDef unit_box() {
  return box({0.5f, 0.5f, 0.5f});
}
ShapeDef short_capsule() {
  return capsule(0.3f, 0.2f);
}
ShapeDef mixed_shape(int body) {
  const std::array shapes{unit_sphere(), unit_box(), short_capsule()};
  return shapes[static_cast<std::size_t>(body % 3)];
}

// Floor and four walls, 2 m thick; `width` and `height` are inner sizes.
void add_container(Scene& scene, double width, double height) {
  const double w = width / 2;
  const double t = 1.0;
  scene.statics.push_back(static_box({0, -t, 0}, {w + 2 * t, t, w + 2 * t}));
  scene.statics.push_back(static_box({w + t, height / 2, 0}, {t, height / 2, w + 2 * t}));
  scene.statics.push_back(static_box({-w - t, height / 2, 0}, {t, height / 2, w + 2 * t}));
  scene.statics.push_back(static_box({0, height / 2, w + t}, {w, height / 2, t}));
  scene.statics.push_back(static_box({0, height / 2, -w - t}, {w, height / 2, t}));
  scene.boundaries = {{{0, 1, 0}, 0}, {{-1, 0, 0}, -w}, {{1, 0, 0}, -w}, {{0, 0, -1}, -w}, {{0, 0, 1}, -w}};
}

// Place i of a cubic grid n x n x n of unit spacing about the origin: x runs fastest, then z, then y.
Vecd cube_place(int i, int n) {
  const double middle = (n - 1) * 0.5;
  const int layer = i / (n * n), row = i / n % n, column = i % n;
  return {column - middle, layer - middle, row - middle};
}

// ---- piles: a jittered grid of bodies above the floor of a container -----------------------------------------------

// n: bodies along a side of a layer.
template <class ShapeOf>
Scene pile(int count, int n, double spacing, bool tumble, ShapeOf shape_of) {
  Scene scene;
  const int layers = (count + n * n - 1) / (n * n);
  add_container(scene, n * spacing, layers * spacing * 1.5 + 4);
  scene.bodies.reserve(static_cast<std::size_t>(count));
  Jitter jitter;
  for (int i = 0; i < count; ++i) {
    const int layer = i / (n * n), rest = i % (n * n), column = rest % n, row = rest / n;
    const Vecd shift = random_vec(jitter, 0.02);
    const Vecd grid{(column - (n - 1) * 0.5) * spacing, 0.5 * spacing + 0.05 + layer * spacing,
                    (row - (n - 1) * 0.5) * spacing};
    BodyDef def = body_at(shape_of(i), grid + shift);
    if (tumble) def.orientation = random_rotation(jitter);
    scene.bodies.push_back(def);
  }
  return scene;
}
int side_of_cube(int count) {
  return static_cast<int>(std::lround(std::cbrt(double(count))));
}
Scene sphere_pile(int count) {
  return pile(count, side_of_cube(count), 1.1, false, [](int) { return unit_sphere(); });
}
Scene box_pile(int count) {
  return pile(count, side_of_cube(count), 1.1, false, [](int) { return unit_box(); });
}
Scene box_tumble(int count) {
  return pile(count, side_of_cube(count), 1.8, true, [](int) { return unit_box(); });
}
Scene mixed_pile(int count) {
  return pile(count, side_of_cube(count), 1.1, false, mixed_shape);
}

// Ten deep however many: what happens to a body does not depend on the number of bodies.
int side_of_bed(int count) {
  return static_cast<int>(std::ceil(std::sqrt(count / 10.0)));
}
Scene sphere_bed(int count) {
  return pile(count, side_of_bed(count), 1.1, false, [](int) { return unit_sphere(); });
}
Scene box_bed(int count) {
  return pile(count, side_of_bed(count), 1.1, false, [](int) { return unit_box(); });
}

// ---- things that should stand --------------------------------------------------------------------------------------

Scene pyramid2d(int base) {
  Scene scene;
  scene.stack = true;
  scene.view_from = {0.25f, 0.20f, 1.0f};
  add_ground(scene);
  for (int row = 0; row < base; ++row) {
    for (int i = 0; i < base - row; ++i) {
      scene.bodies.push_back(body_at(unit_box(), {(i - (base - row - 1) * 0.5) * 1.1, kHalf + row, 0}));
    }
  }
  return scene;
}

Scene pyramid3d(int base) {
  Scene scene;
  scene.stack = true;
  add_ground(scene);
  for (int row = 0; row < base; ++row) {
    const double middle = (base - row - 1) * 0.5;
    for (int i = 0; i < base - row; ++i) {
      for (int j = 0; j < base - row; ++j) {
        scene.bodies.push_back(body_at(unit_box(), {(i - middle) * 1.1, kHalf + row, (j - middle) * 1.1}));
      }
    }
  }
  return scene;
}

// Towers stand 3 m apart on a square grid, filled row by row.
Scene stacks(int towers, int height) {
  Scene scene;
  scene.stack = true;
  add_ground(scene);
  const int side = static_cast<int>(std::ceil(std::sqrt(double(towers))));
  const double middle = (side - 1) * 0.5;
  for (int tower = 0; tower < towers; ++tower) {
    const int i = tower / side, j = tower % side;
    for (int k = 0; k < height; ++k) {
      scene.bodies.push_back(body_at(unit_box(), {(i - middle) * 3, kHalf + k, (j - middle) * 3}));
    }
  }
  return scene;
}
Scene stack(int height) {
  return stacks(1, height);
}

// Storey k has n - k pairs of leaning cards and, but for the last one, roof cards over the gaps between the pairs. The
// roofs carry the feet of the next storey just inside their own supports. Friction has to hold tan(20 deg) = 0.36.
Scene card_house(int storeys) {
  Scene scene;
  scene.stack = true;
  scene.view_from = {0.35f, 0.25f, 1.0f};
  add_ground_plane(scene);
  const double length = 0.5, thickness = 0.02, width = 0.35;  // [m] half extents of a card
  const double lean = 20 * kPi / 180;                         // from the vertical
  const double gap = 0.02;                                    // [m] between the feet of neighbouring pairs
  const double sine = std::sin(lean), cosine = std::cos(lean);
  const double reach = length * sine + thickness * cosine;       // half the width a leaning card takes
  const double rise = 2 * (length * cosine + thickness * sine);  // the height it takes
  const double pitch = 4 * reach + gap;
  const Material paper{.friction = 0.7f};
  const auto add_card = [&](Vecd half_extents, Vecd position, double angle) {
    BodyDef def = body_at(box(to_vec3(half_extents)), position);
    def.orientation = turn_about({0, 0, 1}, angle);
    def.material = paper;
    scene.bodies.push_back(def);
  };
  double floor = 0;
  for (int storey = 0; storey < storeys; ++storey) {
    const int pairs = storeys - storey;
    const double first = -(pairs - 1) * 0.5 * pitch;
    for (int pair = 0; pair < pairs; ++pair) {
      const double apex = first + pair * pitch;
      add_card({thickness, length, width}, {apex - reach, floor + rise / 2, 0}, -lean);
      add_card({thickness, length, width}, {apex + reach, floor + rise / 2, 0}, lean);
    }
    for (int roof = 0; roof + 1 < pairs; ++roof) {
      const double middle = first + (roof + 0.5) * pitch;
      add_card({pitch / 2 - gap / 4, thickness, width}, {middle, floor + rise + thickness, 0}, 0);
    }
    floor += rise + 2 * thickness;
  }
  return scene;
}

// One body with as many contacts as there are spheres: its contacts cannot share a color.
Scene plate(int spheres) {
  Scene scene;
  scene.stack = true;
  add_ground_plane(scene);
  const int side = static_cast<int>(std::ceil(std::sqrt(double(spheres))));
  const double spacing = 0.75, radius = 0.25, half_width = side * spacing / 2;
  for (int i = 0; i < spheres; ++i) {
    const int row = i / side, column = i % side;
    const double middle = (side - 1) * 0.5;
    const Vecd place{(column - middle) * spacing, radius, (row - middle) * spacing};
    scene.bodies.push_back(body_at(sphere(float(radius)), place));
  }
  scene.bodies.push_back(body_at(box(to_vec3({half_width, 0.25, half_width})), {0, 2 * radius + 0.25, 0}));
  return scene;
}

// ---- things that move ----------------------------------------------------------------------------------------------

// Dominoes along a spiral that runs outwards, half a metre from one to the next. The first one is given a push.
Scene dominoes(int count) {
  Scene scene;
  scene.view_from = {0.3f, 0.8f, 0.6f};
  add_ground_plane(scene);
  const Vecd half{0.1, 0.5, 0.25};         // [m] thickness, height, width
  const double spacing = 0.5, turn = 1.5;  // [m] along the spiral, between its turns
  const double growth = turn / (2 * kPi);  // [m/rad]
  const double push = 1.5;                 // [rad/s] about the front edge; 0.75 would just tip it
  double phi = 0, radius = 2;
  for (int i = 0; i < count; ++i) {
    const Vecd along = normalized(
        Vecd{growth * std::cos(phi) - radius * std::sin(phi), 0, growth * std::sin(phi) + radius * std::cos(phi)});
    BodyDef def = body_at(box(to_vec3(half)), {radius * std::cos(phi), half.y, radius * std::sin(phi)});
    def.orientation = turn_about({0, 1, 0}, std::atan2(-along.z, along.x));
    if (i == 0) {
      const Vecd spin = push * cross(Vecd{0, 1, 0}, along);
      def.angular_velocity = to_vec3(spin);
      def.linear_velocity = to_vec3(cross(spin, half.y * Vecd{0, 1, 0} - half.x * along));
    }
    scene.bodies.push_back(def);
    const double turned = spacing / std::hypot(radius, growth);
    phi += turned;
    radius += growth * turned;
  }
  return scene;
}

// A drum that turns about the z axis: kinematic boxes around a circle, end caps, and mixed bodies inside.
struct Drum {
  double radius = 0;       // [m] of the circle inside the panels
  double half_length = 0;  // [m] along z
  int panel_count = 0;
  std::size_t first_panel = 0;  // index in Scene::bodies

  static constexpr double kThickness = 0.5;  // [m] half of a panel's
  static constexpr double kSpin = 0.6;       // [rad/s] about z

  double panel_angle(int panel, double time) const { return 2 * kPi * panel / panel_count + kSpin * time; }
  Vecd panel_centre(int panel, double time) const {
    const double angle = panel_angle(panel, time);
    return (radius + kThickness) * Vecd{std::cos(angle), std::sin(angle), 0};
  }
};

// A kinematic body keeps its velocity, so it leaves the circle along the tangent. Each step it is given the velocity of
// the chord that ends on the circle: after the step it is where the drum has turned to.
StepHook turn_drum(Drum drum) {
  return [drum](World& world, std::span<const BodyId> bodies, std::uint64_t step, float dt) {
    const double now = double(step) * double(dt), then = double(step + 1) * double(dt);
    for (int panel = 0; panel < drum.panel_count; ++panel) {
      const Vecd chord = drum.panel_centre(panel, then) - drum.panel_centre(panel, now);
      world.set_velocity(bodies[drum.first_panel + static_cast<std::size_t>(panel)], to_vec3((1 / double(dt)) * chord),
                         {0.0f, 0.0f, float(Drum::kSpin)});
    }
  };
}

// Grid points in the lower 60 % of a circle, from below.
std::vector<Vecd> drum_places(double radius, double spacing) {
  std::vector<Vecd> places;
  const int n = static_cast<int>(radius / spacing);
  for (int row = -n; row <= n && row * spacing < 0.2 * radius; ++row) {
    for (int column = -n; column <= n; ++column) {
      const Vecd place{column * spacing, row * spacing, 0};
      if (length(place) <= radius) places.push_back(place);
    }
  }
  return places;
}

Scene tumbler(int count) {
  Scene scene;
  scene.view_from = {0.12f, 0.10f, 1.0f};
  const double spacing = 1.15, clearance = 0.9;  // [m] between bodies; from the drum's wall to a body's centre
  const int slices = std::max(1, static_cast<int>(std::lround(std::cbrt(double(count)))));
  const int in_slice = (count + slices - 1) / slices;
  Drum drum;
  drum.half_length = (slices * spacing + 0.1) / 2;

  drum.radius = 2;
  std::vector<Vecd> places = drum_places(drum.radius - clearance, spacing);
  while (places.size() < static_cast<std::size_t>(in_slice)) {
    drum.radius += 0.25;
    places = drum_places(drum.radius - clearance, spacing);
  }

  Jitter jitter;
  for (int i = 0; i < count; ++i) {
    const int slice = i / in_slice;
    const double z = (slice - (slices - 1) * 0.5) * spacing;
    const Vecd place = places[static_cast<std::size_t>(i % in_slice)] + Vecd{0, 0, z};
    scene.bodies.push_back(body_at(mixed_shape(i), place + random_vec(jitter, 0.02)));
  }

  drum.first_panel = scene.bodies.size();
  drum.panel_count = std::max(16, static_cast<int>(std::ceil(2 * kPi * drum.radius / 1.5)));
  const double half_width = (drum.radius + 2 * Drum::kThickness) * std::tan(kPi / drum.panel_count);
  for (int panel = 0; panel < drum.panel_count; ++panel) {
    BodyDef def = body_at(box(to_vec3({Drum::kThickness, half_width, drum.half_length})), drum.panel_centre(panel, 0));
    def.motion = Motion::kinematic;
    def.orientation = turn_about({0, 0, 1}, drum.panel_angle(panel, 0));
    scene.bodies.push_back(def);
  }
  for (const double side : {-1.0, 1.0}) {
    BodyDef cap = body_at(plane({0.0f, 0.0f, float(-side)}), {0, 0, side * drum.half_length});
    cap.material.friction = 0.0f;  // the caps stand still while the drum turns
    scene.statics.push_back(cap);
    scene.boundaries.push_back({{0, 0, -side}, -drum.half_length});
  }
  scene.before_step = turn_drum(drum);
  return scene;
}

// Spheres that cross 13 to 33 times the thickness of the wall in one step.
Scene bullets() {
  Scene scene;
  scene.view_from = {-0.7f, 0.35f, 0.7f};
  add_ground_plane(scene);
  const double half_wall = 0.05;
  scene.statics.push_back(static_box({0, 3, 0}, {half_wall, 3, 3}));
  scene.boundaries.push_back({{-1, 0, 0}, half_wall});
  for (int i = 0; i < 25; ++i) {
    const int row = i / 5, column = i % 5;
    BodyDef def = body_at(sphere(0.1f), {-5, 1.0 + row, column - 2.0});
    def.linear_velocity = {80.0f + 5.0f * float(i), 0.0f, 0.0f};
    scene.bodies.push_back(def);
  }
  return scene;
}

// Bodies of three unequal moments, turning about axes of all directions, too far apart to touch.
Scene free_bodies(int count) {
  Scene scene;
  scene.gravity = {0.0f, 0.0f, 0.0f};
  scene.contacts = false;
  const int n = static_cast<int>(std::ceil(std::cbrt(double(count))));
  Jitter jitter;
  for (int i = 0; i < count; ++i) {
    const std::array shapes{box({0.2f, 0.4f, 0.6f}), unit_sphere(), short_capsule()};
    BodyDef def = body_at(shapes[static_cast<std::size_t>(i % 3)], 3.0 * cube_place(i, n));
    def.orientation = random_rotation(jitter);
    def.angular_velocity = to_vec3(random_vec(jitter, 5));
    scene.bodies.push_back(def);
  }
  return scene;
}

// Spheres near the places of a face-centred lattice, 1.1 m apart: the density does not depend on their number, and the
// bounding boxes of all 12 neighbours overlap though hardly any spheres touch.
Scene cloud(int count) {
  Scene scene;
  scene.gravity = {0.0f, 0.0f, 0.0f};
  constexpr std::array kInCell{Vecd{0, 0, 0}, Vecd{0, 0.5, 0.5}, Vecd{0.5, 0, 0.5}, Vecd{0.5, 0.5, 0}};
  const int n = static_cast<int>(std::ceil(std::cbrt(count / 4.0)));
  const double edge = 1.1 * std::numbers::sqrt2;
  scene.bodies.reserve(static_cast<std::size_t>(count));
  Jitter jitter;
  for (int i = 0; i < count; ++i) {
    const Vecd place = edge * (cube_place(i / 4, n) + kInCell[static_cast<std::size_t>(i % 4)]);
    BodyDef def = body_at(unit_sphere(), place + random_vec(jitter, 0.025));
    def.linear_velocity = to_vec3(random_vec(jitter, 0.2));
    scene.bodies.push_back(def);
  }
  return scene;
}

// ---- by name -------------------------------------------------------------------------------------------------------

constexpr std::array kScenes{
    SceneInfo{"sphere_pile_N", "sphere_pile_1000", "N spheres fall into a box"},
    SceneInfo{"box_pile_N", "box_pile_1000", "N upright cubes fall into a box and stay in columns"},
    SceneInfo{"box_tumble_N", "box_tumble_1000", "N cubes at all angles fall into a box and heap up"},
    SceneInfo{"mixed_pile_N", "mixed_pile_1000", "N spheres, cubes and capsules fall into a box"},
    SceneInfo{"sphere_bed_N", "sphere_bed_10000", "N spheres, ten deep, fall into a wide box"},
    SceneInfo{"box_bed_N", "box_bed_10000", "N upright cubes, ten deep, fall into a wide box"},
    SceneInfo{"pyramid2d_N", "pyramid2d_40", "a wall of cubes, N wide at its foot"},
    SceneInfo{"pyramid3d_N", "pyramid3d_20", "a pyramid of cubes, N x N at its foot"},
    SceneInfo{"stack_N", "stack_20", "one tower of N cubes"},
    SceneInfo{"stacks_AxB", "stacks_100x20", "A towers of B cubes each"},
    SceneInfo{"card_house_N", "card_house_4", "a house of cards with N storeys, friction 0.7"},
    SceneInfo{"plate_N", "plate_100", "one plate carried by N spheres"},
    SceneInfo{"dominoes_N", "dominoes_200", "N dominoes along a spiral; the first is pushed"},
    SceneInfo{"tumbler_N", "tumbler_1000", "N mixed bodies in a turning drum of kinematic boxes"},
    SceneInfo{"bullets", "bullets", "25 spheres at 80 to 200 m/s against a wall of 0.1 m"},
    SceneInfo{"free_bodies_N", "free_bodies_1000", "N spinning bodies that touch nothing, no gravity"},
    SceneInfo{"cloud_N", "cloud_10000", "N drifting spheres at a constant density, no gravity"},
    SceneInfo{"joint_grid_N", "joint_grid_30", "N x N spheres, each joined to its neighbours, hang from the top row"},
    SceneInfo{"chain_N_R", "chain_20_100", "N links hang from a point, with R times a link's mass at the end"},
    SceneInfo{"bridge_N_B", "bridge_30_10", "a rope bridge of N planks; B boxes fall on it"},
    SceneInfo{"ragdolls_N", "ragdolls_20", "N human figures fall down a flight of stairs"},
    SceneInfo{"vehicle", "vehicle", "a car with a trailer drives over bumps"},
    SceneInfo{"box_stack_N", "box_stack_25", "one column of N cubes, steps of 0.01 s"},
    SceneInfo{"wall_N", "wall_200", "a wall of N bricks, 20 a row"},
    SceneInfo{"tower_N", "tower_320", "a round tower of N bricks, 20 a ring"},
    SceneInfo{"ball_grid_N", "ball_grid_125", "N balls that overlap deeply at the start, no gravity"},
    SceneInfo{"tower_roof_N", "tower_roof_800", "a heavy roof falls on a tower of N bricks, then a ball is shot at it"},
    SceneInfo{"silo_N", "silo_3000", "N boxes and spheres fall into a silo"},
    SceneInfo{"incline_N", "incline_1000", "N balls of many sizes roll down a plane with letters on it"},
};

struct Family {
  std::string_view prefix;  // the name without its size
  int largest;              // size that still means some millions of bodies at most
  Scene (*make)(int);
};
constexpr int kMillions = 4'000'000;
constexpr std::array kFamilies{
    Family{"sphere_pile_", kMillions, sphere_pile},
    Family{"box_pile_", kMillions, box_pile},
    Family{"box_tumble_", kMillions, box_tumble},
    Family{"mixed_pile_", kMillions, mixed_pile},
    Family{"sphere_bed_", kMillions, sphere_bed},
    Family{"box_bed_", kMillions, box_bed},
    Family{"pyramid2d_", 2000, pyramid2d},
    Family{"pyramid3d_", 200, pyramid3d},
    Family{"stack_", 10'000, stack},
    Family{"card_house_", 1000, card_house},
    Family{"plate_", 1'000'000, plate},
    Family{"dominoes_", 1'000'000, dominoes},
    Family{"tumbler_", kMillions, tumbler},
    Family{"free_bodies_", kMillions, free_bodies},
    Family{"cloud_", kMillions, cloud},
    Family{"joint_grid_", 2000, joint_grid},
    Family{"ragdolls_", 100'000, ragdolls},
    Family{"box_stack_", 10'000, box_stack},
    Family{"wall_", 1'000'000, wall},
    Family{"tower_roof_", 100'000, tower_roof},
    Family{"tower_", 100'000, tower},
    Family{"ball_grid_", kMillions, ball_grid},
    Family{"silo_", kMillions, silo},
    Family{"incline_", 1'000'000, incline},
};

int parse_size(std::string_view scene, std::string_view text, int largest) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (text.empty() || problem != std::errc() || stop != end || value < 1 || value > largest) {
    throw Error("scene \"" + std::string(scene) + "\": size \"" + std::string(text) + "\" is not a number from 1 to " +
                std::to_string(largest));
  }
  return value;
}

std::optional<std::string_view> without_prefix(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

// Families with two sizes in their names.
struct PairFamily {
  std::string_view prefix;
  char between;  // the two sizes
  const char* form;
  int first_largest, second_largest;
  Scene (*make)(int, int);
};
constexpr std::array kPairFamilies{
    PairFamily{"stacks_", 'x', "AxB", 10'000, 400, stacks},
    PairFamily{"chain_", '_', "N_R", 10'000, 1'000'000, chain},
    PairFamily{"bridge_", '_', "N_B", 10'000, 100'000, bridge},
};

Scene make_unnamed(std::string_view name) {
  if (name == "bullets") return bullets();
  if (name == "vehicle") return vehicle_on_bumps();
  for (const PairFamily& family : kPairFamilies) {
    if (const auto size = without_prefix(name, family.prefix)) {
      const std::size_t middle = size->find(family.between);
      if (middle == std::string_view::npos) {
        throw Error("scene \"" + std::string(name) + "\": size \"" + std::string(*size) + "\" is not of the form " +
                    family.form);
      }
      const int first = parse_size(name, size->substr(0, middle), family.first_largest);
      return family.make(first, parse_size(name, size->substr(middle + 1), family.second_largest));
    }
  }
  for (const Family& family : kFamilies) {
    if (const auto size = without_prefix(name, family.prefix)) {
      return family.make(parse_size(name, *size, family.largest));
    }
  }
  throw Error("scene \"" + std::string(name) + "\" is unknown; `talus scenes` lists the scenes");
}

WorldDef with_scene(WorldDef def, const Scene& scene, bool sleep) {
  def.sleep.enabled = sleep;
  def.gravity = scene.gravity;
  def.reserve_bodies = std::max(def.reserve_bodies, static_cast<Index>(scene.bodies.size() + scene.statics.size()));
  return def;
}

}  // namespace

std::span<const SceneInfo> scene_list() {
  return kScenes;
}

Scene make_scene(std::string_view name) {
  Scene scene = make_unnamed(name);
  scene.name = name;
  return scene;
}

RunningScene::RunningScene(Scene scene, const WorldDef& def, bool sleep)
    : scene_(std::move(scene)),
      world_(with_scene(def, scene_, sleep)),
      parts_(add_assembly(world_, scene_.bodies, scene_.joints)),
      statics_(world_.add_bodies(scene_.statics)) {}

StepReport RunningScene::step() {
  if (scene_.before_step) scene_.before_step(world_, parts_.bodies, step_, scene_.dt);
  ++step_;
  return world_.step(scene_.dt);
}

std::vector<BodyMotion> RunningScene::motions() {
  std::vector<BodyMotion> result(parts_.bodies.size());
  world_.read_motions(parts_.bodies, result);
  return result;
}

}  // namespace talus::scenes
