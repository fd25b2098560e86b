// SPDX-License-Identifier: MIT
// World: its life, its bodies and its steps. Edits are in world_edit.cpp, joints in world_joints.cpp, reading in
// world_read.cpp.
#include <talus/world.h>

#include <algorithm>

#include "exec_cpu.h"
#include "gear.h"
#include "reserve.h"
#include "shapes/extent.h"
#include "squeeze.h"
#include "step_settings.h"
#include "world_impl.h"

namespace talus {

namespace {

constexpr std::int64_t kMaxBodies = 1 << 27;  // 12 floats of each are still counted by an Index

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
  if (materials.changed()) {
    sim->set_materials(materials.surfaces(), materials.pair_records());
    materials.clear_changed();
  }
}

void World::Impl::send_edits() {
  if (edits.empty()) return;
  sim->apply(edits.layers());
  edits.clear();
}

void World::Impl::flush() {
  settle();
  send_lists();
  send_edits();
}

void World::Impl::make_edit_room(std::span<const Index> rows) {
  edits.make_room(rows, std::size_t(kMaxQueuedEdits));
  if (std::size_t(edits.size()) + rows.size() >= std::size_t(kMaxQueuedEdits)) {
    sim->make_edit_room(std::size_t(kMaxQueuedEdits));
  }
}

// ---- bodies come and go --------------------------------------------------------------------------------------------

World::Impl::NewBodies::~NewBodies() {
  for (std::size_t i = 0; i < made; ++i) {
    BodyMirror& body = world.mirror(rows[i]);
    world.materials.release(body.model.flags >> kMaterialShift);
    body = BodyMirror{};
  }
  world.mirrors.resize(static_cast<std::size_t>(world.slots.size()));  // not more than there are: takes no memory
}

void World::Impl::prepare(NewBodies& bodies, const Where& where, std::span<const BodyDef> defs) {
  const std::int64_t size = slots.size_after(static_cast<std::int64_t>(defs.size()));
  if (size > kMaxBodies) {
    throw Error(std::string(where.call) + ": a world holds at most " + std::to_string(kMaxBodies) + " bodies");
  }
  bodies.rows = slots.upcoming(defs.size());
  bodies.states.reserve(defs.size());
  reserve_for(mirrors, static_cast<std::size_t>(size));
  mirrors.resize(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < defs.size(); ++i) {
    const Where here{where.call, where.name, where.index < 0 ? -1 : static_cast<std::ptrdiff_t>(i)};
    NewBody body = make_body(here, resolved(here, defs[i]));
    body.mirror.model.flags |= materials.take(body.mirror.material, body.mirror.material_id) << kMaterialShift;
    mirror(bodies.rows[i]) = body.mirror;
    bodies.states.push_back(body.state);
    ++bodies.made;
  }
  settle();
  slots.reserve(size);
  sim->reserve_rows(static_cast<Index>(size));
  make_edit_room(bodies.rows);
}

void World::Impl::put_in(NewBodies& bodies, std::vector<BodyId>& ids) {
  sim->set_rows(static_cast<Index>(mirrors.size()));
  for (std::size_t i = 0; i < bodies.rows.size(); ++i) {
    const Index row = bodies.rows[i];
    ids.push_back(slots.acquire());
    TALUS_ASSERT(static_cast<Index>(ids.back().slot) == row);
    count_shapes(mirror(row), 1);
    edits.replace(row, mirror(row).model, bodies.states[i]);
    if (edits.size() >= kMaxQueuedEdits) send_edits();
  }
  bodies.made = 0;
}

void World::Impl::take_out(Index row) {
  BodyMirror& body = mirror(row);
  count_shapes(body, -1);
  if (body.ignored_pairs > 0) forget_ignored_pairs(row);
  materials.release(body.model.flags >> kMaterialShift);
  body = BodyMirror{};
  edits.replace(row, body.model, BodyStateRow{});
  if (edits.size() >= kMaxQueuedEdits) send_edits();
  slots.release(row);
}

// Lists and counts that steps need.
void World::Impl::count_shapes(const BodyMirror& body, Index change) {
  planes_changed = planes_changed || body.model.shape == std::uint8_t(ShapeType::plane);
  if (body.model.restitution > 0.0f) bouncing_count += change;
  if (is_kinematic(body)) kinematic_count += change;
  count_sizes(body.model, change);
}

void World::Impl::count_sizes(const BodyModelRow& model, Index change) {
  inverse_masses.add(model.inv_mass, change);
  const auto shape = ShapeType(model.shape);
  if (model.alive == 0 || shape == ShapeType::plane) return;
  thicknesses.add(2.0f * min_half_thickness(shape, model.shape_size), change);
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
  Impl::NewBodies body(*impl_);
  std::vector<BodyId> id;
  id.reserve(1);
  impl_->prepare(body, {"add_body", "def"}, {&def, 1});
  impl_->put_in(body, id);
  return id.front();
}

std::vector<BodyId> World::add_bodies(std::span<const BodyDef> defs) {
  Impl::NewBodies bodies(*impl_);
  std::vector<BodyId> ids;
  ids.reserve(defs.size());
  impl_->prepare(bodies, {"add_bodies", "defs", 0}, defs);
  impl_->put_in(bodies, ids);
  return ids;
}

void World::remove_body(BodyId body) {
  impl_->row_of({"remove_body", "body"}, body);
  impl_->settle();
  impl_->remove(impl_->joints_of_bodies({&body, 1}), {&body, 1});
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
  w.remove(w.joints_of_bodies(bodies), bodies);
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
    input.params = make_step_params(w.def, dt, w.last_dt);
    input.params.thinnest = w.thicknesses.smallest();
  }
  input.shape = make_step_shape(w.def);
  // Layers of shock propagation hold any load as it is.
  input.shape.squeeze = !input.shape.shock.on && w.inverse_masses.ratio() > kSqueezedFrom;
  input.shape.uneven = w.inverse_masses.ratio() > kUnevenFrom;
  input.shape.restitution = w.bouncing_count > 0 || w.materials.pairs_bounce();
  input.shape.carriers = w.kinematic_count > 0;
  input.shape.surfaces = input.shape.surfaces || w.materials.in_use() ||
                         (input.shape.rigid.on && input.shape.restitution);  // which has its energy there
  input.shape.breakable = w.breakable_count > 0;
  input.shape.bounded_joints = w.bounded_joints;
  input.shape.joint_readings = w.def.joint_readings;
  w.sim->make_step_room(input.shape, w.edits.layers());  // all that may fail
  input.edits = w.edits.take();
  input.body_count = w.slots.count();
  input.joint_count = w.joint_slots.count();
  w.sim->enqueue(std::move(input));
  w.last_dt = dt;
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
  if (n == 0) {  // nothing happened, and nothing of an earlier step is told
    StepReport nothing;
    nothing.step = step_number();
    nothing.body_count = w.slots.count();
    nothing.joint_count = w.joint_slots.count();
    return nothing;
  }
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
