// SPDX-License-Identifier: MIT
#include "simulation.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstring>
#include <utility>

#include "events.h"

namespace talus {

namespace {

constexpr Index kMinRows = 64;         // rows made in advance at least
constexpr Index kEditChunk = 1 << 14;  // edits sent at once: bounds the memory they take to 4 MB

Index rounded_to_blocks(Index rows) {
  return (rows + kLanes - 1) / kLanes * kLanes;
}

// An eighth more than needed, so that a growing pile is not redone at every step.
Index with_slack(Index need) {
  return static_cast<Index>(std::min<std::int64_t>(std::int64_t(need) + need / 8, INT32_MAX - 1024));
}

// The same for what a step found too small. A small world has half more: in a pile that forms one list after another
// grows, each time a step is redone, and 1,000 spheres did so 15 times in 60 steps for want of some hundred kilobytes.
Index with_slack_to_grow(Index need) {
  constexpr Index kSmall = 1 << 14;
  return need < kSmall ? need + need / 2 : with_slack(need);
}

// Near boxes, by the number of pairs expected: a pile of spheres has 3 times as many, one of boxes 12 times.
Index usual_candidates(Index pairs) {
  return std::min(pairs, INT32_MAX / 16) * 6;
}

// Room for `size` elements that keeps the first `keep` ones.
template <class T>
void resize_array(Memory& memory, Array<T>& array, Index size, Index keep, const char* what) {
  Array<T> next;
  next.reset(memory, size, what);
  if (keep > 0) memory.copy(next.column().data, array.column().data, sizeof(T) * static_cast<std::size_t>(keep));
  array = std::move(next);
}

// Room for at least `bytes` that keeps the first `keep` ones.
void enlarge(Memory& memory, Block& block, std::size_t bytes, std::size_t keep, const char* what) {
  if (bytes <= block.bytes()) return;
  Block next(memory, bytes, what);
  if (keep > 0) memory.copy(next.data(), block.data(), keep);
  block = std::move(next);
}

}  // namespace

void clear_leftovers(CachedContact& contact) {
  const int count = static_cast<int>(contact.count);
  if (count == 0) contact = {};
  if (count == 1) {
    contact.made_between = {};
    contact.made_a = contact.made_b = {0.0f, 0.0f, 0.0f, 0.0f};
  }
  for (int i = count; i < kMaxPoints; ++i) {
    contact.impulse[i] = 0.0f;
    contact.point[i] = {};
  }
}

Simulation::Simulation(std::shared_ptr<StepBackend> backend, const WorldDef& def)
    : backend_(std::move(backend)),
      memory_(backend_->memory()),
      reserve_pairs_(def.reserve_pairs),
      reserve_contacts_(def.reserve_contacts),
      with_instance_transforms_(def.instance_transforms),
      with_sleep_(def.sleep.enabled),
      with_events_(def.events.enabled),
      wake_rim_(4.0f * def.solver.speculative_distance) {
  counters_.reset(memory_, 1, "counters");
  params_.reset(memory_, 1, "step parameters");
  const Index rows = std::max(def.reserve_bodies, kMinRows);
  reserve_rows(rows);
  room_.pairs = reserve_pairs_ > 0 ? reserve_pairs_ : rows;
  room_.contacts = reserve_contacts_ > 0 ? reserve_contacts_ : rows;
  room_.sweeps = def.solver.solver == Solver::rigid   ? def.solver.rigid.sweeps
                 : def.solver.solver == Solver::shock ? def.solver.shock.sweeps
                                                      : 0;
  room_.shock = def.solver.solver == Solver::shock;
  room_.history = def.solver.rigid.residual_history;
  resize_pair_lists(room_.pairs);
  resize_candidates(usual_candidates(room_.pairs));
}

void Simulation::reserve_rows(Index rows) {
  TALUS_ASSERT(queue_.empty());
  if (rows < row_capacity_) return;
  forget_candidates();  // first: if memory runs out on the way, they and the lanes are gone
  if (joints_.rows() > 0) forget_joint_lanes();
  const Index capacity = rounded_to_blocks(std::max(rows, with_slack(row_capacity_)) + 1);  // and the null body
  model_.resize(memory_, capacity, rows_, "body models");
  state_.resize(memory_, capacity, rows_, "body states");
  inputs_.resize(memory_, capacity, rows_, "body inputs");
  for (CacheTables& cache : caches_) {
    const Index keep = cache.begin.size() == 0 ? 0 : rows_ + 1;
    resize_array(memory_, cache.begin, capacity + 1, keep, "pair lists of bodies");
  }
  resize_records(0, capacity);
  kept_.resize_rows(memory_, capacity);
  replaced_.reset(memory_, capacity, "marks of bodies");
  if (with_instance_transforms_) {
    const Index keep = instance_transforms_.size() == 0 ? 0 : 12 * rows_;
    resize_array(memory_, instance_transforms_, 12 * capacity, keep, "instance transforms");
  }
  if (joints_.rows() > 0) joints_.resize_bodies(memory_, capacity);
  if (with_sleep_) {  // content is lost; a step that finds its candidates gone marks blocks anew
    sleep_rows_.resize(memory_, capacity, 0, "islands");
    sleep_blocks_.resize(memory_, capacity / kLanes, 0, "blocks of bodies");
  }
  row_capacity_ = capacity;
  state_copied_ = false;
}

// The next step makes the constants of their lanes anew.
void Simulation::forget_joint_lanes() {
  const Index no = 0;
  memory_.upload(&counters_.column().data->joints_begun, &no, sizeof(Index));
}

// The next step looks for them anew.
void Simulation::forget_candidates() {
  const Index none = 0;
  memory_.upload(&counters_.column().data->kept_rows, &none, sizeof(Index));
}

void Simulation::set_rows(Index rows) {
  TALUS_ASSERT(queue_.empty() && rows < row_capacity_);
  rows_ = std::max(rows_, rows);
  state_copied_ = false;
  if (joints_.rows() > 0) forget_joint_lanes();  // the null body, which stands for the world, has moved
}

void Simulation::set_planes(std::span<const Index> rows) {
  TALUS_ASSERT(queue_.empty());
  const Index count = static_cast<Index>(rows.size());
  if (count > planes_.size()) planes_.reset(memory_, with_slack(count), "planes");
  if (count > 0) memory_.upload(planes_.column().data, rows.data(), rows.size_bytes());
  plane_count_ = count;
}

void Simulation::set_ignored_pairs(std::span<const std::uint64_t> pairs) {
  TALUS_ASSERT(queue_.empty());
  const Index count = static_cast<Index>(pairs.size());
  if (count > ignored_pairs_.size()) ignored_pairs_.reset(memory_, with_slack(count), "ignored pairs");
  if (count > 0) memory_.upload(ignored_pairs_.column().data, pairs.data(), pairs.size_bytes());
  ignored_count_ = count;
}

void Simulation::set_materials(std::span<const SurfaceRecord> surfaces, std::span<const MaterialPairRecord> pairs) {
  TALUS_ASSERT(queue_.empty());
  surface_count_ = static_cast<Index>(surfaces.size());
  material_pair_count_ = static_cast<Index>(pairs.size());
  if (surface_count_ > surfaces_.size()) surfaces_.reset(memory_, with_slack(surface_count_), "materials");
  if (material_pair_count_ > material_pairs_.size()) {
    material_pairs_.reset(memory_, with_slack(material_pair_count_), "pairs of materials");
  }
  if (!surfaces.empty()) memory_.upload(surfaces_.column().data, surfaces.data(), surfaces.size_bytes());
  if (!pairs.empty()) memory_.upload(material_pairs_.column().data, pairs.data(), pairs.size_bytes());
}

// Zeros, unless the step before has left something.
void Simulation::make_surface_room() {
  room_.surfaces = true;
  if (with_rolling_) return;
  TALUS_ASSERT(queue_.empty());
  for (CacheTables& cache : caches_) cache.rolling.reset(memory_, cache.partner.size(), "rolling friction");
  with_rolling_ = true;
}

// Enlarges both sides of the contact cache; the last step's contacts stay.
void Simulation::resize_pair_lists(Index pairs) {
  for (CacheTables& cache : caches_) {
    const Index keep = &cache == &cache_of(confirmed_) ? last_pair_count_ : 0;
    if (with_events_) cache.events.resize(memory_, pairs, keep, "what pairs do");
    if (with_rolling_) resize_array(memory_, cache.rolling, pairs, keep, "rolling friction");
    resize_array(memory_, cache.place, pairs, keep, "places of contacts");
    resize_array(memory_, cache.owner, pairs, keep, "pair owners");
    resize_array(memory_, cache.partner, pairs, keep, "pair partners");  // last: what a step is held to
  }
}

void Simulation::resize_records(Index units, Index rows) {
  const std::size_t bytes = std::max(sizeof(ContactUnit) * (static_cast<std::size_t>(units) + kRecordUnits),
                                     bytes_of_table<SolveRowScratch>(rows));
  for (CacheTables& cache : caches_) {
    const Index keep = &cache == &cache_of(confirmed_) ? last_units_ : 0;
    enlarge(memory_, cache.records, bytes, sizeof(ContactUnit) * static_cast<std::size_t>(keep), "contact cache");
  }
}

void Simulation::resize_candidates(Index candidates) {
  kept_.resize_candidates(memory_, candidates);
  forget_candidates();
}

// Scratch is made when a step needs it, so that bodies may be added one by one. A body lies in one to four cells, in
// 2.1 on average in a pile; a small reserve of pairs is meant to be small here too.
void Simulation::make_scratch() {
  if (room_.rows != row_capacity_) {
    const Index usual = static_cast<Index>(std::min<std::int64_t>(std::int64_t(row_capacity_) * 9 / 4, INT32_MAX / 2));
    room_.entries = std::max(room_.entries, reserve_pairs_ > 0 ? std::min(usual, reserve_pairs_) : usual);
    room_.rows = row_capacity_;
  }
  if (scratch_.room() != room_) {
    rigid_kept_ = false;  // what it had of the last step is gone
    last_sweeps_ = 0;
    scratch_.resize(memory_, room_);
  }
  if (with_events_) make_event_room();
}

// For all that can happen: each contact begins and hits, each pair of the last step ends, each body sleeps and
// wakes, each joint breaks.
void Simulation::make_event_room() {
  const Index pairs = caches_[0].partner.size(), joints = joints_.rows();
  const Index most = 2 * room_.contacts + pairs + 2 * row_capacity_ + joints,
              places = 2 * pairs + row_capacity_ + joints + 1;
  if (event_place_.size() < places) event_place_.reset(memory_, places, "places of events");
  if (event_records_.size() < most) event_records_.reset(memory_, most, "events");
}

std::vector<EventRecord> Simulation::events_copy() const {
  Index count = 0;
  memory_.download(&count, event_count(), sizeof(Index));
  std::vector<EventRecord> list(static_cast<std::size_t>(count));
  if (count > 0) memory_.download(list.data(), event_records_.column().data, sizeof(EventRecord) * list.size());
  return list;
}

StepViews Simulation::views(const StepShape& shape, std::uint64_t step) const {
  StepViews v;
  v.shape = shape;
  v.shape.rows = rows_;
  v.shape.plane_count = plane_count_;
  v.params = params_.column().data;
  v.counters = counters_.column().data;
  v.model = model_.view();
  v.state = state_.view();
  v.inputs = inputs_.view();
  v.ignored_pairs = {ignored_pairs_.column().data, ignored_count_};
  v.materials = {{surfaces_.column().data, surface_count_}, {material_pairs_.column().data, material_pair_count_}};
  v.planes = {planes_.column().data, planes_.size()};
  v.last = cache_of(step - 1).view();
  v.next = cache_of(step).view();
  v.broad = scratch_.broad();
  v.solve = scratch_.solve();
  v.rigid = scratch_.rigid();
  v.shock = scratch_.shock();
  v.guard = scratch_.guard();
  lay_out(v.solve.rows, room_.rows, cache_of(step - 1).records.data());
  kept_.show(v.broad);
  v.joints = joints_.views();
  v.instance_transforms = instance_transforms_.column();
  v.sleep = {sleep_rows_.view(), sleep_blocks_.view(), disturbed_.column()};
  v.events = {cache_of(step - 1).events.view(), cache_of(step).events.view(), event_place_.column(),
              event_records_.column()};
  return v;
}

void Simulation::make_edit_room(std::size_t edits) {
  const Index count = static_cast<Index>(std::bit_ceil(std::min<std::size_t>(edits, kEditChunk)));
  if (edits == 0) return;
  if (count > edits_.size()) edits_.reset(memory_, count, "edits");
  if (with_sleep_ && disturbed_.size() < kBoxesPerEdit * edits_.size()) {
    disturbed_.reset(memory_, kBoxesPerEdit * edits_.size(), "boxes of edited bodies");
  }
}

void Simulation::make_edit_room(const EditLayers& edits) {
  for (const std::vector<BodyEdit>& layer : edits) make_edit_room(layer.size());
}

void Simulation::send_edits(const EditLayers& edits, std::uint64_t step) {
  for (const std::vector<BodyEdit>& layer : edits) {
    for (std::size_t begin = 0; begin < layer.size(); begin += kEditChunk) {
      const std::span<const BodyEdit> chunk =
          std::span(layer).subspan(begin, std::min<std::size_t>(kEditChunk, layer.size() - begin));
      const Index count = static_cast<Index>(chunk.size());
      TALUS_ASSERT(count <= edits_.size());
      memory_.upload(edits_.column().data, chunk.data(), chunk.size_bytes());
      const StepViews v = views(StepShape{}, step);
      EditViews e;
      e.sleep = with_sleep_;
      e.wake_rim = wake_rim_;
      e.edits = {edits_.column().data, count};
      e.ends_contacts = std::any_of(chunk.begin(), chunk.end(), [&](const BodyEdit& edit) {
        return (edit.bits & BodyEdit::set_all) != 0 && edit.row < last_rows_;
      });
      e.last_pair_count = last_pair_count_;
      e.replaced = replaced_.column();
      backend_->apply_edits(e, v);
    }
  }
}

void Simulation::apply(const EditLayers& edits) {
  TALUS_ASSERT(queue_.empty());
  make_edit_room(edits);
  send_edits(edits, confirmed_ + 1);
  state_copied_ = false;
}

void Simulation::send_step(const StepInput& input, std::uint64_t step) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, and the struct has no gaps
  if (!params_sent_ || std::memcmp(&sent_params_, &input.params, sizeof(StepParams)) != 0) {
    memory_.upload(params_.column().data, &input.params, sizeof(StepParams));
    sent_params_ = input.params;
    params_sent_ = true;
  }
  backend_->enqueue_step(views(input.shape, step));
}

