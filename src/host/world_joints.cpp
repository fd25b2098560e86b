// SPDX-License-Identifier: MIT
// Joints of a world. Their edits go to the simulation at once, which therefore waits for queued steps; the plan in
// which they are solved is made when the next step needs it.
#include <talus/world.h>

#include <algorithm>
#include <string>

#include "exec_cpu.h"
#include "joint_read.h"
#include "reserve.h"
#include "world_impl.h"

namespace talus {

namespace {

constexpr std::int64_t kMaxJoints = 1 << 24;  // a lane for each, of 1 KB, has room in memory and in 32-bit counts

// Coordinates are those of the bodies as they are; kinds of the caller's keep theirs.
JointReading reading_of(const JointModelRow& m, const JointStateRow& s, const JointedBody& a, const JointedBody& b) {
  JointReading r{};
  r.position = {s.position_linear.x,  s.position_linear.y,  s.position_linear.z,
                s.position_angular.x, s.position_angular.y, s.position_angular.z};
  r.velocity = {s.velocity_linear.x,  s.velocity_linear.y,  s.velocity_linear.z,
                s.velocity_angular.x, s.velocity_angular.y, s.velocity_angular.z};
  if (!is_custom(m.kind)) {
    const JointFrames<float> frames{{}, m.anchor_a, m.anchor_b, m.frame_a, m.frame_b};
    const JointCoordinates c =
        joint_coordinates(frames, a, b, m.kind == kRadial, lone_swing(m.axes), s.position_angular.x);
    std::copy(std::begin(c.position), std::end(c.position), r.position.begin());
    std::copy(std::begin(c.rate), std::end(c.rate), r.velocity.begin());
  }
  r.force = s.force;
  r.torque = s.torque;
  r.broken = s.broken != 0;
  return r;
}

// Calls run(first, last) for places first..last of each run of consecutive rows.
template <class F>
void for_each_run(std::span<const Index> rows, F&& run) {
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    while (last < rows.size() && rows[last] == rows[last - 1] + 1) ++last;
    run(first, last);
    first = last;
  }
}

}  // namespace

// ---- Impl ----------------------------------------------------------------------------------------------------------

Index World::Impl::row_of(const Where& where, JointId joint) const {
  if (!joint_slots.contains({joint.slot, joint.generation})) {
    throw Error(where.text() + " = {slot " + std::to_string(joint.slot) + ", generation " +
                std::to_string(joint.generation) + "} names no joint of this world");
  }
  return static_cast<Index>(joint.slot);
}

JointSide World::Impl::side_of(const Where& where, const char* field, BodyId body, const BodyState* state) {
  if (body == kWorld) return {};
  const Index row = row_of(where, body, field);
  if (state == nullptr) return {row, {}};
  return {row, {state->position[row], state->orientation[row]}};
}

JointMirror World::Impl::checked_joint(const Where& where, const JointDef& joint, const JointSide& a,
                                       const JointSide& b) {
  if (a.row == b.row) {
    throw Error(where.text() + ": a and b are " +
                (a.row < 0 ? std::string("both the world") : "the same body, in slot " + std::to_string(a.row)));
  }
  const auto moves = [&](Index row) { return row >= 0 && is_dynamic(row); };
  if (!moves(a.row) && !moves(b.row)) throw Error(where.text() + ": neither a nor b is dynamic; nothing could move");
  return make_joint(where, joint, a, b, kind_count());
}

std::vector<JointId> World::Impl::add_joints(const Where& where, std::span<const JointDef> defs) {
  flush();
  NewJoints joints(*this);
  const bool one = where.index < 0;
  const bool needs_poses = std::any_of(defs.begin(), defs.end(), [](const JointDef& d) { return !d.frames_in_bodies; });
  const BodyState* state = needs_poses ? &sim->state_on_host() : nullptr;
  for (std::size_t i = 0; i < defs.size(); ++i) {
    const Where here{where.call, where.name, one ? -1 : static_cast<std::ptrdiff_t>(i)};
    joints.joints.push_back(
        checked_joint(here, defs[i], side_of(here, ".a", defs[i].a, state), side_of(here, ".b", defs[i].b, state)));
  }
  std::vector<JointId> ids;
  ids.reserve(defs.size());
  prepare(joints, where.call, {});
  put_in(joints, ids);
  return ids;
}

