// SPDX-License-Identifier: MIT
// Snapshots: a restored world goes on bit for bit; a broken stream is refused and changes nothing.
#include <gtest/gtest.h>
#include <talus/talus.h>

#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "state_hash.h"
#include "support/backends.h"
#include "support/scene.h"
#include "support/snapshot.h"

namespace talus::test {
namespace {

class WorldSnapshotTest : public OnBackend {
 protected:
  /// A world with everything in it: warm contacts, holes, generations, ignored pairs, kinematic bodies, pending forces.
  static World eventful(int bodies) {
    WorldDef d = def();
    d.gravity = {0, -9, 0.5f};
    d.solver.substeps = 3;
    d.contact_reports = true;
    World w(d);
    std::vector<BodyId> ids = w.add_bodies(pile(bodies));
    BodyDef fan = Scene::body(box({2, 0.1f, 0.1f}), {2, 1, 2}, 1.0f);
    fan.motion = Motion::kinematic;
    fan.angular_velocity = {0, 2, 0};
    ids.push_back(w.add_body(fan));
    w.ignore_pair(ids[1], ids[2]);
    w.ignore_pair(ids[3], ids[0]);
    w.step_n(20, kStep);
    w.remove_body(ids[5]);
    w.remove_body(ids[7]);
    w.add_body(Scene::body(sphere(0.3f), {1, 8, 1}, 2.0f));
    w.step_n(5, kStep);
    w.apply_force(ids[4], {10, 50, 0});
    w.set_material(ids[6], Material{0.9f, 0.5f});
    return w;
  }
};
TALUS_INSTANTIATE_ON_BACKENDS(WorldSnapshotTest);

TEST_P(WorldSnapshotTest, ResumesBitForBit) {
  World original = eventful(cpu_or_cuda(120, 15));
  const std::string bytes = saved(original);
  World other(def());
  other.add_bodies(pile(8));
  other.step(kStep);
  restore(other, bytes);
  EXPECT_EQ(other.state_hash(), original.state_hash());
  EXPECT_EQ(other.step_number(), original.step_number());
  EXPECT_EQ(other.bodies(), original.bodies());
  EXPECT_EQ(other.def().solver.substeps, 3);
  EXPECT_EQ(other.def().gravity.z, 0.5f);
  EXPECT_TRUE(other.def().contact_reports);
  EXPECT_EQ(other.read_contacts().size(), original.read_contacts().size());
  for (int i = 0; i < cpu_or_cuda(30, 5); ++i) {
    const StepReport a = original.step(kStep), b = other.step(kStep);
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.recycled_count, b.recycled_count) << "warm contacts go on";
    ASSERT_EQ(original.state_hash(), other.state_hash()) << "step " << i;
  }
  EXPECT_EQ(original.add_body({}), other.add_body({})) << "free slots and generations go on too";
  EXPECT_EQ(original.state_hash(), other.state_hash());
}

TEST_P(WorldSnapshotTest, SavingChangesNothingAndIsReproducible) {
  World world = eventful(12);
  const std::uint64_t hash = world.state_hash();
  const std::string first = saved(world), second = saved(world);
  EXPECT_EQ(first, second);
  EXPECT_EQ(world.state_hash(), hash);
  World other(def());
  restore(other, first);
  EXPECT_EQ(saved(other), first);
}

TEST_P(WorldSnapshotTest, BackendAndThreadsAreNotRestored) {
  World world = eventful(10);
  WorldDef d = def();
  d.threads = 1;
  World other(d);
  restore(other, saved(world));
  EXPECT_EQ(other.backend(), GetParam());
  EXPECT_EQ(other.def().threads, 1);
  EXPECT_EQ(other.def().backend, GetParam());
}

TEST_P(WorldSnapshotTest, EmptyWorld) {
  World empty(def()), other(def());
  other.add_bodies(pile(3));
  restore(other, saved(empty));
  EXPECT_EQ(other.body_count(), 0);
  EXPECT_EQ(other.state_hash(), empty.state_hash());
  other.step(kStep);
  EXPECT_EQ(other.step_number(), 1u);
}

TEST_P(WorldSnapshotTest, TwoSnapshotsInOneStream) {
  World a = eventful(9), b(def());
  b.add_body({});
  std::stringstream stream(std::ios::in | std::ios::out | std::ios::binary);
  a.save(stream);
  b.save(stream);
  World c(def()), d(def());
  c.restore(stream);
  d.restore(stream);
  EXPECT_EQ(c.state_hash(), a.state_hash());
  EXPECT_EQ(d.state_hash(), b.state_hash());
}

TEST_P(WorldSnapshotTest, CutStreamsAreRefused) {
  World world = eventful(9);
  const std::string bytes = saved(world);
  World other(def());
  other.add_bodies(pile(3));
  const std::uint64_t before = other.state_hash();
  const std::size_t stride = bytes.size() / 200 + 1;
  for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : stride) {
    EXPECT_NE(error_of([&] { restore(other, bytes.substr(0, size)); }).find("restore"), std::string::npos) << size;
  }
  EXPECT_NE(error_of([&] { restore(other, bytes.substr(0, bytes.size() - 1)); }), "");
  EXPECT_EQ(other.state_hash(), before);
}

TEST_P(WorldSnapshotTest, ChangedBitsAreRefused) {
  World world = eventful(9);
  const std::string bytes = saved(world);
  World other(def());
  other.add_bodies(pile(3));
  const std::uint64_t before = other.state_hash();
  const std::size_t stride = bytes.size() / 300 + 1;
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : stride) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ (1 << (at % 8)));
    EXPECT_NE(error_of([&] { restore(other, broken); }).find("restore"), std::string::npos) << at;
  }
  EXPECT_EQ(other.state_hash(), before);
}