void Simulation::make_step_room(const StepShape& shape, const EditLayers& edits) {
  if (shape.surfaces) make_surface_room();
  make_scratch();
  make_edit_room(edits);
  if (spare_.empty()) spare_.emplace_back();
}

void Simulation::enqueue(StepInput input) {
  TALUS_ASSERT(!queue_full() && !spare_.empty());
  if (!input.shape.surfaces) with_rolling_ = false;
  state_copied_ = false;
  if (exposed_) memory_.note_change();  // by the caller, who has pointers to columns
  const std::uint64_t step = step_number() + 1;
  send_edits(input.edits, step);
  send_step(input, step);
  spare_.front() = std::move(input);
  queue_.splice(queue_.end(), spare_, spare_.begin());
}

void Simulation::confirm(StepReport& last, StepSummary& all) {
  StepStatus grown = StepStatus::ok;  // of the step that had to be done again
  while (!queue_.empty()) {
    const std::span<const Counters> seen = backend_->wait();
    TALUS_ASSERT(seen.size() == queue_.size());
    for (const Counters& counters : seen) {
      if (counters.must_grow != 0) break;
      last = report_of(counters, queue_.front(), ++confirmed_);
      last.status = last.status | std::exchange(grown, StepStatus::ok);
      all.status = all.status | last.status;
      if (has(last.status, StepStatus::not_finite) && all.first_bad_row < 0) all.first_bad_row = counters.first_bad_row;
      last_rows_ = rows_;
      last_pair_count_ = counters.pairs;
      last_units_ = counters.record_units;
      last_lanes_ = counters.lanes;
      last_sweeps_ = counters.sweeps;
      rigid_kept_ = queue_.front().shape.rigid.keep;
      joints_changed_since_ = false;
      queue_.front().edits.clear();
      spare_.splice(spare_.end(), queue_, queue_.begin());
    }
    if (queue_.empty()) break;
    try {
      grow(seen[seen.size() - queue_.size()], grown);
    } catch (...) {
      queue_.clear();
      clear_growth();
      throw;
    }
    // The edits before the first of these went in before it met the small buffer; those of the others did not.
    std::uint64_t step = confirmed_;
    for (const StepInput& input : queue_) {
      if (++step != confirmed_ + 1) send_edits(input.edits, step);
      send_step(input, step);
    }
  }
  last.stage_ms = backend_->stage_ms();
}

