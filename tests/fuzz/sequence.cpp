// SPDX-License-Identifier: MIT
#include "sequence.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace talus::fuzz {

namespace {

bool is_finite(float x) {
  return std::isfinite(x);
}
bool is_finite(Vec3 v) {
  return is_finite(v.x) && is_finite(v.y) && is_finite(v.z);
}

std::string bytes_of(World& world) {
  std::ostringstream out(std::ios::binary);
  world.save(out);
  return out.str();
}
void restore_bytes(World& world, const std::string& bytes) {
  std::istringstream in(bytes, std::ios::binary);
  world.restore(in);
}

}  // namespace

// ---- the sequence --------------------------------------------------------------------------------------------------

Sequence::Sequence(std::span<const std::uint64_t> words, const Options& options)
    : words_(words.begin(), words.end()), options_(options) {}

std::span<const Sequence::Call> Sequence::calls() {
  static const Call all[] = {
      {"add_body", 14, &Sequence::add_body},
      {"add_bodies", 5, &Sequence::add_bodies},
      {"remove_body", 4, &Sequence::remove_body},
      {"remove_bodies", 1, &Sequence::remove_bodies},
      {"add_joint", 10, &Sequence::add_joint},
      {"add_joints", 1, &Sequence::add_joints},
      {"remove_joint", 2, &Sequence::remove_joint},
      {"set_axis", 2, &Sequence::set_axis},
      {"set_targets", 1, &Sequence::set_targets},
      {"add_joint_kind", 1, &Sequence::add_joint_kind},
      {"materials", 3, &Sequence::edit_materials},
      {"add_figure", 1, &Sequence::add_figure, true},
      {"add_vehicle", 1, &Sequence::add_vehicle, true},
      {"set_pose", 3, &Sequence::set_pose},
      {"set_velocity", 3, &Sequence::set_velocity},
      {"filter, gravity scale or damping", 2, &Sequence::set_others},
      {"force or impulse", 4, &Sequence::push},
      {"ignore_pair or collide_pair", 2, &Sequence::ignore_or_collide},
      {"wake or put_to_sleep", 2, &Sequence::wake_or_sleep},
      {"set_gravity", 1, &Sequence::set_gravity},
      {"step_async", 5, &Sequence::step_async, true},
      {"step", 9, &Sequence::step},
      {"step_n", 4, &Sequence::step_n},
      {"many steps", 1, &Sequence::many_steps},
      {"save", 3, &Sequence::save},
      {"restore", 1, &Sequence::restore},
      {"restore of broken bytes", 2, &Sequence::restore_broken},
      {"resume", 2, &Sequence::resume, true},
      {"read", 6, &Sequence::read, true},
      {"device_view", 2, &Sequence::use_device_view},
      {"move", 1, &Sequence::move_world},
      {"definitions", 1, &Sequence::definitions},
  };
  return all;
}

const Sequence::Call& Sequence::pick_call(Random& random) {
  int sum = 0;
  for (const Call& call : calls()) sum += call.weight;
  int at = random.below(sum);
  for (const Call& call : calls()) {
    at -= call.weight;
    if (at < 0) return call;
  }
  return calls().back();
}

void Sequence::make_world(std::uint64_t word) {
  Random random(word);
  wild_ = Wildness(random.below(3));
  WorldDef def = random_world({random, wild_}, options_.threads);
  try {
    world_.emplace(def);
  } catch (const Error&) {  // settings that do not go together
    def = WorldDef{.backend = Backend::cpu, .threads = options_.threads, .sleep = def.sleep};
    world_.emplace(def);
  }
  if (random.chance(0.8)) bodies_.push_back(world_->add_body({.shape = plane({0, 1, 0}), .position = {0, -2, 0}}));
}