/// Changes bytes of the payload and makes the checksum right again: what is left to catch it is the check of values.
std::string forged(std::string bytes, std::size_t at, const std::string& with) {
  constexpr std::size_t kHeader = 8 + 4 + 8 + 8;
  bytes.replace(kHeader + at, with.size(), with);
  Hash64 hash;
  hash.add(bytes.data() + kHeader, bytes.size() - kHeader - 8);
  const std::uint64_t value = hash.value();
  bytes.replace(bytes.size() - 8, 8, std::string(reinterpret_cast<const char*>(&value), 8));
  return bytes;
}

TEST_P(WorldSnapshotTest, ForgedValuesAreRefusedOrHarmless) {
  // With a good checksum any bytes may arrive. Whatever passes the checks must be a world that can be stepped.
  // There is a row without a body, and one without a joint, whose values nobody looks at otherwise.
  World world(def());
  std::vector<BodyDef> defs = pile(8);
  defs[3].material = {.friction = 0.5f, .rolling_friction = 0.1f};
  const std::vector<BodyId> ids = world.add_bodies(defs);
  world.add_joint(ball_joint(ids[1], ids[2], {0, 0, 0}));
  const JointId gone = world.add_joint(hinge_joint(ids[4], ids[5], {0, 0, 0}, {0, 1, 0}));
  world.ignore_pair(ids[6], ids[7]);
  world.step_n(30, kStep);
  world.remove_joint(gone);
  world.remove_body(ids[5]);
  const std::string bytes = saved(world);
  const std::size_t payload = bytes.size() - 28 - 8;
  World other(def());
  int refused = 0, taken = 0;
  const std::string evil[] = {std::string(4, '\xff'), std::string("\x00\x00\xc0\x7f", 4),
                              std::string("\xff\xff\xff\x7f", 4), std::string("\x00\x00\x00\x71", 4)};
  const std::size_t stride = on_cuda() ? 397 : 11;
  for (std::size_t at = 0; at + 4 <= payload; at += stride) {
    const std::string file = forged(bytes, at, evil[at % 4]);
    const std::uint64_t before = other.state_hash();
    const std::string error = error_of([&] { restore(other, file); });
    if (error.empty()) {
      ++taken;
      other.step(kStep);
    } else {
      ++refused;
      EXPECT_EQ(error.rfind("restore: ", 0), 0u) << error;
      EXPECT_EQ(other.state_hash(), before) << error;
    }
  }
  EXPECT_GT(refused, taken / 4);
}

TEST_P(WorldSnapshotTest, ErrorsNameWhatIsWrong) {
  World world(def());
  const std::vector<BodyId> ids = world.add_bodies(pile(3));
  world.set_velocity(ids[1], {1234.5f, 0, 0}, {});
  const std::string bytes = saved(world);
  const float speed = 1234.5f;
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&speed), sizeof(speed)));
  ASSERT_NE(at, std::string::npos);
  World other(def());
  const std::string error =
      error_of([&] { restore(other, forged(bytes, at - 28, std::string("\x00\x00\xc0\x7f", 4))); });
  EXPECT_EQ(error, "restore: body 1 has a pose, a velocity or another number of its state that is not finite");
}

TEST_P(WorldSnapshotTest, ForeignStreamsAreRefused) {
  World world(def());
  world.add_body({});
  const std::uint64_t before = world.state_hash();
  EXPECT_NE(error_of([&] { restore(world, ""); }), "");
  EXPECT_NE(error_of([&] { restore(world, std::string(1000, 'x')); }).find("not a snapshot"), std::string::npos);
  EXPECT_NE(error_of([&] { restore(world, std::string(1000, '\0')); }).find("not a snapshot"), std::string::npos);
  std::string newer = saved(world);
  newer[8] = 99;
  EXPECT_NE(error_of([&] { restore(world, newer); }).find("format 99"), std::string::npos);
  std::string huge = saved(world);
  huge.replace(20, 8, std::string(7, '\xff') + '\x7f');  // says that it has 2^63 bytes
  EXPECT_NE(error_of([&] { restore(world, huge); }).find("cut off"), std::string::npos);
  EXPECT_EQ(world.state_hash(), before);
}

TEST_P(WorldSnapshotTest, FullDiskIsReported) {
  struct Full : std::streambuf {
    std::streamsize xsputn(const char*, std::streamsize) override { return 0; }
    int_type overflow(int_type) override { return traits_type::eof(); }
  } full;
  std::ostream out(&full);
  World world(def());
  world.add_body({});
  EXPECT_NE(error_of([&] { world.save(out); }).find("save"), std::string::npos);
}

TEST(Snapshot, HashDoesNotDependOnHowBytesAreCut) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i * 37 + i / 7);
  Hash64 whole;
  whole.add(bytes.data(), bytes.size());
  for (const std::size_t piece : {1u, 3u, 7u, 8u, 13u, 64u}) {
    Hash64 cut;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      cut.add(bytes.data() + at, std::min(piece, bytes.size() - at));
    EXPECT_EQ(cut.value(), whole.value()) << piece;
  }
  Hash64 shorter;
  shorter.add(bytes.data(), bytes.size() - 1);
  EXPECT_NE(shorter.value(), whole.value());
  Hash64 empty, zero;
  zero.add("\0", 1);
  EXPECT_NE(empty.value(), zero.value());
}

}  // namespace
}  // namespace talus::test