StepReport Simulation::report_of(const Counters& c, const StepInput& input, std::uint64_t step) const {
  StepReport report;
  report.step = step;
  report.body_count = input.body_count;
  report.joint_count = input.joint_count;
  report.awake_count = input.body_count - c.asleep;
  report.island_count = c.islands;
  report.pair_count = c.pairs;
  report.contact_count = c.contacts;
  report.point_count = c.points;
  report.recycled_count = c.recycled;
  report.broken_count = c.broken_joints;
  report.cut_count = c.cut_bodies;
  if (report.cut_count > 0) report.status = report.status | StepStatus::motion_cut;
  for (int color = 0; color < kPalette; ++color) report.color_count += c.color_size[color] > 0 ? 1 : 0;
  report.overflow_count = c.color_size[kOverflowColor];
  if (report.overflow_count > 0 && !input.shape.jacobi) report.status = report.status | StepStatus::colors_full;
  if (c.merged != 0) report.status = report.status | StepStatus::deep_penetration;
  if (c.first_bad_row != INT32_MAX) {
    report.status = report.status | StepStatus::not_finite;
    report.first_bad_body.slot = static_cast<std::uint32_t>(c.first_bad_row);
  }
  report.sweep_count = c.sweeps;
  report.sweep_end = SweepEnd(c.sweeps_end);
  if (input.shape.residual) {
    report.residual.complementarity = std::bit_cast<float>(c.residual_complementarity);
    report.residual.approach = std::bit_cast<float>(c.residual_approach);
    report.residual.friction = std::bit_cast<float>(c.residual_friction);
  }
  return report;
}