void Sequence::make_call(std::size_t number, std::uint64_t word) {
  static const bool trace = std::getenv("TALUS_FUZZ_TRACE") != nullptr;
  Random random(word);
  const Call& call = pick_call(random);
  last_call_ = "call " + std::to_string(number) + ", " + call.name;
  const std::uint64_t before = options_.watch ? world_->state_hash() : 0;
  std::string refusal;
  try {
    (this->*call.run)({random, wild_});
  } catch (const Error& error) {
    refusal = error.what();
  }
  if (std::strncmp(call.name, "step", 4) == 0 || call.run == &Sequence::many_steps) pushed_since_step_ = false;
  if (trace) {
    std::fprintf(stderr, "%s%s%s: %d bodies, %d joints, hash %016llx\n", last_call_.c_str(),
                 refusal.empty() ? "" : " refused: ", refusal.c_str(), world_->body_count(), world_->joint_count(),
                 static_cast<unsigned long long>(world_->state_hash()));
  }
  if (options_.watch && !refusal.empty() && !call.several) {
    require(world_->state_hash() == before, "a refused call changed the world: " + refusal);
  }
}

void Sequence::run() {
  make_world(words_.empty() ? 0 : words_[0]);
  for (std::size_t i = 1; i < words_.size(); ++i) {
    make_call(i, words_[i]);
    if (i % 8 == 0) hashes_.push_back(world_->state_hash());
  }
  hashes_.push_back(world_->state_hash());
  check_motions("at the end");
}

BodyId Sequence::pick_body(Random& random) {
  if (bodies_.empty() || random.chance(0.02)) return {std::uint32_t(random.below(30)), std::uint32_t(random.below(4))};
  return random.one_of(bodies_);
}
BodyId Sequence::body_or_world(Random& random) {
  return random.chance(0.15) ? kWorld : pick_body(random);
}
JointId Sequence::pick_joint(Random& random) {
  if (joints_.empty() || random.chance(0.05)) return {std::uint32_t(random.below(30)), std::uint32_t(random.below(4))};
  return random.one_of(joints_);
}

void Sequence::check_report(const StepReport& report) {
  if (!report) {
    left_finite_range_ = true;
    require(world_->contains(report.first_bad_body), "not_finite names a body that is not there");
  }
  require(!report.message().empty(), "a report without a message");
  require(report.pair_count >= 0 && report.contact_count >= 0 && report.contact_count <= report.pair_count &&
              report.point_count <= 4 * report.contact_count && report.awake_count >= 0 &&
              report.awake_count <= report.body_count,
          "counts of a report do not fit each other");
}

void Sequence::check_motions(const char* when) {
  for (const BodyId id : world_->bodies()) {
    const BodyMotion m = world_->motion(id);
    const Quat q = m.pose.orientation;
    require(is_finite(m.pose.position) && is_finite(m.linear_velocity) && is_finite(m.angular_velocity),
            std::string(when) + ": body " + std::to_string(id.slot) + " is not finite");
    const double length =
        double(q.x) * double(q.x) + double(q.y) * double(q.y) + double(q.z) * double(q.z) + double(q.w) * double(q.w);
    require(std::abs(length - 1) < 2e-3, std::string(when) + ": the orientation of body " + std::to_string(id.slot) +
                                             " has a square of " + std::to_string(length));
  }
}

// ---- bodies, joints, materials -------------------------------------------------------------------------------------

void Sequence::add_body(Values v) {
  if (world_->body_count() >= options_.most_bodies) return;
  bodies_.push_back(world_->add_body(random_body(v, materials_)));
}

void Sequence::add_bodies(Values v) {
  std::vector<BodyDef> defs;
  const int count = std::min(1 + v.random.below(25), options_.most_bodies - world_->body_count());
  for (int i = 0; i < count; ++i) defs.push_back(random_body(v, materials_));
  if (!defs.empty() && v.random.chance(0.1)) defs[v.random.index(defs.size())].density = -1;
  for (const BodyId id : world_->add_bodies(defs)) bodies_.push_back(id);
}

void Sequence::remove_body(Values v) {
  const BodyId body = pick_body(v.random);
  world_->remove_body(body);
  if (!v.random.chance(0.3)) std::erase(bodies_, body);
  if (v.random.chance(0.5)) joints_ = world_->joints();
}

void Sequence::remove_bodies(Values v) {
  std::vector<BodyId> gone;
  const int count = v.random.below(6);
  for (int i = 0; i < count; ++i) gone.push_back(pick_body(v.random));
  world_->remove_bodies(gone);
  for (const BodyId body : gone) std::erase(bodies_, body);
}

