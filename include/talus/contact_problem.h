// SPDX-License-Identifier: MIT
// The contact and joint problem of one step, in plain double precision: what solvers solve. See World::contact_problem.
#pragma once
#include <talus/types.h>

#include <array>
#include <limits>
#include <vector>

namespace talus {

/// Impulses x and velocities u such that
///   u = u* + M^-1 J^T x,   w = J u + bias + softness x,   lower <= x <= upper,
/// and each row's w is zero, or not negative where x is at its lower and not positive where x is at its upper bound.
/// Rows with a `normal` are friction: two that follow each other share the circle |x| <= friction * x[normal], and
/// their w points against x where x is on its rim (S1-70; S2, eq. 10-20). With `box_friction` each has the bounds
/// +- friction * x[normal] by itself.
struct ContactProblem {
  using Double3 = std::array<double, 3>;

  /// A body that moves; 6 velocities: those of the centre of mass, then the angular ones, world frame.
  struct Body {
    Index row = -1;                         ///< of the body in its world
    double inv_mass = 0.0;                  ///< [1/kg]
    std::array<double, 6> inv_inertia{};    ///< [1/(kg m^2)] xx xy xz yy yz zz, world frame
    std::array<double, 6> free_velocity{};  ///< [m/s, rad/s] u*: with all forces, without contacts and joints
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
  };

  double dt = 0.0;            ///< [s]
  bool box_friction = false;  ///< FrictionModel::box
  std::vector<Body> bodies;
  std::vector<Row> rows;  ///< of a contact point: normal, then two tangents
};

}  // namespace talus