void Simulation::grow(const Counters& c, StepStatus& status) {
  const auto wants = [&](Growth growth) { return ((c.must_grow >> std::uint32_t(growth)) & 1u) != 0; };
  const auto room = [&](Growth growth, Index now) {
    return std::max(with_slack_to_grow(c.need[std::uint32_t(growth)]), with_slack_to_grow(now) + 1);
  };
  if (wants(Growth::candidates)) resize_candidates(room(Growth::candidates, kept_.candidate_capacity()));
  if (wants(Growth::pairs)) {
    const Index pairs = room(Growth::pairs, room_.pairs);
    resize_pair_lists(pairs);
    room_.pairs = pairs;  // last: if memory ran out on the way, the old limit stands
  }
  if (wants(Growth::records)) resize_records(room(Growth::records, cache_of(0).view().contacts.size), row_capacity_);
  if (wants(Growth::entries)) room_.entries = room(Growth::entries, room_.entries);
  if (wants(Growth::contacts)) room_.contacts = room(Growth::contacts, room_.contacts);
  status = status | (wants(Growth::contacts) ? StepStatus::contacts_grown : StepStatus::pairs_grown);
  make_scratch();
  clear_growth();
}

void Simulation::clear_growth() {
  constexpr std::size_t begin = offsetof(Counters, must_grow), end = offsetof(Counters, points);
  const unsigned char zeros[end - begin] = {};
  memory_.upload(reinterpret_cast<unsigned char*>(counters_.column().data) + begin, zeros, sizeof(zeros));
}

