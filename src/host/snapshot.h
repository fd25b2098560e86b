// SPDX-License-Identifier: MIT
// A whole world in plain memory: what a snapshot holds, what the state hash is taken over, and what a restore brings
// back.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <vector>

#include <talus/defs.h>

#include "body_row.h"
#include "materials.h"
#include "simulation.h"

namespace talus {

struct JointImage {
  Index rows = 0;
  std::vector<std::uint32_t> generations;  // of each slot
  std::vector<std::uint8_t> collide;       // of each row: JointMirror::collide
  JointTables::ModelCopy model{};
  JointTables::StateCopy state{};
  Index kinds = 0;                          // 0 if no joint is of a custom kind: then kinds are not part of it
  std::vector<JointParameters> parameters;  // of each row, if there are kinds
};

struct Snapshot {
  WorldDef def;  // backend, threads and stream are not part of it
  std::uint64_t step_number = 0;
  float last_dt = 0.0f;  // [s] of the last step; 0: there was none
  Index rows = 0;
  std::vector<std::uint32_t> generations;  // of each slot
  std::vector<float> mass;                 // of each row
  std::vector<Vec3> inertia;               // of each row
  Simulation::ModelCopy model{};
  Simulation::StateCopy state{};
  Simulation::InputsCopy inputs{};
  std::vector<std::uint64_t> ignored_pairs;  // ascending
  ContactImage contacts;
  std::vector<Materials::Row> materials;  // of each number; uses are not part of it
  std::map<Materials::Pair, MaterialPair> material_pairs;
  JointImage joints;
};

/// Puts the material that a body's model row names into the rest of its mirror.
void restore_material(const Snapshot& snapshot, BodyMirror& body);

/// Hash over all that decides the future.
std::uint64_t hash_of(const Snapshot& snapshot);

/// File: magic "talus\r\n\0", version, names of all columns as a hash, payload size, payload, hash of the payload; all
/// little-endian.
void write_snapshot(std::ostream& out, const Snapshot& snapshot);
/// Throws Error if the stream is not a snapshot, is cut, was changed, or holds values that no world has.
Snapshot read_snapshot(std::istream& in);
/// The last of these: throws Error that names the first value that no world has. Sizes of lists must be right.
void check_snapshot(const Snapshot& snapshot);

}  // namespace talus