void Sequence::add_joint(Values v) {
  const BodyId a = body_or_world(v.random), b = body_or_world(v.random);
  joints_.push_back(world_->add_joint(random_joint(v, a, b, kinds_)));
}

void Sequence::add_joints(Values v) {
  std::vector<JointDef> defs;
  const int count = v.random.below(6);
  for (int i = 0; i < count; ++i) {
    const BodyId a = body_or_world(v.random), b = body_or_world(v.random);
    defs.push_back(random_joint(v, a, b, kinds_));
  }
  for (const JointId joint : world_->add_joints(defs)) joints_.push_back(joint);
}

void Sequence::remove_joint(Values v) {
  const JointId joint = pick_joint(v.random);
  world_->remove_joint(joint);
  std::erase(joints_, joint);
}

void Sequence::set_axis(Values v) {
  const JointId joint = pick_joint(v.random);
  const Axis axis = Axis(v.random.below(7));
  world_->set_axis(joint, axis, random_axis(v));
}

void Sequence::set_targets(Values v) {
  const JointId joint = pick_joint(v.random);
  const Axis axis = Axis(v.random.below(6));
  const float position = v.speed(), speed = v.speed();
  world_->set_targets(joint, axis, position, speed);
}

void Sequence::add_joint_kind(Values) {
  if (kinds_.size() < 3) kinds_.push_back(world_->add_joint_kind(joint_kind(WildJoint{})));
}

void Sequence::edit_materials(Values v) {
  Random& r = v.random;
  const int what = r.below(6);
  if (what == 0) return world_->set_material(pick_body(r), random_material(v));
  if (what == 1 || materials_.empty()) {
    materials_.push_back(world_->add_material(random_material(v)));
    return;
  }
  const MaterialId a = r.one_of(materials_), b = r.one_of(materials_);
  if (what == 2) return world_->assign_material(pick_body(r), a);
  if (what == 3) return world_->set_material(a, random_material(v));
  world_->set_material_pair(a, b, random_material_pair(v));
  world_->material_pair(a, b);
  world_->material(a);
}

void Sequence::add_figure(Values v) {
  if (world_->body_count() + 20 > options_.most_bodies) return;
  Random& r = v.random;
  const float height = wild_ != Wildness::sane && r.chance(0.3) ? v.size() : 1.8f;
  const Transform place{v.point(), v.orientation()};
  const Figure figure = talus::add_figure(*world_, human_skeleton(height), place, v.between(0, 1));
  bodies_.insert(bodies_.end(), figure.bodies.begin(), figure.bodies.end());
  joints_.insert(joints_.end(), figure.joints.begin(), figure.joints.end());
  if (r.chance(0.5)) figure.set_strength(*world_, v.between(0, 1));
  if (r.chance(0.5)) figure.set_angles(*world_, "head", v.velocity());
}

void Sequence::add_vehicle(Values v) {
  if (world_->body_count() + 8 > options_.most_bodies) return;
  Random& r = v.random;
  VehicleDef def;
  def.trailer = r.chance(0.5);
  if (wild_ != Wildness::sane) {
    def.mass = v.mass();
    def.wheel_radius = v.size();
    def.suspension_hertz = v.between(0.1f, 5);
    def.track = v.size();
  }
  const Vehicle vehicle = talus::add_vehicle(*world_, def, {v.point(), v.orientation()});
  bodies_.push_back(vehicle.chassis);
  bodies_.insert(bodies_.end(), vehicle.wheels.begin(), vehicle.wheels.end());
  joints_.insert(joints_.end(), vehicle.wheel_joints.begin(), vehicle.wheel_joints.end());
  if (r.chance(0.5)) vehicle.set_drive(*world_, v.speed());
  if (r.chance(0.5)) vehicle.set_steering(*world_, v.speed());
}

// ---- edits of bodies -----------------------------------------------------------------------------------------------

void Sequence::set_pose(Values v) {
  const BodyId body = pick_body(v.random);
  const Vec3 point = v.point();
  world_->set_pose(body, {point, v.orientation()});
}

