// SPDX-License-Identifier: MIT
// World: the scene, its step, and what can be read from it. SI units, right-handed, y up by the default gravity.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <talus/column.h>
#include <talus/contact_problem.h>
#include <talus/custom_joint.h>
#include <talus/defs.h>
#include <talus/joint.h>
#include <talus/status.h>

namespace talus {

struct AssemblyIds;
struct AssemblyJoint;

/// One point of a contact, as reported.
struct ContactPoint {
  Vec3 position;          ///< [m] world frame, halfway between the surfaces
  float separation;       ///< [m] negative inside; as it was at the start of the step
  float normal_impulse;   ///< [N s] of a load over the whole step, >= 0; means nothing in a step with an
                          ///< impact, whose impulse the events have, and of stacks with Solver::shock
  std::uint32_t feature;  ///< names the pair of features that touch; stable while they do
};

/// One manifold, as reported. The normal points from a to b.
struct ContactReport {
  BodyId a, b;
  Vec3 normal;            ///< unit, world frame
  Vec3 friction_impulse;  ///< [N s] on b, tangential, over the whole step
  float twist_impulse;    ///< [N m s] on b about the normal, over the whole step
  float friction;         ///< [1] combined coefficient
  int point_count;        ///< 1..4
  ContactPoint points[4];
};

/// Pose and velocity of one body.
struct BodyMotion {
  Transform pose;
  Vec3 linear_velocity;   ///< [m/s]
  Vec3 angular_velocity;  ///< [rad/s]
};

/// Mechanical sums over all dynamic bodies, in double precision, in slot order.
struct Mechanics {
  double kinetic_energy = 0;        ///< [J]
  double potential_energy = 0;      ///< [J] -m g·x with each body's gravity scale
  double momentum[3] = {};          ///< [kg m/s]
  double angular_momentum[3] = {};  ///< [kg m^2/s] about the origin
};

/// Pointers into the backend's own memory, for kernels of the caller's. Row i belongs to slot i; `alive` tells which
/// rows hold a body. On the CUDA backend these are device pointers, valid in the order of World::stream(); on the CPU
/// backend plain ones. Any call that adds bodies may move them: ask anew after it.
struct DeviceView {
  Backend backend = Backend::cpu;
  Index row_count = 0;                   ///< rows in use, with and without a body
  Vec3Column position;                   ///< [m]
  QuatColumn orientation;                ///< body to world
  Vec3Column linear_velocity;            ///< [m/s]
  Vec3Column angular_velocity;           ///< [rad/s]
  Column<const std::uint8_t> alive;      ///< 1: the row holds a body
  Column<const std::uint8_t> asleep;     ///< 1: the body sleeps; wake it before its columns are written to
  Column<const std::uint8_t> shape;      ///< ShapeType
  Vec3Column shape_size;                 ///< ShapeDef::size; not to be written
  Column<const EventRecord> events;      ///< of the last step, by type and row; if WorldDef asked for them
  const Index* event_count = nullptr;    ///< how many there are, in the same memory
  float* instance_transforms = nullptr;  ///< row-major 3x4 a body, 12 floats, if WorldDef asked for them; else null

