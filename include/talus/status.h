// SPDX-License-Identifier: MIT
// What a step tells, and how things go wrong: bits for the scene, exceptions for arguments and environment.
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <talus/defs.h>
#include <talus/types.h>

namespace talus {

/// Thrown for a bad argument (the message names argument and value; the world is unchanged) and for a failing
/// environment (the message says what, how much and where).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bits of StepReport::status. None of them means that something was lost.
enum class StepStatus : std::uint32_t {
  ok = 0,
  pairs_grown = 1u << 0,     ///< the pair buffer was too small: enlarged, and the step redone from its start
  contacts_grown = 1u << 1,  ///< same for contacts; reserve with WorldDef::reserve_contacts to avoid the pause
  colors_full = 1u << 2,     ///< some contacts went to the overflow color: correct, slower to converge
  not_finite = 1u << 3,      ///< a body left the finite range and was frozen; StepReport::first_bad_body names it
  /// at the start of the step a body was inside another by more than half the thickness of the thinner of the two: what
  /// is that deep may leave on the wrong side
  deep_penetration = 1u << 4,
};
constexpr StepStatus operator|(StepStatus a, StepStatus b) {
  return StepStatus(std::uint32_t(a) | std::uint32_t(b));
}
constexpr bool has(StepStatus status, StepStatus bit) {
  return (std::uint32_t(status) & std::uint32_t(bit)) != 0;
}

/// The stages of a step, in the order of the step page (src/host/pipeline.h).
enum class Stage : std::uint8_t {
  apply_commands,
  update_bounds,
  find_pairs,
  collide_pairs,
  color_contacts,
  prepare_contacts,
  solve_contacts,
  finish_step,
  update_islands,
  report_events,
};
constexpr int kStageCount = 10;
/// The stage's name as it stands on the step page.
const char* stage_name(Stage stage);

/// How well the velocities satisfy the contact law (S1-84). Zero is a perfect answer.
struct Residual {
  float complementarity = 0.0f;  ///< [m/s] largest |min(normal impulse / effective mass, separation speed)| of a point
  float approach = 0.0f;         ///< [m/s] largest approach speed left at a touching point
  float friction = 0.0f;         ///< [m/s] largest distance of a friction impulse from its law, times the inverse of
                                 ///< its effective mass
};

/// What one step did.
struct StepReport {
  StepStatus status = StepStatus::ok;
  std::uint64_t step = 0;                     ///< number of this step, from 1
  Index body_count = 0;                       ///< bodies in the world
  Index pair_count = 0;                       ///< pairs of near bodies
  Index contact_count = 0;                    ///< manifolds, touching or about to touch within the step
  Index point_count = 0;                      ///< points of all manifolds
  Index recycled_count = 0;                   ///< manifolds kept from the last step without a new collision test
  Index color_count = 0;                      ///< colors used by the contact graph, without the overflow color
  Index overflow_count = 0;                   ///< manifolds in the overflow color
  Index joint_count = 0;                      ///< joints in the world, broken ones too
  Index broken_count = 0;                     ///< joints that broke in this step
  Index awake_count = 0;                      ///< bodies that do not sleep, fixed ones among them
  Index island_count = 0;                     ///< islands of awake bodies, as counted last: every eighth step
  BodyId first_bad_body;                      ///< with not_finite: the frozen body of the lowest slot
  Residual residual;                          ///< with SolverSettings::report_residual
  Index sweep_count = 0;                      ///< Solver::rigid: sweeps over contacts
  SweepEnd sweep_end = SweepEnd::sweeps;      ///< Solver::rigid: why there were no more
  std::array<float, kStageCount> stage_ms{};  ///< [ms] CPU backend: wall time of each stage; CUDA: zero

  /// True unless a body left the finite range.
  explicit operator bool() const { return !has(status, StepStatus::not_finite); }
  /// The status in words, e.g. for a log; never empty.
  std::string message() const;
};

}  // namespace talus