World::Impl::NewJoints::~NewJoints() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointModelRow& model = joints[i].model;
    for (const Index body : {model.body_a, model.body_b}) world.joints_of.erase({body, rows[i]});
    const auto pair = world.coupled_pairs.find(pair_key(model.body_a, model.body_b));
    if (pair != world.coupled_pairs.end() && pair->second == 0) world.coupled_pairs.erase(pair);
  }
}

void World::Impl::prepare(NewJoints& joints, const char* call, std::span<const Index> edited) {
  const std::size_t count = joints.joints.size();
  const std::int64_t size = joint_slots.size_after(static_cast<std::int64_t>(count));
  if (size > kMaxJoints) {
    throw Error(std::string(call) + ": a world holds at most " + std::to_string(kMaxJoints) + " joints");
  }
  if (count == 0) return;
  std::vector<JointModelRow> models;
  std::vector<Index> edits_of(edited.begin(), edited.end());
  models.reserve(count);
  for (const JointMirror& joint : joints.joints) {
    models.push_back(joint.model);
    for (const Index body : {joint.model.body_a, joint.model.body_b}) {
      if (body >= 0) edits_of.push_back(body);
    }
  }
  joints.tables = JointTables::beginners(models);
  joint_slots.reserve(size);
  reserve_for(joint_mirrors, static_cast<std::size_t>(size));
  sim->reserve_joint_rows(static_cast<Index>(size));
  make_edit_room(edits_of);
  joints.rows = joint_slots.upcoming(count);
  for (std::size_t i = 0; i < count; ++i) {  // places in the lists, which count_joint() fills
    const JointModelRow& model = models[i];
    for (const Index body : {model.body_a, model.body_b}) {
      if (body >= 0) joints_of.insert({body, joints.rows[i]});
    }
    const bool coupled = joints.joints[i].collide == 0 && model.body_a >= 0 && model.body_b >= 0;
    if (coupled) coupled_pairs.try_emplace(pair_key(model.body_a, model.body_b), 0);
  }
}

void World::Impl::put_in(NewJoints& joints, std::vector<JointId>& ids) {
  const std::size_t count = joints.joints.size();
  if (count == 0) return;
  const Index size = static_cast<Index>(joint_slots.size_after(static_cast<std::int64_t>(count)));
  joint_mirrors.resize(static_cast<std::size_t>(size), JointMirror{});
  sim->set_joint_rows(size);
  for (std::size_t i = 0; i < count; ++i) {
    const BodyId slot = joint_slots.acquire();
    const Index row = joints.rows[i];
    TALUS_ASSERT(static_cast<Index>(slot.slot) == row);
    ids.push_back({slot.slot, slot.generation});
    joint_mirror(row) = joints.joints[i];
    count_joint(row, joints.joints[i].model, joints.joints[i].collide != 0, 1);
  }
  for_each_run(joints.rows, [&](std::size_t first, std::size_t last) {
    sim->write_joints(joints.rows[first], joints.tables, static_cast<Index>(first), static_cast<Index>(last - first));
  });
  joints.rows.clear();
  joints_changed = true;
}

void World::Impl::make_wake_room(const JointModelRow& model) {
  const Index rows[] = {std::max(model.body_a, Index{0}), std::max(model.body_b, Index{0})};
  if (def.sleep.enabled) make_edit_room(rows);
}

void World::Impl::wake_joint(const JointModelRow& model) {
  for (const Index body : {model.body_a, model.body_b}) {
    if (body >= 0 && slots.alive(body)) wake_row(body);
  }
}

void World::Impl::count_joint(Index row, const JointModelRow& model, bool collide, Index change) {
  wake_joint(model);
  for (const Index body : {model.body_a, model.body_b}) {
    if (body < 0) continue;
    if (change > 0) {
      joints_of.insert({body, row});
    } else {
      joints_of.erase({body, row});
    }
  }
  if (model.break_force < kNoLimit || model.break_torque < kNoLimit) breakable_count += change;
  if (model.limit_restitution > 0.0f) bouncing_count += change;
  if (collide || model.body_a < 0 || model.body_b < 0) return;
  const auto pair = coupled_pairs.try_emplace(pair_key(model.body_a, model.body_b), 0).first;
  pair->second += change;
  if (pair->second == 0) coupled_pairs.erase(pair);
  ignored_changed = true;
}