void Sequence::set_velocity(Values v) {
  const BodyId body = pick_body(v.random);
  const Vec3 linear = v.velocity(), angular = v.velocity();
  world_->set_velocity(body, linear, angular);
}

void Sequence::set_others(Values v) {
  Random& r = v.random;
  const BodyId body = pick_body(r);
  const int what = r.below(4);
  if (what < 2) {
    const std::uint32_t group = std::uint32_t(r.next()), mask = std::uint32_t(r.next());
    return world_->set_filter(body, {group, mask});
  }
  if (what == 2) return world_->set_gravity_scale(body, v.between(-2, 2));
  const float linear = v.between(0, 1), angular = v.between(0, 1);
  world_->set_damping(body, linear, angular);
}

void Sequence::push(Values v) {
  const BodyId body = pick_body(v.random);
  // Left out: impulses on bodies of extreme sizes, which make a velocity infinite at once. They are not refused yet.
  const int what = v.random.below(wild_ == Wildness::sane ? 6 : 3);
  const Vec3 push = v.velocity(), point = v.point();
  pushed_twice_ = pushed_twice_ || pushed_since_step_;
  pushed_since_step_ = true;
  if (what == 0) return world_->apply_force(body, push);
  if (what == 1) return world_->apply_force_at(body, push, point);
  if (what == 2) return world_->apply_torque(body, push);
  if (what == 3) return world_->apply_impulse(body, push);
  if (what == 4) return world_->apply_impulse_at(body, push, point);
  world_->apply_angular_impulse(body, push);
}

void Sequence::ignore_or_collide(Values v) {
  const BodyId a = pick_body(v.random), b = pick_body(v.random);
  if (v.random.chance(0.6)) return world_->ignore_pair(a, b);
  world_->collide_pair(a, b);
}

void Sequence::wake_or_sleep(Values v) {
  const BodyId body = pick_body(v.random);
  if (v.random.chance(0.4)) return world_->wake(body);
  // Left out: putting a jointed body to sleep, which does not put the others of its island to sleep yet.
  if (world_->joint_count() == 0) world_->put_to_sleep(body);
}

void Sequence::set_gravity(Values v) {
  const Vec3 gravity{v.random.range(-10, 10), v.random.range(-10, 10), 0};
  world_->set_gravity(v.random.chance(0.6) ? gravity : v.velocity());
}

// ---- time ----------------------------------------------------------------------------------------------------------

void Sequence::step_async(Values v) {
  const float dt = v.time_step();
  const int count = 1 + v.random.below(5);
  for (int i = 0; i < count; ++i) world_->step_async(dt);
  not_looked_at_ = true;
}

void Sequence::step(Values v) {
  check_report(world_->step(v.time_step()));
  check_motions("after a step");
}

void Sequence::step_n(Values v) {
  const int count = v.random.below(12);
  const StepReport report = world_->step_n(count, v.time_step());
  check_report(report);
  require(count > 0 || (report.status == StepStatus::ok && report.contact_count == 0), "no steps tell something");
  check_motions("after steps");
}

void Sequence::many_steps(Values) {
  check_report(world_->step_n(20, 1.0f / 60));
  check_motions("after 20 steps");
}

// ---- snapshots -----------------------------------------------------------------------------------------------------

void Sequence::save(Values) {
  const std::uint64_t hash = world_->state_hash();
  saved_.push_back({bytes_of(*world_), hash});
}

void Sequence::restore(Values v) {
  if (saved_.empty()) return;
  const Saved& saved = v.random.one_of(saved_);
  restore_bytes(*world_, saved.bytes);
  // Left out: worlds with joints, whose bodies wake when they are restored.
  require(world_->joint_count() > 0 || world_->state_hash() == saved.hash, "a restored world has another hash");
  bodies_ = world_->bodies();
  joints_ = world_->joints();
  materials_.clear();
}

