// SPDX-License-Identifier: MIT
// What one body is made of, how it bounces and what it is joined to changes no bit of bodies that it does not touch,
// directly or through others: in every solver whose sweeps are as many for all.
#include <bit>
#include <functional>
#include <vector>

#include "analytic/rig.h"
#include "truth/truth.h"

namespace talus::test {
namespace {

class Locality : public BackendTest {};
TALUS_INSTANTIATE_ON_CPU(Locality);

/// What makes the far group special, and what it is called.
struct Special {
  const char* name;
  std::function<void(World&, const std::vector<BodyId>&)> make;  // of the bodies of the far group
};

std::vector<Special> specials() {
  const auto material = [](const Material& m) {
    return [m](World& world, const std::vector<BodyId>& bodies) { world.set_material(bodies[0], m); };
  };
  return {
      {"bounces", material({.restitution = 0.8f})},
      {"dynamic friction", material({.friction = 0.5f, .dynamic_friction = 0.2f})},
      {"grain", material({.grain = {1.0f, 0.0f, 0.0f}, .friction_along = 0.1f})},
      {"tensor", material({.grain = {1.0f, 0.0f, 0.0f}, .friction_tensor = FrictionTensor{0.5f, 2.0f, 0.3f}})},
      {"rolling friction", material({.rolling_friction = 0.05f})},
      {"torsional friction", material({.torsional_friction = 0.05f})},
      {"hinge with limits",
       [](World& world, const std::vector<BodyId>& bodies) {
         JointDef joint;
         joint.a = bodies[0];
         joint.b = bodies[1];
         joint.frame = world.pose(bodies[0]);
         for (AxisDef& axis : joint.axes) axis.mode = AxisMode::locked;
         joint.axes[3] = {.mode = AxisMode::limited, .lower = -0.3f, .upper = 0.3f};
         world.add_joint(joint);
       }},
      {"pair of materials",
       [](World& world, const std::vector<BodyId>& bodies) {
         const MaterialId a = world.add_material({.friction = 0.2f}), b = world.add_material({.friction = 0.9f});
         world.set_material_pair(a, b, {.friction = 0.4f, .dynamic_friction = 0.1f, .restitution = 0.6f});
         world.assign_material(bodies[0], a);
         world.assign_material(bodies[1], b);
       }},
  };
}

/// A heap of plain bodies, which falls, slides and rests, and 200 m from it a small one that may be special.
struct TwoGroups {
  World world;
  std::vector<BodyId> plain, far;

  explicit TwoGroups(const WorldDef& def) : world(def) {
    Random random(5);
    for (const float x : {0.0f, 200.0f}) {
      world.add_body({.shape = box({20.0f, 0.5f, 20.0f}), .motion = Motion::fixed, .position = {x, -0.5f, 0.0f}});
    }
    const auto fill = [&](std::vector<BodyId>& group, float x, int count) {
      for (int i = 0; i < count; ++i) {
        const Vec3 aside = random.in_box(0.6f);
        BodyDef body{.shape = i % 3 == 0   ? sphere(0.3f)
                              : i % 3 == 1 ? box({0.3f, 0.2f, 0.25f})
                                           : capsule(0.2f, 0.25f),
                     .position = {x + aside.x, 0.5f + 0.45f * float(i), aside.z},
                     .orientation = random.rotation(),
                     .linear_velocity = {random.between(-2.0f, 2.0f), -3.0f, random.between(-2.0f, 2.0f)},
                     .angular_velocity = random.in_box(3.0f)};
        group.push_back(world.add_body(body));
      }
    };
    fill(plain, 0.0f, 14);
    fill(far, 200.0f, 6);
  }

  std::vector<std::uint32_t> bits() {
    std::vector<std::uint32_t> all;
    for (const BodyId id : plain) {
      const BodyMotion m = world.motion(id);
      const Quat q = m.pose.orientation;
      for (const Vec3 v : {m.pose.position, m.linear_velocity, m.angular_velocity, Vec3{q.x, q.y, q.z}}) {
        for (const float f : {v.x, v.y, v.z}) all.push_back(std::bit_cast<std::uint32_t>(f));
      }
    }
    return all;
  }
};

TEST_P(Locality, WhatIsSpecialStaysWhereItIs) {
  for (const truth::Variant& variant : truth::variants()) {
    if (variant.settings.rigid.nncg) continue;  // conjugate directions are of the whole world
    for (const FrictionModel friction : {FrictionModel::cone, FrictionModel::box}) {
      SolverSettings settings = variant.settings;
      settings.friction = friction;
      WorldDef d = def(settings);
      d.sleep.enabled = false;
      TwoGroups plain(d);
      std::vector<std::vector<std::uint32_t>> expected;
      for (int step = 0; step < 90; ++step) {
        plain.world.step(kStep);
        expected.push_back(plain.bits());
      }
      for (const Special& special : specials()) {
        SCOPED_TRACE(std::string(variant.name) + (friction == FrictionModel::box ? ", box, " : ", ") + special.name);
        TwoGroups other(d);
        special.make(other.world, other.far);
        for (int step = 0; step < 90; ++step) {
          other.world.step(kStep);
          const bool same = other.bits() == expected[std::size_t(step)];
          EXPECT_TRUE(same) << "step " << step;
          if (!same) break;
        }
      }
    }
  }
}

}  // namespace
}  // namespace talus::test
