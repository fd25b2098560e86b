// SPDX-License-Identifier: MIT
// World: its life, its bodies and its steps. Edits are in world_edit.cpp, joints in world_joints.cpp, reading in
// world_read.cpp.
#include <talus/world.h>

#include <algorithm>

#include "exec_cpu.h"
#include "gear.h"
#include "step_settings.h"
#include "world_impl.h"

namespace talus {

namespace {

constexpr std::int64_t kMaxBodies = 1 << 30;

std::shared_ptr<StepBackend> make_backend(const WorldDef& def) {
  const bool cuda =
      def.backend == Backend::cuda || (def.backend == Backend::automatic && cuda_unavailable_reason().empty());
  return cuda ? make_cuda_backend(def.cuda_stream) : make_cpu_backend(def.threads);
}

}  // namespace

// ---- Impl ----------------------------------------------------------------------------------------------------------

Index World::Impl::row_of(const Where& where, BodyId body, const char* field) const {
  if (!slots.contains(body)) {
    throw Error(where.text() + field + " = {slot " + std::to_string(body.slot) + ", generation " +
                std::to_string(body.generation) + "} names no body of this world");
  }
  return static_cast<Index>(body.slot);
}

void World::Impl::settle() {
  if (sim->queue_empty()) return;
  sim->confirm(report, summary);
  if (has(report.status, StepStatus::not_finite)) {
    report.first_bad_body = slots.id(static_cast<Index>(report.first_bad_body.slot));
  }
}

void World::Impl::send_lists() {
  if (planes_changed) {
    std::vector<Index> planes;
    for (Index row = 0; row < slots.size(); ++row) {
      const BodyModelRow& model = mirror(row).model;
      if (model.alive != 0 && model.shape == std::uint8_t(ShapeType::plane)) planes.push_back(row);
    }
    sim->set_planes(planes);
    planes_changed = false;
  }
  if (ignored_changed) {
    std::vector<std::uint64_t> pairs;
    pairs.reserve(ignored.size() + coupled_pairs.size());
    for (const auto& [pair, joints] : coupled_pairs) pairs.push_back(pair);
    const auto middle = pairs.insert(pairs.end(), ignored.begin(), ignored.end());
    std::inplace_merge(pairs.begin(), middle, pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    sim->set_ignored_pairs(pairs);
    ignored_changed = false;
  }
  if (joints_changed) send_joint_plan();
  if (materials.take_changed()) sim->set_materials(materials.surfaces(), materials.pair_records());
}

void World::Impl::flush() {
  settle();
  send_lists();
  if (!edits.empty()) sim->apply(edits.take());
}

void World::Impl::replace_body(Index row, const BodyMirror& next, const BodyStateRow& state) {
  BodyMirror& now = mirror(row);
  const auto is_plane = [](const BodyMirror& m) {
    return m.model.alive != 0 && m.model.shape == std::uint8_t(ShapeType::plane);
  };
  planes_changed = planes_changed || is_plane(now) || is_plane(next);
  bouncing_count += (next.model.restitution > 0.0f ? 1 : 0) - (now.model.restitution > 0.0f ? 1 : 0);
  kinematic_count += (is_kinematic(next) ? 1 : 0) - (is_kinematic(now) ? 1 : 0);
  if (now.ignored_pairs > 0) forget_ignored_pairs(row);
  const std::uint32_t before = now.model.flags >> kMaterialShift;
  now = next;
  if (next.model.alive != 0) now.model.flags |= materials.take(next.material, next.material_id) << kMaterialShift;
  materials.release(before);
  edits.replace(row, now.model, state);
  if (edits.size() >= kMaxQueuedEdits) flush();
}

// ---- life ----------------------------------------------------------------------------------------------------------

World::World(const WorldDef& def) : impl_(std::make_unique<Impl>()) {
  validate_world(Where{"World", "def"}, def);
  impl_->def = def;
  impl_->sim = std::make_unique<Simulation>(make_backend(def), def);
  const bool cuda = impl_->sim->backend()->kind() == Backend::cuda;
  const int gear = impl_->sim->add_joint_kind(cuda ? cuda_gear_kind() : joint_kind(GearRow{}));
  TALUS_ASSERT(gear == kGearKind);
  (void)gear;
}

World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

// ---- bodies --------------------------------------------------------------------------------------------------------

BodyId World::add_body(const BodyDef& def) {
  Impl& w = *impl_;
  const Where where{"add_body", "def"};
  const NewBody body = make_body(where, w.resolved(where, def));
  w.settle();
  const std::int64_t rows = w.slots.size_after(1);
  if (rows > kMaxBodies) throw Error("add_body: a world holds at most " + std::to_string(kMaxBodies) + " bodies");
  w.sim->reserve_rows(static_cast<Index>(rows));
  w.mirrors.resize(static_cast<std::size_t>(rows), BodyMirror{});
  w.sim->set_rows(static_cast<Index>(rows));
  const BodyId id = w.slots.acquire();
  w.replace_body(static_cast<Index>(id.slot), body.mirror, body.state);
  return id;
}

std::vector<BodyId> World::add_bodies(std::span<const BodyDef> defs) {
  Impl& w = *impl_;
  const auto where = [](std::size_t i) { return Where{"add_bodies", "defs", static_cast<std::ptrdiff_t>(i)}; };
  for (std::size_t i = 0; i < defs.size(); ++i) {  // all are good, or none is added
    make_body(where(i), w.resolved(where(i), defs[i]));
  }
  w.settle();
  const std::int64_t rows = w.slots.size_after(static_cast<std::int64_t>(defs.size()));
  if (rows > kMaxBodies) throw Error("add_bodies: a world holds at most " + std::to_string(kMaxBodies) + " bodies");
  std::vector<BodyId> ids;
  ids.reserve(defs.size());
  w.sim->reserve_rows(static_cast<Index>(rows));
  w.mirrors.resize(static_cast<std::size_t>(rows), BodyMirror{});
  w.sim->set_rows(static_cast<Index>(rows));
  for (std::size_t i = 0; i < defs.size(); ++i) {
    const NewBody body = make_body(where(i), w.resolved(where(i), defs[i]));
    ids.push_back(w.slots.acquire());
    w.replace_body(static_cast<Index>(ids.back().slot), body.mirror, body.state);
  }
  return ids;
}

void World::remove_body(BodyId body) {
  const Index row = impl_->row_of({"remove_body", "body"}, body);
  impl_->settle();
  impl_->remove_joints_of({&body, 1});
  impl_->replace_body(row, BodyMirror{}, BodyStateRow{});
  impl_->slots.release(row);
}

void World::remove_bodies(std::span<const BodyId> bodies) {
  Impl& w = *impl_;
  std::vector<bool> named(static_cast<std::size_t>(w.slots.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Where where{"remove_bodies", "bodies", static_cast<std::ptrdiff_t>(i)};
    const std::size_t row = static_cast<std::size_t>(w.row_of(where, bodies[i]));
    if (named[row]) throw Error(where.text() + " names a body for the second time");
    named[row] = true;
  }
  w.settle();
  w.remove_joints_of(bodies);
  for (const BodyId body : bodies) {
    const Index row = static_cast<Index>(body.slot);
    w.replace_body(row, BodyMirror{}, BodyStateRow{});
    w.slots.release(row);
  }
}

bool World::contains(BodyId body) const {
  return impl_->slots.contains(body);
}

Index World::body_count() const {
  return impl_->slots.count();
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> ids;
  ids.reserve(static_cast<std::size_t>(body_count()));
  for (Index slot = 0; slot < impl_->slots.size(); ++slot) {
    if (impl_->slots.alive(slot)) ids.push_back(impl_->slots.id(slot));
  }
  return ids;
}

// ---- time ----------------------------------------------------------------------------------------------------------

void World::step_async(float dt) {
  Impl& w = *impl_;
  validate_dt({"step", "dt"}, w.def.solver, dt);
  if (w.sim->queue_full()) w.settle();
  if (w.planes_changed || w.ignored_changed || w.joints_changed || w.materials.changed() || w.edits.structural()) {
    w.flush();
  }
  StepInput input;
  {
    const FloatEnvironment environment;
    input.params = make_step_params(w.def, dt);
  }
  input.shape = make_step_shape(w.def);
  input.shape.restitution = w.bouncing_count > 0 || w.materials.pairs_bounce();
  input.shape.carriers = w.kinematic_count > 0;
  input.shape.surfaces = !input.shape.rigid.on && (input.shape.surfaces || w.materials.in_use());
  input.shape.breakable = w.breakable_count > 0;
  input.shape.bounded_joints = w.bounded_joints;
  input.shape.joint_readings = w.def.joint_readings;
  input.edits = w.edits.take();
  input.body_count = w.slots.count();
  input.joint_count = w.joint_slots.count();
  w.sim->enqueue(std::move(input));
}

const StepReport& World::last_report() {
  impl_->settle();
  return impl_->report;
}

StepReport World::step(float dt) {
  step_async(dt);
  return last_report();
}

StepReport World::step_n(int n, float dt) {
  Impl& w = *impl_;
  if (n < 0) throw Error("step_n: n = " + std::to_string(n) + ", must be >= 0");
  validate_dt({"step_n", "dt"}, w.def.solver, dt);
  w.settle();
  w.summary = {};
  for (int i = 0; i < n; ++i) step_async(dt);
  StepReport report = last_report();
  report.status = report.status | w.summary.status;
  if (w.summary.first_bad_row >= 0) report.first_bad_body = w.slots.id(w.summary.first_bad_row);
  return report;
}

std::uint64_t World::step_number() const {
  return impl_->sim->step_number();
}

const WorldDef& World::def() const {
  return impl_->def;
}

Backend World::backend() const {
  return impl_->sim->backend()->kind();
}

}  // namespace talus