void Sequence::restore_broken(Values v) {
  if (saved_.empty()) return;
  Random& r = v.random;
  std::string bytes = r.one_of(saved_).bytes;
  const std::size_t at = r.index(bytes.size());
  switch (r.below(4)) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << r.below(8)));
      break;
    case 2:
      bytes.insert(at, 1, static_cast<char>(r.next()));
      break;
    default:
      bytes.erase(at, 1);
  }
  const std::uint64_t before = world_->state_hash();
  bool refused = false;
  try {
    restore_bytes(*world_, bytes);
  } catch (const Error&) {
    refused = true;
  }
  require(refused, "a broken snapshot was accepted");
  require(world_->state_hash() == before, "a refused snapshot changed the world");
}

void Sequence::resume(Values v) {
  Random& r = v.random;
  const std::string bytes = bytes_of(*world_);
  const std::uint64_t hash = world_->state_hash();
  World other(WorldDef{.backend = Backend::cpu, .threads = 1 + r.below(3)});
  for (std::size_t i = 0; i < kinds_.size(); ++i) other.add_joint_kind(joint_kind(WildJoint{}));
  if (r.chance(0.5)) {
    other.add_body({});
    other.step(0.01f);
  }
  try {
    restore_bytes(other, bytes);
  } catch (const Error& error) {
    // Left out: worlds that left the finite range, of which values may be left that no file may hold.
    require(left_finite_range_ || not_looked_at_, std::string("a saved world is refused: ") + error.what());
    return;
  }
  if (world_->joint_count() > 0) {  // Left out: joints do not resume bit for bit yet, and their bodies wake.
    other.step_n(3, 1.0f / 60);
    return;
  }
  require(other.state_hash() == hash, "a restored world has another hash");
  require(bytes_of(other) == bytes, "a restored world saves other bytes");
  const float dt = v.time_step();
  const int count = 1 + r.below(20);
  const StepReport a = world_->step_n(count, dt), b = other.step_n(count, dt);
  check_report(a);
  // Left out: events, of which those about sleep are not told alike.
  require(a.contact_count == b.contact_count && a.awake_count == b.awake_count, "a restored world has other counts");
  require(world_->state_hash() == other.state_hash(), "a restored world goes on otherwise");
  check_motions("after a resume");
}

// ---- reading -------------------------------------------------------------------------------------------------------

void Sequence::read_contacts() {
  for (const ContactReport& c : world_->read_contacts()) {
    require(world_->contains(c.a) && world_->contains(c.b), "read_contacts names a body that is not there");
    require(c.point_count >= 1 && c.point_count <= 4, "read_contacts: " + std::to_string(c.point_count) + " points");
    require(is_finite(c.normal), "read_contacts: a normal that is not finite");
    // Left out: contacts of bodies that were frozen, and bodies so far away that the square of a length is not finite.
    if (left_finite_range_ || not_looked_at_) continue;
    const auto is_far = [&](BodyId body) {
      const Vec3 p = world_->position(body);
      return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > 1e15f;
    };
    if (is_far(c.a) || is_far(c.b)) continue;
    for (int i = 0; i < c.point_count; ++i) {
      const ContactPoint& point = c.points[i];
      require(is_finite(point.position) && is_finite(point.separation) && is_finite(point.normal_impulse),
              "read_contacts: a point that is not finite, separation " + std::to_string(point.separation) +
                  ", impulse " + std::to_string(point.normal_impulse));
    }
  }
}

void Sequence::read_lists(Values v) {
  const std::vector<JointId> joints = world_->joints();
  std::vector<JointReading> readings(joints.size());
  world_->read_joints(joints, readings);
  const std::vector<BodyId> bodies = world_->bodies();
  std::vector<Transform> poses(bodies.size());
  world_->read_poses(bodies, poses);
  std::vector<BodyMotion> motions(bodies.size() + (v.random.chance(0.2) ? 1 : 0));  // one too many is refused
  world_->read_motions(bodies, motions);
}