const BodyState& Simulation::state_on_host() {
  TALUS_ASSERT(queue_.empty());
  if (backend_->kind() == Backend::cpu) return state_.view();
  if (!state_copied_ || exposed_) state_copy_ = state_.download(memory_, rows_);
  state_copied_ = true;
  return state_copy_.view;
}

BodyStateRow Simulation::state_row(Index row) {
  if (backend_->kind() != Backend::cpu && exposed_) {  // one row, since a copy of all may be stale at any time
    BodyStateRow values{};  // words and then bytes: as its planes follow each other, without a gap
    unsigned char* to = reinterpret_cast<unsigned char*>(&values);
    BodyState view = state_.view();
    visit_all_planes(view, [&](const char*, auto*& plane) {
      memory_.download(to, plane + row, sizeof(*plane));
      to += sizeof(*plane);
    });
    return values;
  }
  const BodyState& state = state_on_host();
  BodyStateRow values;
#define TALUS_READ_COLUMN(type_, name, unit, meaning) values.name = state.name[row];
  TALUS_BODY_STATE(TALUS_READ_COLUMN)
#undef TALUS_READ_COLUMN
  return values;
}

// ---- joints --------------------------------------------------------------------------------------------------------

void Simulation::reserve_joint_rows(Index rows) {
  TALUS_ASSERT(queue_.empty());
  joints_.reserve(memory_, rows, row_capacity_);
}

