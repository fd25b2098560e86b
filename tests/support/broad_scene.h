// SPDX-License-Identifier: MIT
// Bodies in plain memory with what the broad phase needs, and nothing else of a world.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "memory_cpu.h"
#include "scratch.h"
#include "shapes/extent.h"
#include "stages/find_pairs.h"
#include "stages/update_bounds.h"

namespace talus::testing {

using RowPair = std::pair<Index, Index>;  // owner, partner

struct SceneBody {
  ShapeDef shape = sphere(0.5f);
  Vec3 position{0.0f, 0.0f, 0.0f};
  Quat orientation = kIdentity;
  Motion motion = Motion::dynamic;
  Vec3 linear_velocity{0.0f, 0.0f, 0.0f};
  Vec3 angular_velocity{0.0f, 0.0f, 0.0f};
  Filter filter;
  bool frozen = false;
  bool alive = true;
};

class BroadScene {
 public:
  explicit BroadScene(const std::vector<SceneBody>& bodies, std::vector<std::uint64_t> ignored = {})
      : ignored_(std::move(ignored)) {
    rows_ = Index(bodies.size());
    const Index padded = (rows_ + kLanes) / kLanes * kLanes;
    model_.resize(memory_, padded, 0, "model");
    state_.resize(memory_, padded, 0, "state");
    inputs_.resize(memory_, padded, 0, "inputs");
    begin_.reset(memory_, rows_ + 1, "pairs");
    room_.rows = padded;
    kept_.resize_rows(memory_, padded);
    for (Index row = 0; row < rows_; ++row) set(row, bodies[std::size_t(row)]);
    std::sort(ignored_.begin(), ignored_.end());
    params_.gravity = {0.0f, -9.81f, 0.0f};
    params_.dt = 1.0f / 60.0f;
    params_.speculative_part = 0.04f;
    resize(rows_ * kEntriesPerBody, 128 * rows_, 64 * rows_);
  }

  void resize(Index entries, Index candidates, Index pairs) {
    room_.entries = entries;
    room_.pairs = pairs;
    scratch_.resize(memory_, room_);
    owner_.reset(memory_, pairs, "pairs");
    partner_.reset(memory_, pairs, "pairs");
    if (candidates == kept_.candidate_capacity()) return;
    kept_.resize_candidates(memory_, candidates);
    counters_.kept_rows = 0;  // the candidates are gone
  }

  StepViews views() {
    StepViews v;
    v.shape.rows = rows_;
    v.shape.plane_count = Index(planes_.size());
    v.params = &params_;
    v.counters = &counters_;
    v.model = model_.view();
    v.state = state_.view();
    v.inputs = inputs_.view();
    v.ignored_pairs = {ignored_.data(), Index(ignored_.size())};
    v.planes = {planes_.data(), Index(planes_.size())};
    v.next.pairs = {begin_.column(), owner_.column(), partner_.column()};
    v.broad = scratch_.broad();
    kept_.show(v.broad);
    return v;
  }

  /// Runs the broad phase once, with the room there is.
  template <class Exec>
  void run_once(Exec& exec) {
    const StepViews v = views();
    update_bounds(exec, v);
    find_pairs(exec, v);
  }
  /// Runs it, and enlarges buffers, until it fits. Returns the number of runs.
  template <class Exec>
  int run(Exec& exec) {
    for (int runs = 1;; ++runs) {
      run_once(exec);
      if (counters_.must_grow == 0) return runs;
      const auto room = [&](Growth what, Index now) {
        return (counters_.must_grow >> int(what) & 1u) != 0 ? counters_.need[int(what)] : now;
      };
      resize(room(Growth::entries, room_.entries), room(Growth::candidates, kept_.candidate_capacity()),
             room(Growth::pairs, room_.pairs));
      counters_.must_grow = 0;
    }
  }

  /// What the last run found, in the order of the list.
  std::vector<RowPair> pairs() const {
    std::vector<RowPair> list;
    for (Index i = 0; i < counters_.pairs; ++i) list.emplace_back(owner_.column()[i], partner_.column()[i]);
    return list;
  }

  Index rows() const { return rows_; }
  Counters& counters() { return counters_; }
  StepParams& params() { return params_; }
  const std::vector<std::uint64_t>& ignored() const { return ignored_; }
  const GridState& grid() const { return *scratch_.broad().grid; }

 private:
  void set(Index row, const SceneBody& body) {
    if (!body.alive) return;
    const BodyModel m = model_.view();
    const bool plane = body.shape.type == ShapeType::plane;
    m.alive[row] = 1;
    m.motion[row] = std::uint8_t(plane && body.motion == Motion::dynamic ? Motion::fixed : body.motion);
    m.shape[row] = std::uint8_t(body.shape.type);
    m.inv_mass[row] = Motion(m.motion[row]) == Motion::dynamic ? 1.0f : 0.0f;
    m.shape_size.set(row, body.shape.size);
    m.radius[row] = plane ? 0.0f : bounding_radius(body.shape.type, body.shape.size);
    m.group[row] = body.filter.group;
    m.mask[row] = body.filter.mask;
    m.gravity_scale[row] = 1.0f;
    const BodyState s = state_.view();
    s.position.set(row, body.position);
    s.orientation.set(row, body.orientation);
    s.linear_velocity.set(row, body.linear_velocity);
    s.angular_velocity.set(row, body.angular_velocity);
    s.frozen[row] = body.frozen ? 1 : 0;
    if (plane) planes_.push_back(row);
  }

  CpuMemory memory_;
  Index rows_ = 0;
  Table<BodyModel> model_;
  Table<BodyState> state_;
  Table<BodyInputs> inputs_;
  ScratchRoom room_;
  Scratch scratch_;
  KeptBoxes kept_;
  Array<Index> begin_, owner_, partner_;
  std::vector<std::uint64_t> ignored_;
  std::vector<Index> planes_;
  Counters counters_{};
  StepParams params_{};
};

}  // namespace talus::testing
