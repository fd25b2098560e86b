// SPDX-License-Identifier: MIT
#include "snapshot.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>

#include "joint_row.h"
#include "state_hash.h"

namespace talus {

namespace {

static_assert(sizeof(BodyModelRow) == 68, "no gaps, so that rows can be compared as bytes");
static_assert(std::endian::native == std::endian::little, "snapshots are little-endian, written as memory has them");

constexpr std::array<char, 8> kMagic{'t', 'a', 'l', 'u', 's', '\r', '\n', '\0'};
constexpr std::uint32_t kVersion = 6;
constexpr Index kMaxRows = 1 << 27;
constexpr const char* kRestore = "restore";

[[noreturn]] void reject_file(const std::string& why) {
  throw Error(std::string(kRestore) + ": " + why);
}

// ---- sinks and a source: the order of all values is written once, in transfer(), for every use ---------------------

struct HashSink {
  Hash64 hash;
  template <class T>
  void bytes(T* data, std::size_t count) {
    hash.add(data, count * sizeof(T));
  }
};

struct CountSink {
  std::uint64_t size = 0;
  template <class T>
  void bytes(T*, std::size_t count) {
    size += count * sizeof(T);
  }
};

struct FileSink {
  std::ostream& out;
  Hash64 hash;
  template <class T>
  void bytes(T* data, std::size_t count) {
    out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
    hash.add(data, count * sizeof(T));
  }
};

struct Source;
void require_bytes(const Source& source, std::size_t count, std::size_t size);

struct Source {
  std::span<const char> left;
  template <class T>
  void bytes(T* data, std::size_t count) {
    require_bytes(*this, count, sizeof(T));
    if (count == 0) return;
    std::memcpy(static_cast<void*>(data), left.data(), count * sizeof(T));
    left = left.subspan(count * sizeof(T));
  }
};

// Before room is made for values to be read: a wrong number cannot ask for more memory than the file has bytes.
void require_bytes(const Source& source, std::size_t count, std::size_t size) {
  if (count > source.left.size() / size) reject_file("the snapshot is shorter than its own numbers say");
}

template <class Io, class T>
void value(Io& io, T& v) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  io.bytes(&v, 1);
}
template <class Io>
void value(Io& io, Vec3& v) {
  io.bytes(&v.x, 1);
  io.bytes(&v.y, 1);
  io.bytes(&v.z, 1);
}
// A bool is read as a byte, since only 0 and 1 may become one.
template <class Io>
void value(Io& io, bool& v) {
  std::uint8_t byte = v ? 1 : 0;
  io.bytes(&byte, 1);
  if (byte > 1) reject_file("a flag is neither 0 nor 1");
  v = byte != 0;
}
template <class Io>
void value(Io& io, std::optional<float>& v) {
  bool given = v.has_value();
  float number = v.value_or(0.0f);
  value(io, given);
  io.bytes(&number, 1);
  v = given ? std::optional<float>(number) : std::nullopt;
}
template <class Io, class T>
void values(Io& io, std::vector<T>& v, std::size_t count) {
  if constexpr (std::is_same_v<Io, Source>) {
    require_bytes(io, count, sizeof(T));
    v.resize(count);
  }
  io.bytes(v.data(), count);
}
template <class View, class Io>
void table(Io& io, typename Table<View>::HostCopy& copy, Index rows) {
  if constexpr (std::is_same_v<Io, Source>) {
    std::size_t row_size = 0;
    visit_all_planes(copy.view, [&](const char*, auto*& plane) { row_size += sizeof(*plane); });
    require_bytes(io, static_cast<std::size_t>(rows), row_size);
    copy = Table<View>::host_copy(rows);
  }
  visit_all_planes(copy.view, [&](const char*, auto*& plane) { io.bytes(plane, static_cast<std::size_t>(rows)); });
}

// What does not change the future.
template <class Io>
void transfer_comforts(Io& io, Snapshot& s) {
  value(io, s.def.reserve_bodies);
  value(io, s.def.reserve_pairs);
  value(io, s.def.reserve_contacts);
  value(io, s.def.contact_reports);
  value(io, s.def.events.enabled);
  value(io, s.def.events.hit_speed);
  value(io, s.def.instance_transforms);
  value(io, s.def.joint_readings);
  value(io, s.def.solver.report_residual);
  value(io, s.def.solver.rigid.residual_history);
  value(io, s.def.keep_contact_problem);
}

// Only where they mean something: the hash of other worlds does not know of them.
template <class Io>
void transfer_rigid(Io& io, RigidSettings& r) {
  value(io, r.point);
  value(io, r.order);
  value(io, r.nncg);
  value(io, r.stagger);
  value(io, r.relaxation);
  value(io, r.sweeps);
  value(io, r.tolerance);
  value(io, r.stagnation);
  value(io, r.error_reduction);
  value(io, r.force_mixing);
  value(io, r.slop);
  value(io, r.push_sweeps);
}

template <class Io>
void transfer_shock(Io& io, ShockSettings& s) {
  value(io, s.weight);
  value(io, s.sweeps);
  value(io, s.correction_sweeps);
  value(io, s.least_slope);
}

template <class Io>
void transfer_settings(Io& io, Snapshot& s) {
  SolverSettings& p = s.def.solver;
  value(io, s.def.gravity);
  value(io, p.solver);
  value(io, p.friction);
  value(io, p.integrator);
  value(io, p.stabilization);
  value(io, p.substeps);
  value(io, p.iterations);
  value(io, p.relax_iterations);
  value(io, p.contact_hertz);
  value(io, p.contact_damping_ratio);
  value(io, p.max_push_speed);
  value(io, p.restitution_threshold);
  value(io, p.speculative_distance);
  value(io, p.recycle_fraction);
  value(io, p.warm_start);
  if (p.solver == Solver::rigid) transfer_rigid(io, p.rigid);
  if (p.solver == Solver::shock) transfer_shock(io, p.shock);
  value(io, s.def.sleep.enabled);
  value(io, s.def.sleep.speed);
  value(io, s.def.sleep.time);
}

template <class Io>
void transfer_future(Io& io, Snapshot& s) {
  transfer_settings(io, s);
  value(io, s.step_number);
  value(io, s.last_dt);
  value(io, s.rows);
  if (s.rows < 0 || s.rows > kMaxRows) reject_file("the number of rows is out of range");
  const std::size_t rows = static_cast<std::size_t>(s.rows);
  values(io, s.generations, rows);
  values(io, s.mass, rows);
  values(io, s.inertia, rows);
  table<BodyModel>(io, s.model, s.rows);
  table<BodyState>(io, s.state, s.rows);
  table<BodyInputs>(io, s.inputs, s.rows);
  std::uint64_t ignored = s.ignored_pairs.size();
  value(io, ignored);
  values(io, s.ignored_pairs, ignored);
  ContactImage& c = s.contacts;
  value(io, c.pair_count);
  if (c.pair_count < 0) reject_file("the number of pairs is negative");
  const std::size_t pairs = static_cast<std::size_t>(c.pair_count);
  values(io, c.begin, rows + 1);
  values(io, c.owner, pairs);
  values(io, c.partner, pairs);
  values(io, c.contacts, pairs);
}

template <class Io>
void transfer_joints(Io& io, Snapshot& s) {
  JointImage& j = s.joints;
  value(io, j.rows);
  if (j.rows < 0 || j.rows > kMaxRows) reject_file("the number of joints is out of range");
  const std::size_t rows = static_cast<std::size_t>(j.rows);
  values(io, j.generations, rows);
  values(io, j.collide, rows);
  table<JointModel>(io, j.model, j.rows);
  table<JointState>(io, j.state, j.rows);
  bool custom = false;
  for (Index row = 0; row < j.rows; ++row) custom = custom || is_custom(j.model.view.kind[row]);
  if (!custom) return;  // such a world has the hash and the file that it had before kinds
  value(io, j.kinds);
  if (j.kinds <= kGearKind || j.kinds > kMaxJointKinds) reject_file("the number of kinds of joints is out of range");
  values(io, j.parameters, rows);
}

template <class Io>
void transfer_laws(Io& io, Snapshot& s) {
  value(io, s.def.solver.restitution);
  value(io, s.def.solver.friction_sides);
  value(io, s.def.solver.slip_threshold);
}

bool has_default_laws(const Snapshot& s) {
  const SolverSettings usual{}, &p = s.def.solver;
  return p.restitution == usual.restitution && p.friction_sides == usual.friction_sides &&
         p.slip_threshold == usual.slip_threshold;
}

template <class Io>
void transfer_material(Io& io, Materials::Row& row) {
  Material& m = row.material;
  value(io, row.registered);
  value(io, row.alive);
  value(io, m.friction);
  value(io, m.restitution);
  value(io, m.friction_combine);
  value(io, m.restitution_combine);
  value(io, m.dynamic_friction);
  value(io, m.grain);
  value(io, m.friction_along);
  value(io, m.friction_across);
  value(io, m.torsional_friction);
  value(io, m.rolling_friction);
  value(io, m.friction_against);
  value(io, m.contact_hertz);
  bool tensor = m.friction_tensor.has_value();
  value(io, tensor);
  if (!tensor) {
    m.friction_tensor.reset();
    return;
  }
  if (!m.friction_tensor) m.friction_tensor.emplace();
  value(io, m.friction_tensor->along);
  value(io, m.friction_tensor->across);
  value(io, m.friction_tensor->shear);
}

template <class Io>
void transfer_material_pair(Io& io, Materials::Pair& key, MaterialPair& pair) {
  value(io, key.first);
  value(io, key.second);
  for (std::optional<float>* v :
       {&pair.friction, &pair.dynamic_friction, &pair.friction_along, &pair.friction_across, &pair.restitution,
        &pair.torsional_friction, &pair.rolling_friction, &pair.contact_hertz}) {
    value(io, *v);
  }
}

template <class Io>
void transfer_materials(Io& io, Snapshot& s) {
  std::uint64_t rows = s.materials.size(), pairs = s.material_pairs.size(), rolling = s.contacts.rolling.size();
  value(io, rows);
  if constexpr (std::is_same_v<Io, Source>) {
    require_bytes(io, rows, 1);
    s.materials.resize(rows);
  }
  for (Materials::Row& row : s.materials) transfer_material(io, row);
  value(io, pairs);
  if constexpr (std::is_same_v<Io, Source>) {
    for (std::uint64_t i = 0; i < pairs; ++i) {
      Materials::Pair key;
      MaterialPair pair;
      transfer_material_pair(io, key, pair);
      if (!s.material_pairs.emplace(key, pair).second) reject_file("a pair of materials comes twice");
    }
  } else {
    for (auto& [key, pair] : s.material_pairs) {
      Materials::Pair numbers = key;
      transfer_material_pair(io, numbers, pair);
    }
  }
  value(io, rolling);
  values(io, s.contacts.rolling, rolling);
}

// Names and sizes of all columns: a snapshot of another layout is recognised.
std::uint64_t layout_hash() {
  Hash64 hash;
  const auto visit = [&](const char* name, auto*& plane) {
    const std::uint32_t size = sizeof(*plane);
    hash.add(name, std::strlen(name));
    hash.add(&size, sizeof(size));
  };
  BodyModel model{};
  BodyState state{};
  BodyInputs inputs{};
  JointModel joint_model{};
  JointState joint_state{};
  visit_all_planes(model, visit);
  visit_all_planes(state, visit);
  visit_all_planes(inputs, visit);
  visit_all_planes(joint_model, visit);
  visit_all_planes(joint_state, visit);
  const std::uint32_t contact_size = sizeof(CachedContact);
  hash.add(&contact_size, sizeof(contact_size));
  return hash.value();
}

std::string read_exactly(std::istream& in, std::uint64_t size) {
  constexpr std::uint64_t kChunk = 1 << 20;  // a wrong size fails at the end of the file, not at the allocation
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t at = bytes.size(), more = static_cast<std::size_t>(std::min(kChunk, size - at));
    bytes.resize(at + more);
    in.read(bytes.data() + at, static_cast<std::streamsize>(more));
    if (static_cast<std::size_t>(in.gcount()) != more) reject_file("the snapshot is cut off");
  }
  return bytes;
}