void Simulation::set_joint_rows(Index rows) {
  TALUS_ASSERT(queue_.empty());
  joints_.set_rows(rows);
}

void Simulation::write_joints(Index first, const JointTables::Beginners& joints, Index begin, Index count) {
  TALUS_ASSERT(queue_.empty());
  joints_.write(memory_, first, joints, begin, count);
  joints_changed_since_ = true;
  forget_joint_lanes();
}

void Simulation::write_joint_model(Index row, const JointModelRow& model) {
  TALUS_ASSERT(queue_.empty());
  joints_.write_model(memory_, row, model);
  forget_joint_lanes();
}

void Simulation::write_joint_targets(Index row, Axis axis, float position, float velocity) {
  TALUS_ASSERT(queue_.empty());
  joints_.write_targets(memory_, row, axis, position, velocity);
}

void Simulation::clear_joint_impulses(Index row, Axis axis) {
  TALUS_ASSERT(queue_.empty());
  joints_.clear_impulses(memory_, row, axis);
}

void Simulation::set_joint_plan(const JointPlanTables& plan) {
  TALUS_ASSERT(queue_.empty());
  joints_.set_plan(memory_, plan);
  joints_changed_since_ = true;
  forget_joint_lanes();
}

int Simulation::add_joint_kind(const JointKind& kind) {
  TALUS_ASSERT(queue_.empty());
  joints_.kinds().push_back(kind);
  return static_cast<int>(joints_.kinds().size()) - 1;
}

const JointState& Simulation::joint_state_on_host() {
  TALUS_ASSERT(queue_.empty());
  if (backend_->kind() == Backend::cpu) return joints_.state();
  joint_state_copy_ = joints_.state_copy(memory_, 0, joints_.rows());
  return joint_state_copy_.view;
}

JointModelRow Simulation::joint_model_row(Index row) const {
  TALUS_ASSERT(queue_.empty());
  return talus::joint_model_row(joints_.model_copy(memory_, row, 1).view, 0);
}

JointStateRow Simulation::joint_state_row(Index row) const {
  TALUS_ASSERT(queue_.empty());
  return talus::joint_state_row(joints_.state_copy(memory_, row, 1).view, 0);
}