  // Joints: row i belongs to JointId::slot i. Any call that adds joints may move these. Six axes are two vectors: x, y,
  // z and twist, swing_y, swing_z. Empty until there is a joint.
  Index joint_count = 0;                    ///< rows in use, with and without a joint
  Column<const std::uint8_t> joint_alive;   ///< 1: the row holds a joint
  Column<const std::uint8_t> joint_broken;  ///< not 0: the joint broke; 2: in the last step
  Vec3Column joint_position_linear;   ///< [m] of the axes after the last step; not to be written, as the next five.
                                      ///< This and the next three: if WorldDef::joint_readings, else empty
  Vec3Column joint_position_angular;  ///< [rad]
  Vec3Column joint_velocity_linear;   ///< [m/s]
  Vec3Column joint_velocity_angular;  ///< [rad/s]
  Vec3Column joint_force;             ///< [N] on b, world frame
  Vec3Column joint_torque;            ///< [N m] on b about its anchor, world frame
  // What follows may be written between steps, in rows that hold a joint: finite values in the ranges of AxisDef, which
  // nobody checks; at most 1e30 stands for no limit of a force. Drives are switched on and off by World::set_axis or,
  // without a new plan of the joints, by a largest force of 0.
  Vec3Column joint_target_linear;            ///< [m] AxisDef::target_position
  Vec3Column joint_target_angular;           ///< [rad]
  Vec3Column joint_target_linear_velocity;   ///< [m/s] AxisDef::target_velocity
  Vec3Column joint_target_angular_velocity;  ///< [rad/s]
  Vec3Column joint_stiffness_linear;         ///< [N/m, Hz] AxisDef::stiffness
  Vec3Column joint_stiffness_angular;        ///< [N m/rad, Hz]
  Vec3Column joint_damping_linear;           ///< [N s/m, 1] AxisDef::damping
  Vec3Column joint_damping_angular;          ///< [N m s/rad, 1]
  Vec3Column joint_max_force;                ///< [N] AxisDef::max_force
  Vec3Column joint_max_torque;               ///< [N m]
};

/// A scene and the machinery that steps it. Movable, not copyable; one thread at a time. Arguments are checked at the
/// call that receives them: a bad one throws Error and leaves the world as it was.
class World {
 public:
  explicit World(const WorldDef& def = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // ---- bodies ------------------------------------------------------------------------------------------------------
  /// Adds one body; it takes part from the next step on.
  BodyId add_body(const BodyDef& def);
  /// Adds many; all or, if one of them is bad, none. The error names the index.
  std::vector<BodyId> add_bodies(std::span<const BodyDef> defs);
  /// Removes a body and its joints. Their ids are stale from now on; its contacts end.
  void remove_body(BodyId body);
  /// Removes many; all or, if one id is stale or comes twice, none.
  void remove_bodies(std::span<const BodyId> bodies);
  /// True while the id names a body of this world.
  bool contains(BodyId body) const;
  Index body_count() const;
  /// Ids of all bodies, in slot order.
  std::vector<BodyId> bodies() const;

  // ---- edits: take effect before the next step, in the order given -------------------------------------------------
  /// Puts a body elsewhere. What is on it stays behind: to carry it, give a kinematic body a velocity.
  void set_pose(BodyId body, const Transform& pose);
  void set_velocity(BodyId body, Vec3 linear, Vec3 angular);
  void set_material(BodyId body, const Material& material);
  void assign_material(BodyId body, MaterialId material);
  void set_filter(BodyId body, const Filter& filter);
  void set_gravity_scale(BodyId body, float scale);
  void set_damping(BodyId body, float linear, float angular);
  /// [N] Adds a force at the centre of mass for the next step only.
  void apply_force(BodyId body, Vec3 force);
  /// [N] Adds a force at a world point for the next step only.
  void apply_force_at(BodyId body, Vec3 force, Vec3 point);
  /// [N m] Adds a torque for the next step only.
  void apply_torque(BodyId body, Vec3 torque);
  /// [N s] Changes the velocity at once, at the centre of mass.
  void apply_impulse(BodyId body, Vec3 impulse);
  /// [N s] Changes velocity and spin at once, at a world point.
  void apply_impulse_at(BodyId body, Vec3 impulse, Vec3 point);
  /// [N m s] Changes the spin at once.
  void apply_angular_impulse(BodyId body, Vec3 impulse);
  void set_gravity(Vec3 gravity);
  /// The two bodies pass through each other from now on, until collide_pair().
  void ignore_pair(BodyId a, BodyId b);
  void collide_pair(BodyId a, BodyId b);

  // ---- materials: changes of these wait for queued steps -----------------------------------------------------------
  /// Makes a material known, for BodyDef::material_id and for pairs. It stays as long as the world, also through
  /// save() and restore().
  MaterialId add_material(const Material& material);
  /// Changes a material, of all bodies that are made of it.
  void set_material(MaterialId id, const Material& material);
  Material material(MaterialId id) const;
  /// What holds between two materials, or a material and itself, in place of what their values combine to; a pair
  /// without any value undoes it. The order of a and b does not matter.
  void set_material_pair(MaterialId a, MaterialId b, const MaterialPair& pair);
  /// As it was set; empty if it was not.
  MaterialPair material_pair(MaterialId a, MaterialId b) const;

  // ---- joints: edits wait for queued steps, and take effect before the next one ------------------------------------
  /// Adds one joint between bodies as they stand now. At least one of them must be dynamic. Unless JointDef::collide is
  /// set, they pass through each other while the joint lives, even broken; ignore_pair() and collide_pair() are apart
  /// from that.
  JointId add_joint(const JointDef& def);
  /// Adds many; all or, if one of them is bad, none. The error names the index. Much faster than one by one.
  std::vector<JointId> add_joints(std::span<const JointDef> defs);
  /// Makes a kind of joint known, for JointDef::kind: see custom_joint.h, joint_kind(). Kinds stay as long as the
  /// world, also through restore(). Throws Error for a kind that was not compiled for the backend in use.
  int add_joint_kind(const JointKind& kind);
  /// Removes a joint. Its id is stale from now on.
  void remove_joint(JointId joint);
  /// True while the id names a joint of this world, broken or not.
  bool contains(JointId joint) const;
  Index joint_count() const;
  /// Ids of all joints, in slot order.
  std::vector<JointId> joints() const;
  /// The definition a joint would have to be created with to be as it is now, with the frames in the bodies.
  JointDef definition(JointId joint);
  /// Replaces one axis of a joint.
  void set_axis(JointId joint, Axis axis, const AxisDef& def);
  /// [m, rad] and [m/s, rad/s] Targets of the drive of one axis. For many joints a step see DeviceView.
  void set_targets(JointId joint, Axis axis, float position, float velocity);
  /// The joints named as the last step left them, in their order; zeros before a joint's first step. `out` has as many
  /// elements.
  void read_joints(std::span<const JointId> joints, std::span<JointReading> out);
  JointReading reading(JointId joint);

  // ---- sleep: WorldDef::sleep --------------------------------------------------------------------------------------
  bool is_awake(BodyId body);
  /// Wakes a body with all that fell asleep together with it. So does every edit of a body; removing or moving a fixed
  /// or kinematic body wakes what is near it, what an edit sets in motion wakes what lies on its way for the next
  /// thirtieth of a second, and a change of gravity wakes all.
  void wake(BodyId body);
  /// Stops a dynamic body and puts it to sleep, alone, until it is woken or something awake comes near. Nothing happens
  /// where bodies do not sleep.
  void put_to_sleep(BodyId body);

  // ---- time --------------------------------------------------------------------------------------------------------
  /// [s] Advances by dt > 0. The report's counts wait for the step to end; see step_async() for one that does not.
  StepReport step(float dt);
  /// n steps of dt each; the report of the last one, with the status bits of all. Of no steps it has the numbers of
  /// steps taken, bodies and joints, and zeros.
  StepReport step_n(int n, float dt);
  /// Queues a step without waiting. Whatever reads the world waits for it; so does last_report().
  void step_async(float dt);
  /// Waits for queued steps and returns the last one's report.
  const StepReport& last_report();
  /// Steps taken since creation; a restored world goes on from the number it was saved with.
  std::uint64_t step_number() const;

  // ---- reading -----------------------------------------------------------------------------------------------------
  BodyMotion motion(BodyId body);
  Transform pose(BodyId body) { return motion(body).pose; }
  Vec3 position(BodyId body) { return motion(body).pose.position; }
  Vec3 linear_velocity(BodyId body) { return motion(body).linear_velocity; }
  Vec3 angular_velocity(BodyId body) { return motion(body).angular_velocity; }
  /// Poses of the bodies named, in their order. `out` has as many elements.
  void read_poses(std::span<const BodyId> bodies, std::span<Transform> out);
  /// Poses and velocities of the bodies named, in their order.
  void read_motions(std::span<const BodyId> bodies, std::span<BodyMotion> out);
  /// The definition a body would have to be created with to be as it is now.
  BodyDef definition(BodyId body);
  /// Manifolds of the last step, by the slots of a and b. Needs WorldDef::contact_reports. Between bodies that sleep
  /// there are none.
  std::vector<ContactReport> read_contacts();
  /// Events of the last step: begins and hits of contacts by the slots of their bodies, then ends, then sleep. Needs
  /// WorldDef::events.
  std::vector<Event> read_events();
  /// The contact and joint problem of the last step as Solver::rigid posed it, with what it found; contacts by the
  /// slots of their bodies. Empty before the first step. Needs WorldDef::keep_contact_problem. Throws Error if joints
  /// came or went since, or a contact has friction that a problem has no rows for: along and across a grain, tensors,
  /// against spinning and rolling.
  ContactProblem contact_problem();
  /// [m/s] The residual after each sweep of the last step: the larger of Residual::complementarity and friction. Needs
  /// RigidSettings::residual_history.
  std::vector<float> residual_history();
  Mechanics mechanics();
  const WorldDef& def() const;
  /// The backend in use, never `automatic`.
  Backend backend() const;

  // ---- state as bits -----------------------------------------------------------------------------------------------
  /// Hash over everything that decides the future: equal worlds have equal hashes, on any backend.
  std::uint64_t state_hash();
  /// Writes all that is needed to resume bit for bit.
  void save(std::ostream& out);
  /// Replaces the whole world, def() included save for backend, threads and stream, by a saved one. A broken or foreign
  /// stream throws Error and leaves the world as it was. Kinds of joints are code, which is not saved: if there are
  /// such joints, this world must have the same kinds, added in the same order.
  void restore(std::istream& in);

  // ---- the backend's memory ----------------------------------------------------------------------------------------
  /// Pointers for kernels of the caller's. Writing to position or velocity columns of bodies is allowed between steps,
  /// and so is writing targets and strengths of joints.
  DeviceView device_view();
  /// The cudaStream_t that steps run on; null on the CPU backend.
  void* stream() const;
  /// Makes a cudaEvent_t of the caller's fire when all steps queued so far have ended. CUDA backend only.
  void record_event(void* cuda_event);
  /// Makes the next step wait for a cudaEvent_t of the caller's. CUDA backend only.
  void wait_event(void* cuda_event);

 private:
  struct Impl;
  friend AssemblyIds add_assembly(World& world, std::span<const BodyDef> bodies, std::span<const AssemblyJoint> joints);
  std::unique_ptr<Impl> impl_;
};

/// Backends that can be used here and now.
std::vector<Backend> available_backends();
/// "cpu", "cuda" or "automatic".
const char* backend_name(Backend backend);

/// What this build is and what it runs on.
struct SystemInfo {
  std::string version;  ///< of talus
  std::string build;    ///< compiler and build type
  std::string simd;     ///< instruction set in use, e.g. "avx512"
  int simd_lanes = 1;   ///< floats a pack holds
  int hardware_threads = 1;
  bool cuda_built = false;
  std::string cuda_device;  ///< name of the device, or why there is none
};
SystemInfo system_info();

}  // namespace talus
