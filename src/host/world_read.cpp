// SPDX-License-Identifier: MIT
// Reading a world: motions, contacts, sums, bits, and the backend's own memory. All of it waits for queued steps and
// shows the world with all edits made so far.
#include <talus/world.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <utility>

#include "material.h"
#include "math/vec3.h"
#include "step_settings.h"
#include "world_impl.h"

namespace talus {

namespace {

BodyMotion motion_of(const BodyStateRow& s) {
  return {{s.position, s.orientation}, s.linear_velocity, s.angular_velocity};
}

void require_same_size(const char* call, std::size_t bodies, std::size_t out) {
  if (bodies == out) return;
  throw Error(std::string(call) + ": out has " + std::to_string(out) + " elements for " + std::to_string(bodies) +
              " bodies");
}

struct DoubleVec {
  double x, y, z;
};
DoubleVec cross(DoubleVec a, DoubleVec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double dot(DoubleVec a, DoubleVec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
DoubleVec wide(Vec3 v) {
  return {double(v.x), double(v.y), double(v.z)};
}
// v + 2 w (u x v) + 2 u x (u x v), with sign -1 for the way back.
DoubleVec rotate(Quat q, DoubleVec v, double sign) {
  const DoubleVec u{sign * double(q.x), sign * double(q.y), sign * double(q.z)};
  const DoubleVec t = cross(u, v), tt = cross(u, t);
  const double w = double(q.w);
  return {v.x + 2 * (w * t.x + tt.x), v.y + 2 * (w * t.y + tt.y), v.z + 2 * (w * t.z + tt.z)};
}

}  // namespace

// ---- motions -------------------------------------------------------------------------------------------------------

BodyMotion World::motion(BodyId body) {
  const Index row = impl_->row_of({"motion", "body"}, body);
  impl_->flush();
  return motion_of(impl_->sim->state_row(row));
}

void World::read_poses(std::span<const BodyId> bodies, std::span<Transform> out) {
  require_same_size("read_poses", bodies.size(), out.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) impl_->row_of({"read_poses", "bodies", std::ptrdiff_t(i)}, bodies[i]);
  impl_->flush();
  const BodyState& state = impl_->sim->state_on_host();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Index row = static_cast<Index>(bodies[i].slot);
    out[i] = {state.position[row], state.orientation[row]};
  }
}

void World::read_motions(std::span<const BodyId> bodies, std::span<BodyMotion> out) {
  require_same_size("read_motions", bodies.size(), out.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    impl_->row_of({"read_motions", "bodies", std::ptrdiff_t(i)}, bodies[i]);
  }
  impl_->flush();
  const BodyState& state = impl_->sim->state_on_host();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Index row = static_cast<Index>(bodies[i].slot);
    out[i] = {{state.position[row], state.orientation[row]}, state.linear_velocity[row], state.angular_velocity[row]};
  }
}

bool World::is_awake(BodyId body) {
  const Index row = impl_->row_of({"is_awake", "body"}, body);
  impl_->flush();
  return impl_->sim->state_row(row).asleep == 0;
}

BodyDef World::definition(BodyId body) {
  const Index row = impl_->row_of({"definition", "body"}, body);
  impl_->flush();
  return definition_of(impl_->mirror(row), impl_->sim->state_row(row));
}

// ---- contacts ------------------------------------------------------------------------------------------------------

std::vector<ContactReport> World::read_contacts() {
  Impl& w = *impl_;
  if (!w.def.contact_reports) throw Error("read_contacts: the world was made without WorldDef::contact_reports");
  w.flush();
  const ContactImage contacts = w.sim->contacts();
  const BodyState& state = w.sim->state_on_host();
  // The cache holds the impulses of the last sub-step. Times their number they stand for the whole step.
  const float substeps = static_cast<float>(substeps_of(w.def.solver));
  std::vector<ContactReport> reports;
  for (Index pair = 0; pair < contacts.pair_count; ++pair) {
    const CachedContact& contact = contacts.contacts[static_cast<std::size_t>(pair)];
    const int count = static_cast<int>(contact.count);
    if (count == 0) continue;
    const Index a = contacts.owner[static_cast<std::size_t>(pair)],
                b = contacts.partner[static_cast<std::size_t>(pair)];
    const BodyModelRow &model_a = w.mirror(a).model, &model_b = w.mirror(b).model;
    ContactReport report{};
    report.a = w.slots.id(a);
    report.b = w.slots.id(b);
    report.normal = contact.normal;
    report.friction_impulse = substeps * contact.friction;
    report.twist_impulse = substeps * contact.twist;
    report.friction = w.materials.contact(model_a, model_b).friction;
    report.point_count = count;
    const bool turns = count > 1;  // since the manifold was made; a single point is of this step
    const Quat turn_a = turns ? state.orientation[a] * conjugate(contact.made_a) : kIdentity;
    const Quat turn_b = turns ? state.orientation[b] * conjugate(contact.made_b) : kIdentity;
    for (int i = 0; i < count; ++i) {
      const Vec3 on_a = rotate(turn_a, contact.point[i].on_a), on_b = rotate(turn_b, contact.point[i].on_b);
      ContactPoint& point = report.points[i];
      point.position = 0.5f * (state.position[a] + on_a) + 0.5f * (state.position[b] + on_b);  // no sum overflows
      point.separation = contact.point[i].separation;
      point.normal_impulse = substeps * contact.impulse[i];
      point.feature = contact.point[i].feature & ~kFleeting;
    }
    reports.push_back(report);
  }
  return reports;
}

std::vector<Event> World::read_events() {
  Impl& w = *impl_;
  if (!w.def.events.enabled) throw Error("read_events: the world was made without WorldDef::events");
  w.settle();
  std::vector<Event> list;
  for (const EventRecord& e : w.sim->events_copy()) {
    const auto body = [&](Index row) { return row >= 0 ? w.slots.id(row) : kWorld; };
    Event event{e.type, body(e.a), body(e.b), {}, e.speed, e.impulse, e.normal};
    if (e.type == EventType::joint_broke) {  // removed since: its row has no bodies
      const JointModelRow& joint = w.joint_mirror(e.a).model;
      event.a = joint.alive != 0 ? body(joint.body_a) : kWorld;
      event.b = joint.alive != 0 ? body(joint.body_b) : kWorld;
      const BodyId slot = w.joint_slots.id(e.a);
      event.joint = {slot.slot, slot.generation};
    }
    list.push_back(event);
  }
  return list;
}

// ---- sums ----------------------------------------------------------------------------------------------------------

Mechanics World::mechanics() {
  Impl& w = *impl_;
  w.flush();
  const BodyState& state = w.sim->state_on_host();
  const DoubleVec gravity = wide(w.def.gravity);
  Mechanics sum;
  for (Index row = 0; row < w.slots.size(); ++row) {
    const BodyMirror& body = w.mirror(row);
    if (body.model.alive == 0 || body.model.motion != std::uint8_t(Motion::dynamic)) continue;
    const double m = double(body.mass);
    const DoubleVec x = wide(state.position[row]), v = wide(state.linear_velocity[row]);
    const DoubleVec spin = wide(state.angular_velocity[row]), inertia = wide(body.inertia);
    const Quat q = state.orientation[row];
    const DoubleVec local = rotate(q, spin, -1);
    const DoubleVec turning = rotate(q, {inertia.x * local.x, inertia.y * local.y, inertia.z * local.z}, 1);
    const DoubleVec p{m * v.x, m * v.y, m * v.z}, orbital = cross(x, p);
    sum.kinetic_energy += 0.5 * (dot(p, v) + dot(turning, spin));
    sum.potential_energy -= double(body.model.gravity_scale) * m * dot(gravity, x);
    sum.momentum[0] += p.x;
    sum.momentum[1] += p.y;
    sum.momentum[2] += p.z;
    sum.angular_momentum[0] += orbital.x + turning.x;
    sum.angular_momentum[1] += orbital.y + turning.y;
    sum.angular_momentum[2] += orbital.z + turning.z;
  }
  return sum;
}

// ---- state as bits -------------------------------------------------------------------------------------------------

Snapshot World::Impl::capture() {
  flush();
  Snapshot s;
  s.def = def;
  s.step_number = sim->step_number();
  s.last_dt = last_dt;
  s.rows = slots.size();
  s.generations.assign(slots.generations().begin(), slots.generations().end());
  s.mass.reserve(mirrors.size());
  s.inertia.reserve(mirrors.size());
  for (const BodyMirror& body : mirrors) {
    s.mass.push_back(body.mass);
    s.inertia.push_back(body.inertia);
  }
  s.model = sim->model_copy();
  s.state = sim->state_copy();
  s.inputs = sim->inputs_copy();
  s.ignored_pairs.assign(ignored.begin(), ignored.end());
  s.contacts = sim->contacts();
  s.materials = materials.rows();
  s.material_pairs = materials.pairs();
  s.joints.rows = joint_slots.size();
  s.joints.generations.assign(joint_slots.generations().begin(), joint_slots.generations().end());
  for (const JointMirror& joint : joint_mirrors) s.joints.collide.push_back(joint.collide);
  s.joints.model = sim->joint_model_copy();
  s.joints.state = sim->joint_state_copy();
  s.joints.kinds = kind_count();
  for (const JointMirror& joint : joint_mirrors) s.joints.parameters.push_back(joint.parameters);
  return s;
}

std::uint64_t World::state_hash() {
  return hash_of(impl_->capture());
}

void World::save(std::ostream& out) {
  write_snapshot(out, impl_->capture());
}

void World::restore(std::istream& in) {
  impl_->settle();
  Snapshot snapshot = read_snapshot(in);
  // A whole new world on the same backend, which takes the place of the old one only when it is complete.
  std::unique_ptr<Impl> next = std::make_unique<Impl>();
  next->def = snapshot.def;
  next->def.backend = impl_->def.backend;
  next->def.threads = impl_->def.threads;
  next->def.cuda_stream = impl_->def.cuda_stream;
  next->sim = std::make_unique<Simulation>(impl_->sim->backend(), next->def);
  const std::vector<JointKind>& kinds = impl_->sim->joints().kinds();
  if (snapshot.joints.kinds != 0 && snapshot.joints.kinds != static_cast<Index>(kinds.size())) {
    throw Error("restore: the snapshot has joints of a world with " +
                std::to_string(snapshot.joints.kinds - kGearKind - 1) +
                " kinds added by add_joint_kind(), this one has " + std::to_string(kinds.size() - kGearKind - 1) +
                "; add the same ones, in the same order");
  }
  next->sim->set_joint_kinds(kinds);
  next->adopt(std::move(snapshot));
  impl_ = std::move(next);
}

void World::Impl::adopt(Snapshot s) {
  const BodyModel& model = s.model.view;
  materials.adopt(s.materials, s.material_pairs);
  slots = Slots::from(s.generations, {model.alive.data, static_cast<std::size_t>(s.rows)});
  mirrors.resize(static_cast<std::size_t>(s.rows), BodyMirror{});
  for (Index row = 0; row < s.rows; ++row) {
    BodyMirror& body = mirror(row);
#define TALUS_READ_COLUMN(type_, name, unit, meaning) body.model.name = model.name[row];
    TALUS_BODY_MODEL(TALUS_READ_COLUMN)
#undef TALUS_READ_COLUMN
    body.mass = s.mass[static_cast<std::size_t>(row)];
    body.inertia = s.inertia[static_cast<std::size_t>(row)];
    restore_material(s, body);
    if (body.model.alive != 0) materials.take_saved(body.model.flags >> kMaterialShift);
    bouncing_count += body.model.restitution > 0.0f ? 1 : 0;
    kinematic_count += is_kinematic(body) ? 1 : 0;
    count_sizes(body.model, 1);
  }
  for (const std::uint64_t pair : s.ignored_pairs) {
    ignored.insert(ignored.end(), pair);
    ++mirror(static_cast<Index>(pair >> 32)).ignored_pairs;
    ++mirror(static_cast<Index>(pair & 0xffffffffu)).ignored_pairs;
  }
  sim->adopt(s.model, s.state, s.inputs, s.contacts, s.rows, s.step_number);
  last_dt = s.last_dt;
  joint_slots = Slots::from(s.joints.generations, {s.joints.model.view.alive.data, std::size_t(s.joints.rows)});
  joint_mirrors.resize(static_cast<std::size_t>(s.joints.rows), JointMirror{});
  for (Index row = 0; row < s.joints.rows; ++row) {
    JointMirror& joint = joint_mirror(row);
    joint.model = joint_model_row(s.joints.model.view, row);
    joint.collide = s.joints.collide[static_cast<std::size_t>(row)];
    if (!s.joints.parameters.empty()) joint.parameters = s.joints.parameters[static_cast<std::size_t>(row)];
    if (joint.model.alive != 0) count_joint(row, joint.model, joint.collide != 0, 1);
  }
  sim->adopt_joints(s.joints.model, s.joints.state, s.joints.rows);
  planes_changed = ignored_changed = joints_changed = true;
  report.step = s.step_number;
  report.body_count = slots.count();
  report.joint_count = joint_slots.count();
}

// ---- the backend's memory ------------------------------------------------------------------------------------------

DeviceView World::device_view() {
  Impl& w = *impl_;
  w.flush();
  w.sim->expose();
  const BodyModel& model = w.sim->model_view();
  const BodyState& state = w.sim->state_view();
  DeviceView view;
  view.backend = backend();
  view.row_count = w.slots.size();
  view.position = state.position;
  view.orientation = state.orientation;
  view.linear_velocity = state.linear_velocity;
  view.angular_velocity = state.angular_velocity;
  view.alive = {model.alive.data, model.alive.size};
  view.asleep = {state.asleep.data, state.asleep.size};
  view.shape = {model.shape.data, model.shape.size};
  view.shape_size = model.shape_size;
  if (w.def.events.enabled) {
    view.events = w.sim->events();
    view.event_count = w.sim->event_count();
  }
  view.instance_transforms = w.def.instance_transforms ? w.sim->instance_transforms() : nullptr;
  const JointModel& joint = w.sim->joints().model();
  const JointState& joint_state = w.sim->joints().state();
  view.joint_count = w.joint_slots.size();
  view.joint_alive = {joint.alive.data, joint.alive.size};
  view.joint_broken = {joint_state.broken.data, joint_state.broken.size};
  if (w.def.joint_readings) {
    view.joint_position_linear = joint_state.position_linear;
    view.joint_position_angular = joint_state.position_angular;
    view.joint_velocity_linear = joint_state.velocity_linear;
    view.joint_velocity_angular = joint_state.velocity_angular;
  }
  view.joint_force = joint_state.force;
  view.joint_torque = joint_state.torque;
  view.joint_target_linear = joint.target_linear;
  view.joint_target_angular = joint.target_angular;
  view.joint_target_linear_velocity = joint.target_linear_velocity;
  view.joint_target_angular_velocity = joint.target_angular_velocity;
  view.joint_stiffness_linear = joint.stiffness_linear;
  view.joint_stiffness_angular = joint.stiffness_angular;
  view.joint_damping_linear = joint.damping_linear;
  view.joint_damping_angular = joint.damping_angular;
  view.joint_max_force = joint.max_force;
  view.joint_max_torque = joint.max_torque;
  return view;
}

void* World::stream() const {
  return impl_->sim->backend()->stream();
}

void World::record_event(void* cuda_event) {
  impl_->sim->backend()->record_event(cuda_event);
}

void World::wait_event(void* cuda_event) {
  impl_->sim->backend()->wait_event(cuda_event);
}

}  // namespace talus