void Simulation::adopt_joints(const JointTables::ModelCopy& model, const JointTables::StateCopy& state, Index rows) {
  TALUS_ASSERT(queue_.empty() && joints_.rows() == 0);
  if (rows == 0) return;
  joints_.reserve(memory_, rows, row_capacity_);
  joints_.adopt(memory_, model, state, rows);
  forget_joint_lanes();
}

// ---- as plain memory -----------------------------------------------------------------------------------------------

ContactImage Simulation::contacts() const {
  TALUS_ASSERT(queue_.empty());
  ContactImage image;
  const CacheTables& cache = cache_of(confirmed_);
  const std::size_t pairs = static_cast<std::size_t>(last_pair_count_);
  image.pair_count = last_pair_count_;
  image.begin.assign(static_cast<std::size_t>(rows_) + 1, last_pair_count_);  // rows added since: an empty list
  image.owner.resize(pairs);
  image.partner.resize(pairs);
  image.contacts.resize(pairs);
  if (pairs == 0) return image;
  std::vector<Index> place(pairs);
  std::vector<ContactUnit> units(static_cast<std::size_t>(last_units_) + kRecordUnits);
  memory_.download(image.begin.data(), cache.begin.column().data, sizeof(Index) * (std::size_t(last_rows_) + 1));
  memory_.download(image.owner.data(), cache.owner.column().data, pairs * sizeof(Index));
  memory_.download(image.partner.data(), cache.partner.column().data, pairs * sizeof(Index));
  memory_.download(place.data(), cache.place.column().data, pairs * sizeof(Index));
  memory_.download(units.data(), cache.records.data(), static_cast<std::size_t>(last_units_) * sizeof(ContactUnit));
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    CachedContact& contact = image.contacts[pair];
    std::memcpy(&contact, &units[static_cast<std::size_t>(place[pair])], sizeof(CachedContact));
    clear_leftovers(contact);
  }
  if (with_rolling_) {
    image.rolling.resize(pairs);
    memory_.download(image.rolling.data(), cache.rolling.column().data, pairs * sizeof(RollingImpulse));
    const auto some = [](const RollingImpulse& r) { return r.impulse.x != 0 || r.impulse.y != 0 || r.impulse.z != 0; };
    if (std::none_of(image.rolling.begin(), image.rolling.end(), some)) image.rolling.clear();
  }
  return image;
}

RigidImage Simulation::rigid_image() const {
  TALUS_ASSERT(queue_.empty());
  RigidImage image;
  if (!rigid_kept_) return image;
  if (joints_changed_since_) throw Error("contact_problem: joints were added or removed since the last step");
  const RigidScratch& from = scratch_.rigid();
  const JointViews joints = joints_.views();
  const auto copy = [&](auto& to, const auto* column, Index size) {
    to.resize(static_cast<std::size_t>(size));
    if (size > 0) memory_.download(to.data(), column, sizeof(to[0]) * to.size());
  };
  const auto copy_rows = [&](std::vector<std::uint32_t>& words, auto& rows, const auto& lanes, Index size) {
    copy(words, lanes.words, size * lanes.kFields);
    rows = {words.data(), size};
  };
  copy_rows(image.words, image.rows, from.rows, last_lanes_);
  copy_rows(image.tree_words, image.tree, joints.tree, joints.tree.size);
  copy_rows(image.joint_words, image.joints, joints.rows, joints.rows.size);
  image.first_loop_lane = joints.plan.first_loop_lane;
  copy(image.free, from.bodies.free.data, last_rows_ + 1);
  copy(image.solved, from.bodies.solved.data, last_rows_ + 1);
  copy(image.frame, from.bodies.frame.data, last_rows_ + 1);
  image.params = sent_params_;
  return image;
}

std::vector<float> Simulation::residual_history() const {
  TALUS_ASSERT(queue_.empty());
  std::vector<float> history(static_cast<std::size_t>(last_sweeps_));
  if (last_sweeps_ > 0) {
    memory_.download(history.data(), scratch_.rigid().history.data, sizeof(float) * history.size());
  }
  return history;
}

