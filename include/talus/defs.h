// SPDX-License-Identifier: MIT
// What a world and its bodies are made of. Plain fields, each with its unit and default; checked by World when used.
#pragma once
#include <cstdint>
#include <optional>

#include <talus/event.h>
#include <talus/types.h>

namespace talus {

/// Where a world computes. Every backend gives the same bits.
enum class Backend : std::uint8_t {
  automatic,  ///< CUDA if this build has it and a device is present, else the CPU
  cpu,        ///< threads and SIMD lanes of this machine
  cuda,       ///< an NVIDIA GPU
};

/// How the contact problem is posed and iterated.
enum class Solver : std::uint8_t {
  gauss_seidel,  ///< soft contacts in sub-steps, by projected Gauss-Seidel over the colors of the graph; the default
  jacobi,        ///< the same by projected Jacobi with mass splitting; needs about twice the sweeps for the same result
  rigid,         ///< rigid contacts with friction at each point, over the whole step at once: see RigidSettings
  shock,         ///< the same, and once more layer after layer from the ground up: see ShockSettings
};

/// Solver::rigid: what a sweep does at one contact point, which has three rows: the normal and two tangents.
enum class PointSolver : std::uint8_t {
  rows,   ///< the normal, then friction, each row with its own mass (projected Gauss-Seidel, S1-60)
  block,  ///< the point by itself exactly: stick, slip or separate (blocked Gauss-Seidel, S1-66)
  prox,   ///< all rows from the same velocities, and sweeps that do not help are taken back (proximal point, S1-80)
};

/// Solver::rigid: the order in which a sweep visits contacts.
enum class SweepOrder : std::uint8_t {
  forward,    ///< color after color
  symmetric,  ///< forward, then backward, in turn (S1-62)
  jacobi,     ///< all from the same velocities, with mass splitting (S1-59)
};

/// Solver::rigid: why sweeps ended.
enum class SweepEnd : std::uint8_t {
  sweeps,     ///< there were as many as asked for
  tolerance,  ///< the residual was small enough
  stagnation  ///< the residual did not fall any more
};

/// Shape of the friction limit in the tangent plane.
enum class FrictionModel : std::uint8_t {
  cone,        ///< |f| <= mu n, the same in every direction
  box,         ///< |f1| <= mu n and |f2| <= mu n along two tangents; stronger on the diagonal
  polyhedral,  ///< a regular polygon of SolverSettings::friction_sides corners in the circle |f| <= mu n
};

/// What the restitution of a material is the ratio of.
enum class RestitutionModel : std::uint8_t {
  newton,   ///< of the speeds along the normal after and before an impact
  poisson,  ///< of the impulses that part and that stop the bodies; friction acts in both
};

/// How velocities advance positions over a step.
enum class Integrator : std::uint8_t {
  semi_implicit_euler,  ///< x' = x + h v'; dissipates a little, robust; the default
  moreau,               ///< x' = x + h (v + v') / 2 for free bodies: exact for constant acceleration (S1-08)
};

/// What removes penetration.
enum class Stabilization : std::uint8_t {
  soft,        ///< contacts are over-damped springs, followed by a relaxation that takes the push back out;
               ///< Solver::rigid has no relaxation
  projection,  ///< rigid contacts, and positions are projected out of penetration after the velocities are solved
  baumgarte,   ///< Solver::rigid: a part of the penetration becomes velocity (ERP), and contacts may yield (CFM; S1-26)
  split_impulse,  ///< Solver::rigid: the same part is removed by velocities of its own, which nothing is left of
};

/// Solver::rigid. Pairs, friction and restitution are as in the other solvers, and a step is one sub-step: `substeps`,
/// `iterations` and `relax_iterations` have no meaning here.
struct RigidSettings {
  PointSolver point = PointSolver::rows;
  SweepOrder order = SweepOrder::forward;
  bool nncg = false;        ///< nonlinear conjugate gradients around the sweeps (S1-72)
  int stagger = 0;          ///< so many sweeps over normals, then so many over friction, in turn; 0: over both (S1-70)
  float relaxation = 1.0f;  ///< [1] of each step, > 0 and < 2 (PSOR, S1-61); the first r-factor of PointSolver::prox
  int sweeps = 30;          ///< a step at most, 1..10000
  float tolerance = 0.0f;   ///< [m/s] residual at which sweeps end; 0: none. Costs half a sweep a sweep
  int stagnation = 0;       ///< sweeps end if the residual fell by less than 1 % in so many; 0: never. Costs the same
  float error_reduction = 0.2f;   ///< [1] part of a penetration that goes in a step (ERP): baumgarte, split_impulse
  float force_mixing = 0.0f;      ///< [1/kg] speed at which a contact yields to an impulse (CFM): baumgarte
  float slop = 0.0005f;           ///< [1] of the smaller body's diameter: penetration left in place; not with soft
  int push_sweeps = 10;           ///< a step, of split impulses and projection, 1..10000
  bool residual_history = false;  ///< keep what World::residual_history() needs. Costs half a sweep a sweep
};

/// Solver::shock: velocity-based shock propagation. What stands is solved from the ground up, each layer of bodies on
/// the one below, which is held: tall stacks, and heavy bodies on light ones, need no more sweeps than low ones.
/// Of Solver::rigid it takes neither settings nor the contact problem.
struct ShockSettings {
  float weight = 1.0f;  ///< [1] part of the forces that acts on all contacts at once, the rest in layers: how much
                        ///< bodies feel of what rests on them
  int sweeps = 10;      ///< over all contacts, and over those of each layer, 1..10000
  int correction_sweeps = 5;  ///< that move bodies out of penetration: in each layer, and over all contacts, 1..10000
  float least_slope = 0.3f;  ///< [1] a contact bears if its normal leans less from gravity than this cosine says, 0..1;
                             ///< walls do not bear
};

/// Settings of the contact solver. The defaults hold stacks of tens of bodies; see docs/solvers.md for measurements.
struct SolverSettings {
  Solver solver = Solver::gauss_seidel;
  FrictionModel friction = FrictionModel::cone;
  RestitutionModel restitution = RestitutionModel::newton;
  Integrator integrator = Integrator::semi_implicit_euler;
  Stabilization stabilization = Stabilization::soft;
  int substeps = 4;                     ///< sub-steps a step is cut into, 1..64; buys stiffness
  int iterations = 1;                   ///< biased sweeps in each sub-step, 1..256
  int relax_iterations = 1;             ///< sweeps without bias in each sub-step, 0..256; friction acts in these
  float contact_hertz = 60.0f;          ///< [Hz] stiffness of a contact; limited to 0.205 of the sub-step rate
  float contact_damping_ratio = 4.0f;   ///< [1] of the contact spring; 1 is critical
  float max_push_speed = 3.0f;          ///< [m/s] at which bodies inside each other part at most
  float restitution_threshold = 1.0f;   ///< [m/s] approach speed below which contacts do not bounce
  int friction_sides = 8;               ///< corners of FrictionModel::polyhedral, 3..64
  float slip_threshold = 0.05f;         ///< [m/s] slip above which contacts take Material::dynamic_friction
  float speculative_distance = 0.012f;  ///< [1] part of the smaller body's diameter (of the ball around it) by which
                                        ///< contacts are made ahead of touching, plus the way of a step
  float recycle_fraction = 0.01f;       ///< [1] a manifold is kept while its pair moved less than this part of its size
  bool warm_start = true;               ///< start from last step's impulses
  bool report_residual = false;         ///< compute StepReport::residual (costs one sweep)
  RigidSettings rigid{};                ///< of Solver::rigid
  ShockSettings shock{};                ///< of Solver::shock
};

/// When bodies sleep. Bodies that touch each other or are joined are an island; one whose bodies have all been slow for
/// some time stops, costs next to nothing, and goes on when it is touched or edited.
struct SleepSettings {
  bool enabled = true;
  float speed = 0.05f;  ///< [m/s] of the fastest point of a body, in the mean over 8 steps, below which it is slow;
                        ///< twice this and what rolls slowly stops visibly. What trembles by speed * time is not slow
  float time = 0.5f;    ///< [s] for which all bodies of an island must have been slow
};

/// Gravity, backend, solver and expected sizes of a world.
struct WorldDef {
  Vec3 gravity{0.0f, -9.81f, 0.0f};  ///< [m/s^2]
  Backend backend = Backend::automatic;
  int threads = 0;             ///< CPU backend: worker threads, 0 takes all cores. Does not change one bit of a result
  SolverSettings solver{};     ///< see SolverSettings
  SleepSettings sleep{};       ///< see SleepSettings
  Index reserve_bodies = 0;    ///< rows made in advance; a world grows by itself
  Index reserve_pairs = 0;     ///< same for pairs of near bodies
  Index reserve_contacts = 0;  ///< same for contacts
  EventSettings events{};      ///< what World::read_events() tells
  bool contact_reports = false;       ///< keep what World::read_contacts() needs
  bool keep_contact_problem = false;  ///< keep what World::contact_problem() needs; Solver::rigid only
  bool joint_readings = false;        ///< keep the columns of coordinates and rates of joints in DeviceView up to date
  bool instance_transforms = false;   ///< fill DeviceView::instance_transforms at the end of each step
  void* cuda_stream = nullptr;  ///< CUDA backend: a cudaStream_t of the caller's to work on; null makes an own one
};

enum class ShapeType : std::uint8_t { sphere = 0, box = 1, capsule = 2, plane = 3 };
constexpr int kShapeTypeCount = 4;

/// A shape, centred on the body's centre of mass. Made by sphere(), box(), capsule() and plane().
struct ShapeDef {
  ShapeType type = ShapeType::sphere;
  /// sphere: {radius, 0, 0}; box: half extents; capsule: {radius, half length of the segment, 0}, axis along body y;
  /// plane: unit normal in the body frame, through the body's position; solid on the far side of the normal.
  Vec3 size{0.5f, 0.0f, 0.0f};
};

/// [m] Ball of a radius.
inline ShapeDef sphere(float radius) {
  return {ShapeType::sphere, {radius, 0.0f, 0.0f}};
}
/// [m] Box given by half its edges.
inline ShapeDef box(Vec3 half_extents) {
  return {ShapeType::box, half_extents};
}
/// [m] Segment of length 2 half_length along the body's y axis, thickened by a radius.
inline ShapeDef capsule(float radius, float half_length) {
  return {ShapeType::capsule, {radius, half_length, 0.0f}};
}
/// Half space behind a plane through the body's position. Fixed and kinematic bodies only.
inline ShapeDef plane(Vec3 unit_normal) {
  return {ShapeType::plane, unit_normal};
}

/// How two materials' values become one contact's. Of two different rules the later in this list wins.
enum class Combine : std::uint8_t { average, geometric_mean, minimum, multiply, maximum };

/// Symmetric positive definite, in the frame of a surface: its grain, and across it to the left as seen from outside.
struct FrictionTensor {
  float along = 1.0f, across = 1.0f, shear = 0.0f;  ///< [1] the two on the diagonal, and the one beside it
};

/// Surface of a body.
///
/// Two surfaces make a contact: coefficients of friction by friction_combine, restitution by restitution_combine, and
/// of torsional and rolling friction the larger one counts. World::set_material_pair() puts values of a pair in their
/// place. All of this holds in every solver.
struct Material {
  float friction = 0.5f;     ///< [1] Coulomb coefficient, >= 0
  float restitution = 0.0f;  ///< [1] 0..1; see SolverSettings::restitution
  Combine friction_combine = Combine::geometric_mean;
  Combine restitution_combine = Combine::maximum;
  /// [1] Coefficient of contacts that slip faster than SolverSettings::slip_threshold, 0..friction; empty: `friction`.
  std::optional<float> dynamic_friction{};
  /// Direction of fibres or grooves, body frame, of length 1; zero: the surface is the same in all directions. On faces
  /// that it is perpendicular to, it means nothing.
  Vec3 grain{0.0f, 0.0f, 0.0f};
  /// [1] Coefficients for slip along the grain and across it, >= 0; empty: `friction`. Together they are an ellipse.
  /// They hold in full against a surface without grain, or with one that lies the same way; against one that lies at
  /// right angles both surfaces have `friction`, and in between it goes with the angle (matchstick model).
  std::optional<float> friction_along{}, friction_across{};
  float torsional_friction = 0.0f;  ///< [m] torque about the normal a unit of load, more than the patch itself gives
  float rolling_friction = 0.0f;    ///< [m] torque against rolling a unit of load
  /// [1] Coefficient that meets what slides over the surface against the grain, >= 0; empty: `friction_along`, which
  /// then holds both ways. Scales, fur, saw teeth: it goes one way and not the other.
  std::optional<float> friction_against{};
  /// Friction (Q_A + Q_B) / 2 times the combined `friction` times the direction of slip, against it. A surface without
  /// one has Q = 1. A law of its own, in place of coefficients along, across and against the grain, which it excludes.
  std::optional<FrictionTensor> friction_tensor{};
  /// [Hz] Stiffness of the surface, > 0, in place of SolverSettings::contact_hertz and limited as that is: rubber
  /// beside steel. Where both surfaces have one the softer counts, and a surface without one leaves it to the other. An
  /// Error in solvers whose contacts do not yield: Solver::shock, Stabilization::projection, and Solver::rigid without
  /// Stabilization::soft.
  std::optional<float> contact_hertz{};
};

/// Names a material that a world was told of by World::add_material(). A default-constructed id names none.
struct MaterialId {
  std::uint32_t number = 0;
  auto operator<=>(const MaterialId&) const = default;
};

/// What holds between two materials in place of what their own values combine to. Empty fields change nothing.
struct MaterialPair {
  std::optional<float> friction{};            ///< [1] >= 0
  std::optional<float> dynamic_friction{};    ///< [1] 0..friction; empty: the part of `friction` that it was
  std::optional<float> friction_along{};      ///< [1] >= 0; empty: `friction`, if given
  std::optional<float> friction_across{};     ///< [1] >= 0; empty: `friction`, if given
  std::optional<float> restitution{};         ///< [1] 0..1
  std::optional<float> torsional_friction{};  ///< [m] >= 0
  std::optional<float> rolling_friction{};    ///< [m] >= 0
  std::optional<float> contact_hertz{};       ///< [Hz] > 0
};

/// Two bodies collide if each one's group is in the other's mask.
struct Filter {
  std::uint32_t group = 1;
  std::uint32_t mask = 0xffffffffu;
};

enum class Motion : std::uint8_t {
  fixed,      ///< never moves
  kinematic,  ///< moves with its given velocity, pushed by nothing
  dynamic,    ///< moves by forces and contacts
};

/// One body. The defaults are a dynamic ball of 1 m diameter and water's density at rest in the origin.
struct BodyDef {
  ShapeDef shape{};
  std::optional<Motion> motion{};           ///< empty: fixed for planes, else dynamic
  std::optional<float> mass{};              ///< [kg] > 0; empty: density times volume. Ignored unless dynamic
  float density = 1000.0f;                  ///< [kg/m^3] > 0
  std::optional<Vec3> inertia{};            ///< [kg m^2] principal moments about body axes; empty: those of the shape
  Vec3 position{0.0f, 0.0f, 0.0f};          ///< [m]
  Quat orientation = kIdentity;             ///< body to world, |q| = 1 within 1e-3 (normalised on entry)
  Vec3 linear_velocity{0.0f, 0.0f, 0.0f};   ///< [m/s] of the centre of mass, world frame
  Vec3 angular_velocity{0.0f, 0.0f, 0.0f};  ///< [rad/s] world frame
  Material material{};
  MaterialId material_id{};  ///< a material of the world, in place of `material`
  Filter filter{};
  float gravity_scale = 1.0f;    ///< [1]
  float linear_damping = 0.0f;   ///< [1/s] v' = v / (1 + h c), >= 0
  float angular_damping = 0.0f;  ///< [1/s] same for the angular velocity
  bool can_sleep = true;         ///< false: keeps its whole island awake
};

}  // namespace talus
