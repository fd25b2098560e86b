// SPDX-License-Identifier: MIT
// World: ids, steps and reading back.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "support/backends.h"
#include "support/scene.h"

namespace talus::test {
namespace {

class WorldTest : public OnBackend {};
TALUS_INSTANTIATE_ON_BACKENDS(WorldTest);

void expect_equal(Vec3 a, Vec3 b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}
void expect_equal(const BodyMotion& a, const BodyMotion& b) {
  expect_equal(a.pose.position, b.pose.position);
  EXPECT_EQ(a.pose.orientation.x, b.pose.orientation.x);
  EXPECT_EQ(a.pose.orientation.y, b.pose.orientation.y);
  EXPECT_EQ(a.pose.orientation.z, b.pose.orientation.z);
  EXPECT_EQ(a.pose.orientation.w, b.pose.orientation.w);
  expect_equal(a.linear_velocity, b.linear_velocity);
  expect_equal(a.angular_velocity, b.angular_velocity);
}

TEST_P(WorldTest, WithoutBodiesStepsAndReports) {
  Scene s(def());
  EXPECT_EQ(s.world.last_report().step, 0u);
  const StepReport report = s.world.step(kStep);
  EXPECT_TRUE(report);
  EXPECT_EQ(report.message(), "ok");
  EXPECT_EQ(report.step, 1u);
  EXPECT_EQ(report.body_count, 0);
  EXPECT_EQ(report.pair_count, 0);
  EXPECT_EQ(report.contact_count, 0);
  EXPECT_EQ(s.world.step_number(), 1u);
  EXPECT_EQ(s.world.body_count(), 0);
  EXPECT_TRUE(s.world.bodies().empty());
  EXPECT_EQ(s.world.mechanics().kinetic_energy, 0.0);
  EXPECT_TRUE(s.world.add_bodies({}).empty());
  s.world.remove_bodies({});
}

TEST_P(WorldTest, OneBodyFallsAsTheSchemeSays) {
  Scene s(def());
  const BodyId ball = s.sphere({0, 10, 0});
  const StepReport report = s.run(60);
  EXPECT_EQ(report.step, 60u);
  EXPECT_EQ(report.body_count, 1);
  const double h = 1.0 / 240, n = 240;  // x_n = x_0 - g h^2 n (n + 1) / 2 with four sub-steps a step
  EXPECT_NEAR(s.position(ball).y, 10 - 9.81 * h * h * n * (n + 1) / 2, 1e-4);
  EXPECT_NEAR(s.velocity(ball).y, -9.81, 1e-4);
}

TEST_P(WorldTest, BallComesToRestOnAPlane) {
  Scene s(def());
  s.ground();
  const BodyId ball = s.sphere({0, 1, 0});
  const StepReport report = s.run(120);
  EXPECT_NEAR(s.position(ball).y, 0.5f, 0.005f);
  EXPECT_EQ(report.pair_count, 1);
  EXPECT_EQ(report.contact_count, 1);
  EXPECT_EQ(report.point_count, 1);
}

TEST_P(WorldTest, IdsTakeTheLowestFreeSlot) {
  Scene s(def());
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(s.sphere({2.0f * float(i), 0, 0}));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ids[std::size_t(i)], (BodyId{std::uint32_t(i), 0}));
  s.world.remove_body(ids[3]);
  s.world.remove_body(ids[1]);
  EXPECT_EQ(s.world.body_count(), 3);
  EXPECT_FALSE(s.world.contains(ids[1]));
  EXPECT_TRUE(s.world.contains(ids[2]));
  EXPECT_FALSE(s.world.contains(BodyId{}));
  EXPECT_EQ(s.world.bodies(), (std::vector<BodyId>{ids[0], ids[2], ids[4]}));
  EXPECT_EQ(s.sphere({0, 9, 0}), (BodyId{1, 1}));
  EXPECT_EQ(s.sphere({0, 9, 0}), (BodyId{3, 1}));
  EXPECT_EQ(s.sphere({0, 9, 0}), (BodyId{5, 0}));
  EXPECT_FALSE(s.world.contains(ids[1])) << "a stale id names no stranger";
  EXPECT_NE(error_of([&] { s.world.position(ids[1]); }), "");
}

TEST_P(WorldTest, NewcomerInASlotInheritsNoContact) {
  // The second body of the slot comes to the very place where the first one lay with warm contacts.
  const Transform place{{0.1f, 0.497f, 0.0f}, kIdentity};
  const auto newcomer = [&] {
    BodyDef d = Scene::body(box({0.5f, 0.5f, 0.5f}), place.position, 3.0f);
    return d;
  };
  Scene used(def());
  used.ground();
  const BodyId first = used.box(place.position);
  used.run(30);
  used.world.remove_body(first);
  const BodyId second = used.add(newcomer());
  EXPECT_EQ(second.slot, first.slot);

  Scene fresh(def());
  fresh.ground();
  const BodyId only = fresh.add(newcomer());
  for (int i = 0; i < 3; ++i) {
    const StepReport a = used.run(1), b = fresh.run(1);
    EXPECT_EQ(a.recycled_count, b.recycled_count);
    expect_equal(used.world.motion(second), fresh.world.motion(only));
  }
}

TEST_P(WorldTest, RemovedBodyLeavesNoContactBehind) {
  WorldDef d = def();
  d.contact_reports = true;
  Scene s(d);
  s.ground();
  const BodyId a = s.box({0, 0.5f, 0}), b = s.box({0, 1.5f, 0});
  s.run(20);
  EXPECT_EQ(s.world.read_contacts().size(), 2u);
  s.world.remove_body(a);
  EXPECT_TRUE(s.world.read_contacts().empty());
  s.run(40);
  EXPECT_NEAR(s.position(b).y, 0.5f, 0.01f) << "falls to where its support was";
}

TEST_P(WorldTest, QueuedStepsEqualSingleOnes) {
  // Edits between them, and more of them than fit in the queue.
  const std::vector<BodyDef> defs = pile(cpu_or_cuda(60, 12));
  const auto edit = [](World& world, const std::vector<BodyId>& ids, int i) {
    world.apply_force(ids[1 + std::size_t(i) % 5], {3.0f, 20.0f, 0.0f});
    if (i % 7 == 3) world.set_velocity(ids[2], {0, 1, 0}, {0, 0, 2});
    if (i % 11 == 5) world.set_material(ids[3], Material{0.1f * float(i % 3), 0.0f});
    if (i == 20) world.ignore_pair(ids[1], ids[2]);
    if (i == 30) world.set_gravity({0, -5, 0});
    if (i == 40) world.remove_body(ids[9]);
  };
  const int steps = cpu_or_cuda(150, 45);
  World single(def()), queued(def());
  const std::vector<BodyId> ids = single.add_bodies(defs);
  ASSERT_EQ(queued.add_bodies(defs), ids);
  for (int i = 0; i < steps; ++i) {
    const float dt = i % 2 == 0 ? kStep : 0.5f * kStep;
    if (i < 50) edit(single, ids, i);
    if (i < 50) edit(queued, ids, i);
    single.step(dt);
    queued.step_async(dt);
  }
  EXPECT_EQ(queued.step_number(), std::uint64_t(steps));
  EXPECT_EQ(queued.last_report().step, std::uint64_t(steps));
  EXPECT_EQ(queued.last_report().contact_count, single.last_report().contact_count);
  EXPECT_EQ(queued.state_hash(), single.state_hash());
}

TEST_P(WorldTest, NoStepsTellNothingOfAnEarlierOne) {
  World world(def());
  world.add_bodies(pile(4));
  const StepReport one = world.step_n(20, kStep);
  EXPECT_GT(one.contact_count, 0);
  const StepReport none = world.step_n(0, kStep);
  EXPECT_EQ(none.status, StepStatus::ok);
  EXPECT_EQ(none.step, 20u);
  EXPECT_EQ(none.body_count, 5);
  EXPECT_EQ(none.pair_count + none.contact_count + none.point_count + none.color_count + none.awake_count, 0);
  for (const float ms : none.stage_ms) EXPECT_EQ(ms, 0.0f);
  EXPECT_EQ(world.last_report().contact_count, one.contact_count) << "the last step's is kept";
}

TEST_P(WorldTest, StepNReportsTheLastStep) {
  Scene a(def()), b(def());
  a.world.add_bodies(pile(12));
  b.world.add_bodies(pile(12));
  StepReport last;
  for (int i = 0; i < 10; ++i) last = a.world.step(kStep);
  const StepReport report = b.run(10);
  EXPECT_EQ(report.step, 10u);
  EXPECT_EQ(report.contact_count, last.contact_count);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_EQ(b.run(0).step, 10u) << "no step: the last report again";
}

TEST_P(WorldTest, ThreadsAndReservesDoNotChangeOneBit) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3}) {
    WorldDef d = def();
    d.threads = threads;
    d.reserve_bodies = 1000 * (threads - 1);
    d.reserve_pairs = 5000 * (threads - 1);
    Scene s(d);
    s.world.add_bodies(pile(cpu_or_cuda(200, 12)));
    s.run(cpu_or_cuda(40, 10));
    hashes.push_back(s.hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_P(WorldTest, HashSeesEveryChange) {
  Scene s(def());
  s.ground();
  const BodyId ball = s.sphere({0, 2, 0}), other = s.sphere({0, 4, 0});
  std::vector<std::uint64_t> seen{s.hash()};
  EXPECT_EQ(s.hash(), seen[0]) << "reading changes nothing";
  const auto expect_new = [&](const char* what) {
    const std::uint64_t hash = s.hash();
    for (const std::uint64_t old : seen) EXPECT_NE(hash, old) << what;
    seen.push_back(hash);
  };
  s.world.set_pose(ball, {{0, 2.5f, 0}, kIdentity});
  expect_new("pose");
  s.world.set_velocity(ball, {0, 1, 0}, {0, 0, 0});
  expect_new("velocity");
  s.world.apply_force(ball, {0, 1, 0});
  expect_new("force");
  s.world.set_material(ball, Material{0.9f});
  expect_new("material");
  s.world.set_filter(ball, Filter{2, 3});
  expect_new("filter");
  s.world.set_damping(ball, 0.1f, 0.0f);
  expect_new("damping");
  s.world.set_gravity({0, -1, 0});
  expect_new("gravity");
  s.world.ignore_pair(ball, other);
  expect_new("ignored pair");
  s.world.step(kStep);
  expect_new("step");
  s.world.remove_body(other);
  expect_new("removal");
  s.sphere({0, 4, 0});
  expect_new("another body in its place");
}

TEST_P(WorldTest, ReadsShowEditsAtOnce) {
  Scene s(def());
  const BodyId a = s.sphere({1, 2, 3}), b = s.box({4, 5, 6});
  s.world.set_pose(b, {{7, 8, 9}, {0, 0, 1, 0}});
  s.world.set_velocity(a, {1, 0, 0}, {0, 1, 0});
  const std::array<BodyId, 2> ids{b, a};
  std::array<Transform, 2> poses;
  s.world.read_poses(ids, poses);
  expect_equal(poses[0].position, {7, 8, 9});
  EXPECT_EQ(poses[0].orientation.z, 1.0f);
  expect_equal(poses[1].position, {1, 2, 3});
  std::array<BodyMotion, 2> motions;
  s.world.read_motions(ids, motions);
  expect_equal(motions[1], s.world.motion(a));
  expect_equal(motions[0], s.world.motion(b));
  expect_equal(motions[1].linear_velocity, {1, 0, 0});
  expect_equal(motions[1].angular_velocity, {0, 1, 0});
}

TEST_P(WorldTest, DefinitionMakesTheSameBodyAgain) {
  const std::vector<BodyDef> defs = pile(9);
  Scene s(def());
  std::vector<BodyId> ids = s.world.add_bodies(defs);
  BodyDef odd;
  odd.shape = capsule(0.2f, 0.3f);
  odd.motion = Motion::kinematic;
  odd.position = {30, 0, 0};
  odd.angular_velocity = {0, 1, 0};
  odd.material = {0.3f, 0.2f, Combine::multiply, Combine::average};
  odd.filter = {4, 5};
  odd.gravity_scale = 0.5f;
  odd.linear_damping = 0.1f;
  odd.angular_damping = 0.2f;
  ids.push_back(s.add(odd));
  s.run(25);
  // Contacts are not part of a definition, so the twins are compared before any step.
  std::vector<BodyDef> now;
  for (const BodyId id : ids) now.push_back(s.world.definition(id));
  Scene twin(def());
  const std::vector<BodyId> twins = twin.world.add_bodies(now);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    expect_equal(twin.world.motion(twins[i]), s.world.motion(ids[i]));
    const BodyDef again = twin.world.definition(twins[i]);
    EXPECT_EQ(again.mass, now[i].mass);
    EXPECT_EQ(again.motion, now[i].motion);
    EXPECT_EQ(again.inertia.has_value(), now[i].inertia.has_value());
  }
  const BodyDef back = s.world.definition(ids.back());
  EXPECT_EQ(back.shape.type, ShapeType::capsule);
  EXPECT_EQ(back.motion, Motion::kinematic);
  EXPECT_EQ(back.mass, std::nullopt);
  EXPECT_EQ(back.material.friction_combine, Combine::multiply);
  EXPECT_EQ(back.material.restitution_combine, Combine::average);
  EXPECT_EQ(back.filter.mask, 5u);
  EXPECT_EQ(back.angular_damping, 0.2f);
}

TEST_P(WorldTest, ManyBodiesComeAndGo) {
  const int count = cpu_or_cuda(200'000, 2'000);
  std::vector<BodyDef> defs(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) defs[std::size_t(i)].position = {2.0f * float(i % 500), 2.0f * float(i / 500), 0};
  Scene s(weightless());
  const std::vector<BodyId> ids = s.world.add_bodies(defs);
  EXPECT_EQ(s.world.body_count(), count);
  EXPECT_EQ(s.position(ids[std::size_t(count) - 1]).x, defs[std::size_t(count) - 1].position.x);
  std::vector<BodyId> odd;
  for (std::size_t i = 1; i < ids.size(); i += 2) odd.push_back(ids[i]);
  s.world.remove_bodies(odd);
  EXPECT_EQ(s.world.body_count(), count - int(odd.size()));
  EXPECT_EQ(s.run(1).body_count, count - int(odd.size()));
  const std::vector<BodyId> again = s.world.add_bodies(std::span(defs).first(odd.size()));
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again[i], (BodyId{odd[i].slot, 1}));
  s.world.remove_bodies(s.world.bodies());
  EXPECT_EQ(s.world.body_count(), 0);
  EXPECT_EQ(s.run(1).pair_count, 0);
}