void World::Impl::remove(std::span<const Index> joint_rows, std::span<const BodyId> bodies) {
  const JointTables::Beginners nobody = JointTables::nobody(joint_rows.size());
  std::vector<Index> edited;
  for (const BodyId body : bodies) edited.push_back(static_cast<Index>(body.slot));
  for (const Index row : joint_rows) {
    const JointModelRow& model = joint_mirror(row).model;
    for (const Index body : {model.body_a, model.body_b}) {
      if (body >= 0) edited.push_back(body);
    }
  }
  make_edit_room(edited);  // the last thing that may fail
  for (const Index row : joint_rows) {
    JointMirror& joint = joint_mirror(row);
    count_joint(row, joint.model, joint.collide != 0, -1);
    joint = JointMirror{};
    joint_slots.release(row);
    joints_changed = true;
  }
  for_each_run(joint_rows, [&](std::size_t first, std::size_t last) {
    sim->write_joints(joint_rows[first], nobody, static_cast<Index>(first), static_cast<Index>(last - first));
  });
  for (const BodyId body : bodies) take_out(static_cast<Index>(body.slot));
}

std::vector<Index> World::Impl::joints_of_bodies(std::span<const BodyId> bodies) const {
  std::vector<Index> rows;
  if (joints_of.empty()) return rows;
  for (const BodyId body : bodies) {
    const Index row = static_cast<Index>(body.slot);
    for (auto it = joints_of.lower_bound({row, 0}); it != joints_of.end() && it->first == row; ++it) {
      rows.push_back(it->second);
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // joints between two of the bodies
  return rows;
}

JointMirror& World::Impl::fresh_joint(Index row) {
  if (sim->exposed()) joint_mirror(row).model = sim->joint_model_row(row);
  return joint_mirror(row);
}

void World::Impl::send_joint_plan() {
  std::vector<PlanJoint> joints;
  joints.reserve(static_cast<std::size_t>(joint_slots.count()));
  for (Index row = 0; row < joint_slots.size(); ++row) {
    if (joint_slots.alive(row)) joints.push_back(plan_joint(row, joint_mirror(row).model));
  }
  std::vector<float> mass;
  mass.reserve(mirrors.size());
  for (const BodyMirror& body : mirrors) mass.push_back(body.mass);
  JointPlanTables plan = make_joint_plan(joints, mass);
  if (plan.kinds != 0) {
    for (const JointMirror& joint : joint_mirrors) plan.parameters.push_back(joint.parameters);
  }
  sim->set_joint_plan(plan);
  bounded_joints = plan.bounded;
  joints_changed = false;
}

// ---- joints come and go --------------------------------------------------------------------------------------------

JointId World::add_joint(const JointDef& def) {
  return impl_->add_joints({"add_joint", "def"}, {&def, 1}).front();
}

std::vector<JointId> World::add_joints(std::span<const JointDef> defs) {
  return impl_->add_joints({"add_joints", "defs", 0}, defs);
}

int World::add_joint_kind(const JointKind& kind) {
  Impl& w = *impl_;
  const bool cuda = backend() == Backend::cuda;
  if (cuda && kind.on_cuda == nullptr) {
    throw Error(
        "add_joint_kind: this world is on CUDA, and joint_kind() was compiled without nvcc: call it in a .cu file");
  }
  if (kind.on_cpu == nullptr) throw Error("add_joint_kind: the kind is empty; joint_kind() makes one");
  if (w.kind_count() >= kMaxJointKinds) {
    throw Error("add_joint_kind: a world has at most " + std::to_string(kMaxJointKinds - kGearKind - 1) + " kinds");
  }
  w.settle();
  return w.sim->add_joint_kind(kind);
}

void World::remove_joint(JointId joint) {
  const Index row = impl_->row_of({"remove_joint", "joint"}, joint);
  impl_->settle();
  impl_->remove({&row, 1}, {});
}

bool World::contains(JointId joint) const {
  return impl_->joint_slots.contains({joint.slot, joint.generation});
}

Index World::joint_count() const {
  return impl_->joint_slots.count();
}

std::vector<JointId> World::joints() const {
  std::vector<JointId> ids;
  ids.reserve(static_cast<std::size_t>(joint_count()));
  for (Index slot = 0; slot < impl_->joint_slots.size(); ++slot) {
    const BodyId id = impl_->joint_slots.id(slot);
    if (impl_->joint_slots.alive(slot)) ids.push_back({id.slot, id.generation});
  }
  return ids;
}

// ---- edits ---------------------------------------------------------------------------------------------------------

void World::set_axis(JointId joint, Axis axis, const AxisDef& def) {
  Impl& w = *impl_;
  const Index row = w.row_of({"set_axis", "joint"}, joint);
  require_axis({"set_axis", "axis"}, axis);
  w.settle();
  JointMirror& mirror = w.fresh_joint(row);
  JointModelRow next = mirror.model;
  put_axis({"set_axis", "def"}, "", next, axis, def);
  require_some_axis({"set_axis", "joint"}, "", next);
  const PlanJoint was = plan_joint(row, mirror.model), will_be = plan_joint(row, next);
  w.make_wake_room(next);
  w.sim->write_joint_model(row, next);
  mirror.model = next;
  w.wake_joint(next);
  if (was.axes != will_be.axes) w.sim->clear_joint_impulses(row, axis);
  w.joints_changed = w.joints_changed || was.axes != will_be.axes || was.rubs != will_be.rubs;
}

void World::set_targets(JointId joint, Axis axis, float position, float velocity) {
  Impl& w = *impl_;
  const Index row = w.row_of({"set_targets", "joint"}, joint);
  require_axis({"set_targets", "axis"}, axis);
  require_finite({"set_targets", "position"}, "", position);
  require_finite({"set_targets", "velocity"}, "", velocity);
  w.settle();
  w.make_wake_room(w.joint_mirror(row).model);
  set_targets_of(w.joint_mirror(row).model, axis, position, velocity);
  w.sim->write_joint_targets(row, axis, position, velocity);
  w.wake_joint(w.joint_mirror(row).model);
}

// ---- reading -------------------------------------------------------------------------------------------------------

JointDef World::definition(JointId joint) {
  Impl& w = *impl_;
  const Index row = w.row_of({"definition", "joint"}, joint);
  w.settle();
  const JointMirror& mirror = w.fresh_joint(row);
  const auto id = [&](Index body) { return body < 0 ? kWorld : w.slots.id(body); };
  return definition_of(mirror, id(mirror.model.body_a), id(mirror.model.body_b));
}

void World::read_joints(std::span<const JointId> joints, std::span<JointReading> out) {
  Impl& w = *impl_;
  if (joints.size() != out.size()) {
    throw Error("read_joints: out has " + std::to_string(out.size()) + " elements for " +
                std::to_string(joints.size()) + " joints");
  }
  for (std::size_t i = 0; i < joints.size(); ++i) w.row_of({"read_joints", "joints", std::ptrdiff_t(i)}, joints[i]);
  if (joints.empty()) return;
  w.settle();
  const JointState& state = w.sim->joint_state_on_host();
  const BodyState& bodies = w.sim->state_on_host();
  const auto motion = [&](Index row) {
    if (row < 0) return JointedBody{};
    return JointedBody{bodies.position[row], bodies.orientation[row], bodies.linear_velocity[row],
                       bodies.angular_velocity[row]};
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Index row = static_cast<Index>(joints[i].slot);
    const JointModelRow& model = w.joint_mirror(row).model;
    out[i] = reading_of(model, joint_state_row(state, row), motion(model.body_a), motion(model.body_b));
  }
}

JointReading World::reading(JointId joint) {
  Impl& w = *impl_;
  const Index row = w.row_of({"reading", "joint"}, joint);
  w.settle();
  const JointModelRow& model = w.joint_mirror(row).model;
  const auto motion = [&](Index body) {
    if (body < 0) return JointedBody{};
    const BodyStateRow s = w.sim->state_row(body);
    return JointedBody{s.position, s.orientation, s.linear_velocity, s.angular_velocity};
  };
  return reading_of(model, w.sim->joint_state_row(row), motion(model.body_a), motion(model.body_b));
}

}  // namespace talus
