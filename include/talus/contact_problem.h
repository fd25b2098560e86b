// SPDX-License-Identifier: MIT
// The contact and joint problem of one step, in plain double precision: what solvers solve. See World::contact_problem.
#pragma once
#include <talus/joint.h>
#include <talus/types.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace talus {

/// Impulses x and velocities u such that
///   u = u* + M^-1 J^T x,   w = J u + bias + softness x,   lower <= x <= upper,
/// and each row's w is zero, or not negative where x is at its lower and not positive where x is at its upper bound
/// (S3-31, S3-37).
/// Rows with a `normal` are friction: two that follow each other share the circle |x| <= friction * x[normal], and
/// their w points against x where x is on its rim (S1-70; S2, eq. 10-20). With `box_friction` each has the bounds
/// +- friction * x[normal] by itself. With `friction_sides` the two are within the regular polygon of so many corners
/// in that circle, of which one is at x = (friction * x[normal], 0).
struct ContactProblem {
  using Double3 = std::array<double, 3>;

  /// What a row is of.
  enum class RowKind : std::uint8_t {
    contact,         ///< normal or friction of a contact point
    joint_lock,      ///< an axis that is held, both ways
    joint_drive,     ///< a spring, a servo or a motor, within what it has at most
    joint_friction,  ///< dry friction of an axis
    joint_limit,     ///< one way; both ways where the two limits are one, or the tree of the joint holds it
  };

  /// A body that moves; 6 velocities: those of the centre of mass, then the angular ones, world frame.
  struct Body {
    Index row = -1;                       ///< of the body in its world
    double inv_mass = 0.0;                ///< [1/kg]
    std::array<double, 6> inv_inertia{};  ///< [1/(kg m^2)] xx xy xz yy yz zz, world frame; as stiff as the step had it
    std::array<double, 6> free_velocity{};  ///< [m/s, rad/s] u*: with all forces, without contacts and joints
    std::array<double, 6> velocity{};       ///< [m/s, rad/s] u that the world found
  };
  /// w = linear_b . v_b + angular_b . w_b + linear_a . v_a + angular_a . w_a + bias + softness x; signs are in the
  /// vectors.
  struct Row {
    Index body_a = -1, body_b = -1;  ///< places in `bodies`, or -1: does not move
    Double3 linear_a{}, angular_a{}, linear_b{}, angular_b{};
    double bias =
        0.0;  ///< [m/s, rad/s] stabilisation, restitution, and the velocity of bodies that are not in `bodies`
    double lower = 0.0;  ///< [N s, N m s]; of friction rows unused
    double upper = std::numeric_limits<double>::infinity();
    Index normal = -1;      ///< row of the normal impulse that bounds this one, or -1: not friction
    double friction = 0.0;  ///< [1]
    double impulse = 0.0;   ///< [N s, N m s] what the world found
    double softness = 0.0;  ///< [1/kg, 1/(kg m^2)] >= 0: on the diagonal, beside J M^-1 J^T (CFM, S1-26)
    RowKind kind = RowKind::contact;
    Index joint = -1;     ///< row of the joint in its world, or -1: of a contact
    Axis axis = Axis::x;  ///< of the joint. Where a joint holds a point and nothing else x, y and z are the world's
  };

  double dt = 0.0;            ///< [s]
  bool box_friction = false;  ///< FrictionModel::box
  int friction_sides = 0;     ///< FrictionModel::polyhedral: SolverSettings::friction_sides; else 0
  std::vector<Body> bodies;
  /// Of contact points first: normal, then two tangents. Then of joints, in the order of their rows. Locked axes of a
  /// joint that is in no tree yield together, by a part of their matrix J M^-1 J^T; their rows are such that this is a
  /// diagonal: each is its axis less what those before it hold.
  std::vector<Row> rows;
};

}  // namespace talus