TEST_P(WorldTest, BodyBeyondTheFiniteRangeIsFrozenAndNamed) {
  Scene s(def());
  s.sphere({100, 0, 0});
  const BodyId bad = s.sphere({0, 0, 0});
  s.run(1);
  const Vec3 before = s.position(bad);
  s.world.apply_force(bad, {3e38f, 0, 0});
  const StepReport report = s.run(1);
  EXPECT_FALSE(report);
  EXPECT_TRUE(has(report.status, StepStatus::not_finite));
  EXPECT_EQ(report.first_bad_body, bad);
  EXPECT_NE(report.message().find("slot 1"), std::string::npos) << report.message();
  expect_equal(s.position(bad), before);
  s.run(5);
  expect_equal(s.position(bad), before);
  s.world.set_velocity(bad, {1, 0, 0}, {0, 0, 0});  // which also sets it free
  EXPECT_TRUE(s.run(1));
  EXPECT_GT(s.position(bad).x, before.x);
}

TEST_P(WorldTest, ContactsAreReportedInOrder) {
  WorldDef d = def();
  d.contact_reports = true;
  Scene s(d);
  const BodyId ground = s.ground();
  const BodyId high = s.box({0, 1.5f, 0}, {0.5f, 0.5f, 0.5f}, 2.0f),
               low = s.box({0, 0.5f, 0}, {0.5f, 0.5f, 0.5f}, 3.0f);
  const BodyId ball = s.sphere({5, 0.5f, 0}, 0.5f, 4.0f);
  s.world.set_material(ball, Material{0.8f});
  s.run(120);
  const std::vector<ContactReport> contacts = s.world.read_contacts();
  ASSERT_EQ(contacts.size(), 3u);
  for (std::size_t i = 1; i < contacts.size(); ++i) {
    EXPECT_LT(std::pair(contacts[i - 1].a.slot, contacts[i - 1].b.slot),
              std::pair(contacts[i].a.slot, contacts[i].b.slot));
  }
  double on_ground = 0;
  for (const ContactReport& c : contacts) {
    double sum = 0;
    for (int i = 0; i < c.point_count; ++i) {
      EXPECT_GE(c.points[i].normal_impulse, 0.0f);
      sum += double(c.points[i].normal_impulse);
    }
    EXPECT_NEAR(std::abs(c.normal.y), 1.0f, 1e-3f);
    if (c.b == ground) {
      EXPECT_LT(c.normal.y, 0.0f) << "from the body to the ground";
      on_ground += sum;
    }
    if (c.a == ball) {
      EXPECT_EQ(c.point_count, 1);
      EXPECT_NEAR(sum, 4 * 9.81 / 60, 1e-3);
      EXPECT_NEAR(c.points[0].position.y, 0.0f, 0.01f);
      EXPECT_NEAR(c.points[0].position.x, 5.0f, 0.01f);
      EXPECT_NEAR(c.friction, std::sqrt(0.8f * 0.5f), 1e-6f);
    }
    if (c.a == high || c.b == high) {
      EXPECT_EQ(c.point_count, 4);
      EXPECT_NEAR(sum, 2 * 9.81 / 60, 2e-3);
    }
  }
  EXPECT_NEAR(on_ground, 9 * 9.81 / 60, 5e-3) << "the ground carries everything";
  EXPECT_TRUE(s.world.contains(low));
}

