// SPDX-License-Identifier: MIT
// A few bodies and contacts given by hand, in the tables that prepare_contacts and solve_contacts work on.
#pragma once
#include <talus/talus.h>

#include <vector>

#include "apply_edit.h"
#include "body_row.h"
#include "exec_cpu.h"
#include "math/pack.h"
#include "memory_cpu.h"
#include "scratch.h"
#include "stages/color_contacts.h"
#include "stages/prepare_contacts.h"
#include "stages/solve_contacts.h"
#include "step_settings.h"

namespace talus::test {

/// Between bodies a and b; points in the world frame, halfway between the surfaces.
struct RigContact {
  Index a = 0, b = 1;
  Vec3 normal{0.0f, 1.0f, 0.0f};
  std::vector<Vec3> points;
  float separation = 0.0f;
  float impulse = 0.0f;              // carried over, of each point
  std::vector<float> separations{};  // of each point, if they differ
};

class ContactRig {
 public:
  ContactRig(const std::vector<BodyDef>& bodies, const std::vector<RigContact>& contacts, const WorldDef& def, float dt)
      : params_(make_step_params(def, dt)),
        rows_(Index(bodies.size())),
        contacts_(Index(contacts.size())),
        jacobi_(def.solver.solver == Solver::jacobi) {
    const Index padded = (rows_ + kLanes) / kLanes * kLanes;  // and the null body
    model_.resize(memory_, padded, 0, "model");
    state_.resize(memory_, padded, 0, "state");
    inputs_.resize(memory_, padded, 0, "inputs");
    bodies_.resize(memory_, padded, 0, "bodies");
    scratch_.resize(memory_, {.rows = padded, .pairs = contacts_, .contacts = contacts_});
    owner_.reset(memory_, contacts_, "owner");
    partner_.reset(memory_, contacts_, "partner");
    place_.reset(memory_, contacts_, "places");
    units_.reset(memory_, (contacts_ + 1) * kRecordUnits, "cache");
    for (Index i = 0; i < contacts_; ++i) place_.column()[i] = i * kRecordUnits;
    for (Index row = 0; row < rows_; ++row) {
      const NewBody body = make_body(Where{"rig", "bodies", row}, bodies[std::size_t(row)]);
      write_row(model_.view(), row, body.mirror.model);
      write_row(state_.view(), row, body.state);
    }
    for (Index i = 0; i < contacts_; ++i) write(i, contacts[std::size_t(i)]);
    prepare();
  }

  StepViews views() {
    StepViews v;
    v.shape.rows = rows_;
    v.shape.jacobi = jacobi_;
    v.shape.restitution = true;
    v.params = &params_;
    v.counters = &counters_;
    v.model = model_.view();
    v.state = state_.view();
    v.inputs = inputs_.view();
    v.next.pairs = {{}, owner_.column(), partner_.column()};
    v.next.contacts = records();
    v.solve = scratch_.solve();
    v.solve.rows = bodies_.view();
    return v;
  }
  /// One sweep over all colors, with floats or with packs.
  template <Sweep kSweep, class Real = float>
  void sweep() {
    const CpuThreads threads(1);
    BasicCpuExec<Real> exec(threads);
    sweep_contacts<kSweep>(exec, views(), false);
  }

  /// As the solver has it: angular velocities in scaled axes.
  BodyVelocity velocity(Index row) const { return bodies_.view().velocity[row]; }
  BodyVelocity free_velocity(Index row) const { return bodies_.view().free_velocity[row]; }
  BodyFrame frame(Index row) const { return bodies_.view().frame[row]; }
  SolverRows lanes() const { return scratch_.solve().lanes; }
  /// The lane of a contact.
  Index lane_of(Index contact) const {
    for (Index lane = 0; lane < counters_.lanes; ++lane) {
      const bool used = lanes().number(row::count, lane) > 0.0f;
      if (used && lanes().word(row::pair, lane) == std::uint32_t(contact)) return lane;
    }
    return -1;
  }
  float impulse(Index contact, int point) const {
    return lanes().number(row::at(point, row::impulse), lane_of(contact));
  }
  StepParams& params() { return params_; }
  const Counters& counters() const { return counters_; }
  Index rows() const { return rows_; }

 private:
  void write(Index i, const RigContact& c) {
    owner_.column()[i] = c.a;
    partner_.column()[i] = c.b;
    scratch_.solve().contacts.pair[i] = i;
    scratch_.solve().color_contacts.color[i] = jacobi_ ? std::uint32_t(kOverflowColor) : kNoColor;
    CachedContact& contact = records()[i];
    contact.count = float(c.points.size());
    contact.normal = c.normal;
    const BodyState s = state_.view();
    for (int p = 0; p < int(c.points.size()); ++p) {
      const float separation = c.separations.empty() ? c.separation : c.separations[std::size_t(p)];
      const Vec3 at = c.points[std::size_t(p)], half = (0.5f * separation) * c.normal;
      contact.impulse[p] = c.impulse;
      contact.point[p].separation = separation;
      contact.point[p].on_a = at - half - s.position[c.a];
      contact.point[p].on_b = at + half - s.position[c.b];
    }
  }
  ContactRecords records() const { return {units_.column().data, units_.size(), place_.column()}; }
  void prepare() {
    const CpuThreads threads(1);
    BasicCpuExec<float> exec(threads);
    counters_.rows = rows_;
    counters_.row_lanes = (rows_ + kLanes) / kLanes * kLanes;
    counters_.row_ends = rows_ + 1;
    counters_.contacts = counters_.pairs = contacts_;
    color_contacts(exec, views());
    prepare_contacts(exec, views());
  }

  CpuMemory memory_;
  StepParams params_;
  Index rows_, contacts_;
  bool jacobi_;
  Table<BodyModel> model_;
  Table<BodyState> state_;
  Table<BodyInputs> inputs_;
  Table<SolveRowScratch> bodies_;
  Scratch scratch_;
  Array<Index> owner_, partner_, place_;
  Array<ContactUnit> units_;
  Counters counters_{};
};

}  // namespace talus::test
