// SPDX-License-Identifier: MIT
// A random sequence of calls on a world. Word 0 of an input makes the world, each other word one call, so that calls
// can be left out without changing the others.
#pragma once
#include <talus/talus.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "random_parts.h"

namespace talus::fuzz {

class Sequence {
 public:
  struct Options {
    int threads = 1;
    bool watch = false;  ///< look at the state around every call: what is refused must change nothing
    Index most_bodies = 150;
  };

  Sequence(std::span<const std::uint64_t> words, const Options& options);

  /// Makes all calls. Throws Broken if something does not hold.
  void run();

  World& world() { return *world_; }
  int kind_count() const { return static_cast<int>(kinds_.size()); }
  /// Of the state, after every eighth call and at the end.
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  const std::string& last_call() const { return last_call_; }
  /// Two pushes came between two steps.
  bool pushed_twice() const { return pushed_twice_; }

 private:
  using Action = void (Sequence::*)(Values);
  struct Call {
    const char* name;
    int weight;
    Action run;
    bool several = false;  // of several calls of the world: the first may be done when the second is refused
  };
  static std::span<const Call> calls();
  static const Call& pick_call(Random& random);
  void make_world(std::uint64_t word);
  void make_call(std::size_t number, std::uint64_t word);

  // bodies, joints, materials
  void add_body(Values v);
  void add_bodies(Values v);
  void remove_body(Values v);
  void remove_bodies(Values v);
  void add_joint(Values v);
  void add_joints(Values v);
  void remove_joint(Values v);
  void set_axis(Values v);
  void set_targets(Values v);
  void add_joint_kind(Values v);
  void edit_materials(Values v);
  void add_figure(Values v);
  void add_vehicle(Values v);
  // edits of bodies
  void set_pose(Values v);
  void set_velocity(Values v);
  void set_others(Values v);
  void push(Values v);
  void ignore_or_collide(Values v);
  void wake_or_sleep(Values v);
  void set_gravity(Values v);
  // time
  void step_async(Values v);
  void step(Values v);
  void step_n(Values v);
  void many_steps(Values v);
  // snapshots
  void save(Values v);
  void restore(Values v);
  void restore_broken(Values v);
  void resume(Values v);
  // reading
  void read(Values v);
  void read_contacts();
  void read_lists(Values v);
  void use_device_view(Values v);
  void move_world(Values v);
  void definitions(Values v);

  BodyId pick_body(Random& random);
  BodyId body_or_world(Random& random);
  JointId pick_joint(Random& random);
  void check_report(const StepReport& report);
  void check_motions(const char* when);

  struct Saved {
    std::string bytes;
    std::uint64_t hash;
  };
  std::vector<std::uint64_t> words_;
  Options options_;
  Wildness wild_ = Wildness::sane;
  std::optional<World> world_;
  std::vector<BodyId> bodies_;  // some are gone
  std::vector<JointId> joints_;
  std::vector<MaterialId> materials_;
  std::vector<int> kinds_;
  std::vector<Saved> saved_;
  std::vector<std::uint64_t> hashes_;
  std::string last_call_ = "World";
  bool left_finite_range_ = false;  // a step said so
  bool pushed_since_step_ = false, pushed_twice_ = false;
  bool not_looked_at_ = false;  // steps were queued whose reports nobody saw
};

}  // namespace talus::fuzz