void Simulation::adopt(const ModelCopy& model, const StateCopy& state, const InputsCopy& inputs,
                       const ContactImage& contacts, Index rows, std::uint64_t step_number) {
  TALUS_ASSERT(queue_.empty() && rows_ == 0);
  reserve_rows(rows);
  if (contacts.pair_count > room_.pairs) {
    resize_pair_lists(with_slack(contacts.pair_count));
    room_.pairs = with_slack(contacts.pair_count);
  }
  model_.upload(memory_, model, rows);
  state_.upload(memory_, state, rows);
  inputs_.upload(memory_, inputs, rows);
  rows_ = last_rows_ = rows;
  confirmed_ = step_number;
  last_pair_count_ = contacts.pair_count;
  memory_.upload(&counters_.column().data->cached_rows, &rows, sizeof(Index));
  const Index clock = static_cast<Index>(step_number % kIslandPeriod);
  memory_.upload(&counters_.column().data->sleep_clock, &clock, sizeof(Index));
  CacheTables& cache = cache_of(confirmed_);
  memory_.upload(cache.begin.column().data, contacts.begin.data(), contacts.begin.size() * sizeof(Index));
  if (contacts.pair_count == 0) return;
  std::vector<Index> place(contacts.contacts.size());
  Index units = 0;
  for (std::size_t pair = 0; pair < place.size(); ++pair) {
    place[pair] = units;
    units += record_units(ShapeType(model.view.shape[contacts.owner[pair]]),
                          ShapeType(model.view.shape[contacts.partner[pair]]));
  }
  std::vector<ContactUnit> records(static_cast<std::size_t>(units) + kRecordUnits);
  for (std::size_t pair = 0; pair < place.size(); ++pair) {  // in order: the next one covers what a short one has not
    std::memcpy(&records[static_cast<std::size_t>(place[pair])], &contacts.contacts[pair], sizeof(CachedContact));
  }
  resize_records(units, row_capacity_);
  last_units_ = units;
  memory_.upload(cache.owner.column().data, contacts.owner.data(), contacts.owner.size() * sizeof(Index));
  memory_.upload(cache.partner.column().data, contacts.partner.data(), contacts.partner.size() * sizeof(Index));
  if (!contacts.rolling.empty()) {
    make_surface_room();
    memory_.upload(cache.rolling.column().data, contacts.rolling.data(),
                   contacts.rolling.size() * sizeof(RollingImpulse));
  }
  if (with_events_) adopt_touching(contacts);
  memory_.upload(cache.place.column().data, place.data(), place.size() * sizeof(Index));
  memory_.upload(cache.records.data(), records.data(), static_cast<std::size_t>(units) * sizeof(ContactUnit));
}

// What touched when the scene was saved.
void Simulation::adopt_touching(const ContactImage& contacts) {
  std::vector<std::uint8_t> touching;
  for (const CachedContact& contact : contacts.contacts) {
    float load = 0.0f;
    for (int i = 0; i < static_cast<int>(contact.count); ++i) load += contact.impulse[i];
    touching.push_back(is_touching(contact, load) ? 1 : 0);
  }
  memory_.upload(cache_of(confirmed_).events.view().touching.data, touching.data(), touching.size());
  memory_.upload(&counters_.column().data->cached_pairs, &contacts.pair_count, sizeof(Index));
}

std::size_t Simulation::bytes() const {
  return model_.bytes() + state_.bytes() + inputs_.bytes() + caches_[0].bytes() + caches_[1].bytes() + kept_.bytes() +
         scratch_.bytes() + counters_.bytes() + params_.bytes() + ignored_pairs_.bytes() + planes_.bytes() +
         surfaces_.bytes() + material_pairs_.bytes() + joints_.bytes() + edits_.bytes() + replaced_.bytes() +
         instance_transforms_.bytes() + sleep_rows_.bytes() + sleep_blocks_.bytes() + disturbed_.bytes() +
         event_place_.bytes() + event_records_.bytes();
}

}  // namespace talus