void Sequence::read(Values v) {
  const WorldDef& def = world_->def();
  const int what = v.random.below(9);
  if (what == 0 && def.contact_reports) read_contacts();
  if (what == 1 && def.events.enabled) world_->read_events();
  if (what == 2 && def.keep_contact_problem) {
    const ContactProblem p = world_->contact_problem();
    const Index bodies = static_cast<Index>(p.bodies.size()), rows = static_cast<Index>(p.rows.size());
    for (const ContactProblem::Row& row : p.rows) {
      require(row.body_a < bodies && row.body_b < bodies && row.normal < rows,
              "contact_problem: an index out of range");
    }
  }
  if (what == 3 && def.solver.solver == Solver::rigid && def.solver.rigid.residual_history) world_->residual_history();
  if (what == 4) world_->mechanics();
  if (what == 5) world_->definition(pick_body(v.random));
  if (what == 6) world_->reading(pick_joint(v.random));
  if (what == 7) read_lists(v);
  if (what == 8) {
    world_->is_awake(pick_body(v.random));
    world_->last_report();
    world_->record_event(nullptr);  // refused: there are no events on the CPU
  }
}

void Sequence::use_device_view(Values v) {
  Random& r = v.random;
  const DeviceView view = world_->device_view();
  double sum = 0;  // so that everything is read
  for (Index i = 0; i < view.row_count; ++i) {
    sum += view.alive[i] + view.asleep[i] + view.shape[i] + double(view.shape_size[i].x) + double(view.position[i].x) +
           double(view.orientation[i].w) + double(view.linear_velocity[i].x) + double(view.angular_velocity[i].z);
    if (view.instance_transforms != nullptr) sum += double(view.instance_transforms[12 * i + 11]);
  }
  if (view.event_count != nullptr) {
    for (Index i = 0; i < *view.event_count; ++i) sum += view.events[i].a;
  }
  for (Index i = 0; i < view.joint_count; ++i) {
    sum += view.joint_alive[i] + view.joint_broken[i] + double(view.joint_force[i].x) + double(view.joint_torque[i].x);
  }
  [[maybe_unused]] static volatile double sink;
  sink = sum;
  if (r.chance(0.5)) {
    for (Index i = 0; i < view.row_count; ++i) {
      if (view.alive[i] == 0 || view.asleep[i] != 0 || !r.chance(0.2)) continue;
      view.position.set(i, {r.range(-3, 3), r.range(-3, 3), r.range(-3, 3)});
    }
  }
  if (r.chance(0.5)) {
    for (Index i = 0; i < view.joint_count; ++i) {
      if (view.joint_alive[i] == 0 || !r.chance(0.3)) continue;
      view.joint_target_linear.set(i, {r.range(-1, 1), 0, 0});
      view.joint_target_angular_velocity.set(i, {r.range(-1, 1), r.range(-1, 1), 0});
      view.joint_max_torque.set(i, {r.range(0, 100), r.range(0, 100), r.range(0, 100)});
    }
  }
}

void Sequence::move_world(Values) {
  World other = std::move(*world_);
  world_.emplace(std::move(other));
  World third(WorldDef{.backend = Backend::cpu, .threads = 1});
  third = std::move(*world_);
  *world_ = std::move(third);
}

void Sequence::definitions(Values v) {
  const std::vector<BodyId> bodies = world_->bodies();
  if (bodies.empty()) return;
  const BodyDef body = world_->definition(v.random.one_of(bodies));
  try {
    const BodyId again = world_->add_body(body);
    const BodyDef out = world_->definition(again);
    require(std::memcmp(&body.position, &out.position, sizeof(Vec3)) == 0 &&
                std::memcmp(&body.orientation, &out.orientation, sizeof(Quat)) == 0 &&
                std::memcmp(&body.linear_velocity, &out.linear_velocity, sizeof(Vec3)) == 0,
            "the definition of a body comes out otherwise");
    world_->remove_body(again);
  } catch (const Error& error) {
    throw Broken{std::string("the definition of a body is refused: ") + error.what()};
  }
  const std::vector<JointId> joints = world_->joints();
  if (joints.empty()) return;
  const JointDef joint = world_->definition(v.random.one_of(joints));
  try {
    world_->remove_joint(world_->add_joint(joint));
  } catch (const Error& error) {
    throw Broken{std::string("the definition of a joint is refused: ") + error.what()};
  }
}

}  // namespace talus::fuzz