template <class T>
T read_value(std::istream& in) {
  T v;
  const std::string bytes = read_exactly(in, sizeof(T));
  std::memcpy(&v, bytes.data(), sizeof(T));
  return v;
}

}  // namespace

void restore_material(const Snapshot& s, BodyMirror& body) {
  const BodyModelRow& model = body.model;
  const std::uint32_t number = model.flags >> kMaterialShift;
  if (number == 0) {
    body.material = {model.friction, model.restitution, friction_rule(model.combine), restitution_rule(model.combine)};
    return;
  }
  const Materials::Row& row = s.materials[number];
  body.material = row.material;
  if (row.registered) body.material_id = {number};
}

std::uint64_t hash_of(const Snapshot& snapshot) {
  HashSink sink;
  Snapshot& s = const_cast<Snapshot&>(snapshot);  // sinks do not write
  transfer_future(sink, s);
  if (s.joints.rows > 0) transfer_joints(sink, s);  // a world that never had one has the hash that it had before joints
  // The same for materials, and for laws of friction and restitution.
  if (!has_default_laws(s)) transfer_laws(sink, s);
  if (s.materials.size() > 1 || !s.contacts.rolling.empty()) transfer_materials(sink, s);
  return sink.hash.value();
}

void write_snapshot(std::ostream& out, const Snapshot& snapshot) {
  Snapshot& s = const_cast<Snapshot&>(snapshot);  // sinks do not write
  CountSink counter;
  transfer_comforts(counter, s);
  transfer_future(counter, s);
  transfer_laws(counter, s);
  transfer_materials(counter, s);
  transfer_joints(counter, s);
  const auto put = [&](const auto& v) { out.write(reinterpret_cast<const char*>(&v), sizeof(v)); };
  put(kMagic);
  put(kVersion);
  put(layout_hash());
  put(counter.size);
  FileSink sink{out, {}};
  transfer_comforts(sink, s);
  transfer_future(sink, s);
  transfer_laws(sink, s);
  transfer_materials(sink, s);
  transfer_joints(sink, s);
  put(sink.hash.value());
  if (!out) throw Error("save: writing " + std::to_string(counter.size) + " bytes failed");
}

Snapshot read_snapshot(std::istream& in) {
  if (read_value<std::array<char, 8>>(in) != kMagic) reject_file("this is not a snapshot of talus");
  const std::uint32_t version = read_value<std::uint32_t>(in);
  if (version != kVersion || read_value<std::uint64_t>(in) != layout_hash()) {
    reject_file("the snapshot was written by another version of talus, format " + std::to_string(version));
  }
  const std::string payload = read_exactly(in, read_value<std::uint64_t>(in));
  Hash64 hash;
  hash.add(payload.data(), payload.size());
  if (read_value<std::uint64_t>(in) != hash.value()) reject_file("the snapshot was changed after it was written");

  Snapshot s;
  Source source{payload};
  transfer_comforts(source, s);
  transfer_future(source, s);
  transfer_laws(source, s);
  transfer_materials(source, s);
  transfer_joints(source, s);
  if (!source.left.empty()) reject_file("the snapshot is longer than its own numbers say");
  check_snapshot(s);
  return s;
}

}  // namespace talus
