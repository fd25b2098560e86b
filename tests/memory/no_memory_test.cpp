// SPDX-License-Identifier: MIT
// When memory runs out within a call, wherever that is, the call throws and the world is as it was: the same bits,
// bodies and joints, and the same bits in the steps to come.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "failing_allocation.h"
#include "support/snapshot.h"

namespace talus::test {
namespace {

constexpr float kStep = 1.0f / 60.0f;

struct Parts {
  World world;
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  std::vector<MaterialId> materials;
  int kind = 0;
};

struct Twist {
  TALUS_HD void operator()(const JointPlace& at, CustomRow rows[6]) const {
    for (int i = 0; i < 3; ++i) rows[i] = at.push_row(at.axis_a(i));
  }
};

enum class Setting { usual, sleeping, holes, rigid };

/// A heap with joints and materials, small reserves and, by the setting, sleeping bodies, free rows or another solver.
Parts heap(Setting setting) {
  WorldDef def{.backend = Backend::cpu, .threads = 1};
  def.contact_reports = true;
  def.reserve_pairs = def.reserve_contacts = 8;
  def.sleep.enabled = setting == Setting::sleeping;
  def.events.enabled = setting != Setting::holes;
  if (setting == Setting::rigid) {
    def.solver.solver = Solver::rigid;
    def.keep_contact_problem = true;
  }
  Parts p{World(def), {}, {}, {}};
  p.kind = p.world.add_joint_kind(joint_kind(Twist{}));
  p.materials.push_back(p.world.add_material({.friction = 0.4f}));
  p.materials.push_back(p.world.add_material({.friction = 0.5f}));
  p.bodies.push_back(p.world.add_body({.shape = plane({0, 1, 0})}));
  std::vector<BodyDef> defs;
  for (int i = 0; i < 50; ++i) {
    BodyDef body{.shape = i % 3 == 0 ? sphere(0.4f) : i % 3 == 1 ? box({0.4f, 0.4f, 0.4f}) : capsule(0.3f, 0.2f)};
    body.position = {float(i % 5), 0.45f + 0.9f * float(i / 25), float(i / 5 % 5)};
    if (i % 4 == 0) body.material_id = p.materials[0];
    if (i % 5 == 1) body.material = {.friction = 0.5f, .rolling_friction = 0.01f};
    defs.push_back(body);
  }
  for (const BodyId id : p.world.add_bodies(defs)) p.bodies.push_back(id);
  p.joints.push_back(p.world.add_joint(hinge_joint(p.bodies[1], p.bodies[2], {0.5f, 0.5f, 0}, {0, 0, 1})));
  p.joints.push_back(p.world.add_joint(ball_joint(p.bodies[3], p.bodies[4], {2.5f, 0.5f, 0})));
  p.joints.push_back(p.world.add_joint(ball_joint(p.bodies[3], kWorld, {2.5f, 0.5f, 0})));
  p.world.ignore_pair(p.bodies[6], p.bodies[7]);
  p.world.step_n(3, kStep);
  if (setting == Setting::holes) {
    const BodyId gone[] = {p.bodies[20], p.bodies[33]};
    p.world.remove_bodies(gone);
    p.world.remove_joint(p.joints[1]);
    p.world.step(kStep);
  }
  if (setting == Setting::sleeping) {
    for (const int i : {1, 2, 3, 9, 10, 11}) p.world.put_to_sleep(p.bodies[std::size_t(i)]);
    p.world.step(kStep);
    p.world.put_to_sleep(p.bodies[12]);  // queued: the next edit of this body needs a second record
  }
  return p;
}

struct Call {
  const char* name;
  std::function<void(Parts&)> run;
  bool in_memory = true;  // takes memory, so that there is an allocation to fail
};

std::string other_world() {
  World world(WorldDef{.backend = Backend::cpu, .threads = 1});
  world.add_body({.shape = plane({0, 1, 0})});
  for (int i = 0; i < 30; ++i) world.add_body({.shape = box({0.4f, 0.4f, 0.4f}), .position = {0, 0.4f + float(i), 0}});
  world.step_n(2, kStep);
  return saved(world);
}

std::vector<Call> calls() {
  const Material rough{.friction = 0.9f, .dynamic_friction = 0.3f};
  const Material rolls{.friction = 0.9f, .rolling_friction = 0.1f};
  return {
      {"add_body",
       [=](Parts& p) {
         p.world.add_body({.position = {0, 9, 0}, .material = rough});
       }},
      {"add_bodies",
       [](Parts& p) {
         std::vector<BodyDef> defs(200, BodyDef{.shape = sphere(0.1f), .position = {0, 9, 0}});
         defs[3].material = {.friction = 0.1f, .torsional_friction = 0.02f};
         defs[70].shape = plane({0, 1, 0});
         p.world.add_bodies(defs);
       }},
      {"many bodies one by one",
       [](Parts& p) {
         // Up to the first that finds no room; those before are in.
         for (int i = 0; i < 100; ++i) p.world.add_body({.position = {0, 9.0f + float(i), 0}});
       }},
      {"remove_body", [](Parts& p) { p.world.remove_body(p.bodies[3]); }},
      {"remove_bodies",
       [](Parts& p) {
         const BodyId gone[] = {p.bodies[1], p.bodies[2], p.bodies[3], p.bodies[7], p.bodies[0]};
         p.world.remove_bodies(gone);
       }},
      {"add_joint",
       [](Parts& p) {
         p.world.add_joint(ball_joint(p.bodies[6], p.bodies[8], {0, 0, 0}));
       }},
      {"add_joints",
       [](Parts& p) {
         std::vector<JointDef> defs;
         for (std::size_t i = 10; i < 18; ++i) defs.push_back(ball_joint(p.bodies[i], p.bodies[i + 1], {0, 1, 0}));
         for (std::size_t i = 10; i < 18; ++i) defs.push_back(hinge_joint(p.bodies[i], kWorld, {0, 1, 0}, {0, 1, 0}));
         p.world.add_joints(defs);
       }},
      {"add_joint of an own kind",
       [](Parts& p) {
         JointDef joint = ball_joint(p.bodies[6], p.bodies[8], {0, 0, 0});
         joint.kind = p.kind;
         p.world.add_joint(joint);
       }},
      {"remove_joint", [](Parts& p) { p.world.remove_joint(p.joints[0]); }},
      {"set_axis",
       [](Parts& p) {
         p.world.set_axis(p.joints[0], Axis::twist, {.mode = AxisMode::limited, .lower = -1, .upper = 1});
       }},
      {"set_targets", [](Parts& p) { p.world.set_targets(p.joints[0], Axis::twist, 0.5f, 0.1f); }, false},
      {"add_joint_kind", [](Parts& p) { p.world.add_joint_kind(joint_kind(Twist{})); }, false},
      {"set_material of a body", [=](Parts& p) { p.world.set_material(p.bodies[2], rolls); }},
      {"set_material of an id", [=](Parts& p) { p.world.set_material(p.materials[0], rolls); }},
      {"assign_material", [](Parts& p) { p.world.assign_material(p.bodies[2], p.materials[1]); }},
      {"add_material", [=](Parts& p) { p.world.add_material(rolls); }},
      {"set_material_pair",
       [](Parts& p) { p.world.set_material_pair(p.materials[0], p.materials[1], {.friction = 0.9f}); }},
      {"ignore_pair", [](Parts& p) { p.world.ignore_pair(p.bodies[2], p.bodies[8]); }},
      {"collide_pair", [](Parts& p) { p.world.collide_pair(p.bodies[6], p.bodies[7]); }},
      {"set_filter",
       [](Parts& p) {
         p.world.set_filter(p.bodies[12], {1, 2});
       }},
      {"set_damping", [](Parts& p) { p.world.set_damping(p.bodies[12], 1, 2); }},
      {"set_gravity_scale", [](Parts& p) { p.world.set_gravity_scale(p.bodies[12], 0.5f); }},
      {"set_pose",
       [](Parts& p) {
         p.world.set_pose(p.bodies[12], {{0, 20, 0}, kIdentity});
       }},
      {"impulse and set_pose",
       [](Parts& p) {
         p.world.set_pose(p.bodies[5], {{0, 20, 0}, kIdentity});
       }},
      {"set_velocity",
       [](Parts& p) {
         p.world.set_velocity(p.bodies[12], {1, 2, 3}, {});
       }},
      {"apply_impulse_at",
       [](Parts& p) {
         p.world.apply_impulse_at(p.bodies[12], {1, 2, 3}, {1, 1, 1});
       }},
      {"wake", [](Parts& p) { p.world.wake(p.bodies[1]); }, false},
      {"put_to_sleep", [](Parts& p) { p.world.put_to_sleep(p.bodies[16]); }, false},
      {"set_gravity",
       [](Parts& p) {
         p.world.set_gravity({0, 0, 1});
       },
       false},
      {"step", [](Parts& p) { p.world.step(kStep); }},
      {"restore",
       [bytes = other_world()](Parts& p) {
         std::istringstream in(bytes);
         p.world.restore(in);
       }},
      {"add_figure",
       [](Parts& p) {
         add_figure(p.world, human_skeleton(), {{0, 9, 0}, kIdentity}, 0.5f);
       }},
      {"add_vehicle",
       [](Parts& p) {
         add_vehicle(p.world, {.trailer = true}, {{0, 9, 0}, kIdentity});
       }},
      {"read_contacts", [](Parts& p) { p.world.read_contacts(); }},
      {"save", [](Parts& p) { saved(p.world); }},
  };
}

struct Outcome {
  std::uint64_t now = 0, later = 0;  // state hashes, at once and after some steps
  Index bodies = 0, joints = 0;
  MaterialId next_material;  // numbers go on as before
  BodyId next_body;
  bool operator==(const Outcome&) const = default;
};

Outcome look(Parts& p) {
  Outcome o;
  o.now = p.world.state_hash();
  o.bodies = p.world.body_count();
  o.joints = p.world.joint_count();
  p.world.step_n(3, kStep);
  o.later = p.world.state_hash();
  o.next_material = p.world.add_material({.friction = 0.1f});
  o.next_body = p.world.add_body({});
  return o;
}

void before(const Call& call, Parts& p) {
  if (std::string(call.name) == "impulse and set_pose") p.world.apply_impulse_at(p.bodies[5], {0, 1, 0}, {0, 0, 0});
  if (std::string(call.name) == "step") {  // growth, edits and a new list of planes at once
    std::vector<BodyDef> more(60, BodyDef{.shape = sphere(0.3f), .position = {2, 2, 2}});
    p.world.add_bodies(more);
    p.world.add_body({.shape = plane({1, 0, 0}), .position = {-3, 0, 0}});
    p.world.apply_force(p.bodies[5], {0, 10, 0});
  }
}

class NoMemory : public testing::TestWithParam<Setting> {};

TEST_P(NoMemory, LeavesTheWorldAsItWas) {
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    Parts untouched = heap(GetParam());
    before(call, untouched);
    const Outcome as_before = look(untouched);
    Parts called = heap(GetParam());
    before(call, called);
    call.run(called);
    const Outcome as_called = look(called);

    const bool many = std::string(call.name) == "many bodies one by one";
    long failed = 0;
    for (bool done = false; !done; ++failed) {
      ASSERT_LT(failed, 3000);
      Parts p = heap(GetParam());
      before(call, p);
      const Index bodies = p.world.body_count();
      bool threw = false;
      {
        const FailingAllocations no_memory(failed);
        try {
          call.run(p);
        } catch (const Error&) {
          threw = true;
        } catch (const std::bad_alloc&) {
          threw = true;
        }
      }
      if (many && threw) {  // as a world that was given as many
        Parts fewer = heap(GetParam());
        for (Index i = bodies; i < p.world.body_count(); ++i) {
          fewer.world.add_body({.position = {0, 9.0f + float(i - bodies), 0}});
        }
        ASSERT_EQ(look(p), look(fewer)) << "allocation " << failed << " failed";
        failed += 5;
        continue;
      }
      const Outcome outcome = look(p);
      ASSERT_TRUE(outcome == (threw ? as_before : as_called))
          << "allocation " << failed << " failed" << (threw ? "" : ", and nobody noticed") << ": bodies "
          << outcome.bodies << " joints " << outcome.joints << (outcome.now == as_before.now ? "" : ", other bits")
          << (outcome.later == as_before.later ? "" : ", other bits later");
      done = !threw;
    }
    if (call.in_memory) {
      EXPECT_GT(failed, 1) << "no allocation was made";
    }
  }
}

std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  switch (info.param) {
    case Setting::usual:
      return "usual";
    case Setting::sleeping:
      return "sleeping";
    case Setting::holes:
      return "holes";
    case Setting::rigid:
      break;
  }
  return "rigid";
}
INSTANTIATE_TEST_SUITE_P(Heaps, NoMemory,
                         testing::Values(Setting::usual, Setting::sleeping, Setting::holes, Setting::rigid),
                         setting_name);

}  // namespace
}  // namespace talus::test