TEST_P(WorldTest, DeviceViewIsTheMemoryOfTheBackend) {
  WorldDef d = weightless();
  d.instance_transforms = true;
  Scene s(d);
  const BodyId ball = s.sphere({1, 2, 3});
  const BodyId gone = s.sphere({9, 9, 9});
  s.world.remove_body(gone);
  s.run(1);
  const DeviceView view = s.world.device_view();
  EXPECT_EQ(view.backend, GetParam());
  EXPECT_EQ(view.row_count, 2);
  ASSERT_NE(view.position.x, nullptr);
  ASSERT_NE(view.instance_transforms, nullptr);
  if (on_cuda()) {
    EXPECT_NE(s.world.stream(), nullptr);
    return;
  }
  EXPECT_EQ(s.world.stream(), nullptr);
  EXPECT_NE(error_of([&] { s.world.record_event(nullptr); }), "");
  EXPECT_NE(error_of([&] { s.world.wait_event(nullptr); }), "");
  EXPECT_EQ(view.position[0].y, 2.0f);
  EXPECT_EQ(view.alive[0], 1);
  EXPECT_EQ(view.alive[1], 0);
  EXPECT_EQ(view.shape[0], std::uint8_t(ShapeType::sphere));
  EXPECT_EQ(view.shape_size[0].x, 0.5f);
  const float expected[12] = {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(view.instance_transforms[i], expected[i]) << i;
  view.linear_velocity.set(0, {0, 0, 6});  // allowed between steps
  s.run(1);
  EXPECT_NEAR(s.position(ball).z, 3.1f, 1e-6f);
}

TEST_P(WorldTest, MovesAsAValue) {
  Scene s(def());
  const BodyId ball = s.sphere({0, 3, 0});
  World moved = std::move(s.world);
  moved.step(kStep);
  EXPECT_LT(moved.position(ball).y, 3.0f);
  World other(def());
  other = std::move(moved);
  EXPECT_EQ(other.step_number(), 1u);
  EXPECT_EQ(other.backend(), GetParam());
}

TEST(WorldInfo, NamesAndReports) {
  EXPECT_STREQ(stage_name(Stage::apply_commands), "apply_commands");
  EXPECT_STREQ(stage_name(Stage::finish_step), "finish_step");
  EXPECT_STREQ(backend_name(Backend::cpu), "cpu");
  EXPECT_STREQ(backend_name(Backend::cuda), "cuda");
  EXPECT_STREQ(backend_name(Backend::automatic), "automatic");
  EXPECT_EQ(available_backends().front(), Backend::cpu);
  const SystemInfo info = system_info();
  EXPECT_EQ(info.version, "0.1.0");
  EXPECT_FALSE(info.build.empty());
  EXPECT_FALSE(info.simd.empty());
  EXPECT_GE(info.simd_lanes, 1);
  EXPECT_GE(info.hardware_threads, 1);
  EXPECT_FALSE(info.cuda_device.empty());
  StepReport report;
  EXPECT_EQ(report.message(), "ok");
  report.status = StepStatus::pairs_grown | StepStatus::contacts_grown | StepStatus::colors_full;
  EXPECT_TRUE(report);
  EXPECT_NE(report.message().find("pair buffer"), std::string::npos);
  EXPECT_NE(report.message().find("contact buffer"), std::string::npos);
  EXPECT_NE(report.message().find("overflow"), std::string::npos);
}

TEST(WorldInfo, StagesOfACpuStepAreTimed) {
  WorldDef d;
  d.backend = Backend::cpu;
  Scene s(d);
  s.world.add_bodies(pile(100));
  const StepReport report = s.world.step(kStep);
  float total = 0;
  for (const float ms : report.stage_ms) {
    EXPECT_GE(ms, 0.0f);
    total += ms;
  }
  EXPECT_GT(total, 0.0f);
  EXPECT_GT(report.stage_ms[std::size_t(Stage::find_pairs)], 0.0f);
}

}  // namespace
}  // namespace talus::test
