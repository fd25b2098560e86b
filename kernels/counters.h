// SPDX-License-Identifier: MIT
// What a step counts. One struct in the backend's memory; the host reads a copy after the step. Loops run over these
// counts, never over a number that the host would have to wait for.
#pragma once
#include <cstdint>

#include <talus/types.h>

namespace talus {

constexpr int kPalette = 12;               // colors of the contact graph; what finds none goes to the overflow color
constexpr int kOverflowColor = kPalette;   // solved by mass-split Jacobi
constexpr int kColorCount = kPalette + 1;  // the overflow color is the last

constexpr int kMeetRounds = 2;                // of stop_fast_bodies: bodies meet, go on together, meet others
constexpr int kStopRounds = kMeetRounds + 4;  // and then: who stops may be in the way of others, and so on

constexpr Index kIslandPeriod = 8;  // steps from one search for islands to the next; bodies sleep that much later
constexpr Index kBlockRun = 8;      // blocks of bodies that one element of ListBlocks looks at

/// A buffer that may prove too small. `need` is what the step asked for.
enum class Growth : std::uint32_t { entries = 0, candidates = 1, pairs = 2, records = 3, contacts = 4 };
constexpr int kGrowthCount = 5;

struct Counters {
  // Loop bounds. All are zero in a step that must not happen: see kernels/growth.h.
  Index rows;             // body rows, with and without a body
  Index row_lanes;        // the same and the null body after them, rounded up to whole blocks: for kernels on packs
  Index row_ends;         // rows + 1, for lists with an end; 0 in a step that must not happen
  Index first_lane;       // always 0: where such loops begin
  Index search_rows;      // rows, row_lanes and row_ends of a step that looks for candidates anew; 0 if it keeps them
  Index search_lanes;     //
  Index search_row_ends;  //
  Index entries;          // (body, cell) entries of the broad phase
  Index pairs;            // near pairs, rows of the contact table
  Index pair_lanes;       // the same, rounded up to whole blocks, for kernels on packs
  Index record_units;     // of the contact cache, for all pairs
  Index contacts;         // pairs with at least one point
  Index open_contacts;    // those that have no color from the last step
  Index lanes;            // rows of the solver's table: contacts in color order, each color padded to whole blocks
  Index color_begin[kColorCount + 1];  // first lane of each color, multiples of kLanes; the last one equals `lanes`
  Index color_size[kColorCount];       // contacts of each color
  Index tree_lanes;                    // lanes of the trees of joints, then those of joints that close loops
  Index first_loop_lane;               // of the latter
  Index tree_blocks;                   // the same in blocks
  Index tree_batches;                  //
  Index joint_lanes;                   // lanes of colored joints
  Index joint_blocks;                  // the same in blocks
  Index joints;                        // rows of joints
  Index new_tree_lanes;                // the lanes and blocks again, in a step that finds their constants out of date
  Index new_joint_blocks;              //
  Index split_rows;                    // body rows if the overflow color has contacts, else 0
  Index heights;                       // with shock propagation: the largest stack height found, see ClimbHeights
  Index layers;                        // the same: layers of contacts, at least 1
  Index meeting_rows, meeting_pairs;   // rows and pairs, if a body may come to what others prevent, else 0
  Index deep_turns;                    // 1: some contact is deep, see kernels/deep.h; else 0
  Index load_turns, ground_turns;      // of PassLoads and PassGround in kernels/squeeze.h
  Index held_turns, motion_turns;      // of PassHeld and PassMotion
  Index squeezed;                      // 1: some body bears many times its mass; else 0
  Index bounce_turns;                  // bounce sweeps of this step: kBounceSweeps if something bounces, else 0
  Index bounce_rows, bounce_lanes, bounce_joints;  // row_ends, lanes and joints, if something bounces, else 0
  Index gain_rows, gain_pairs, gain_joints;        // row_ends, pairs and joints, if contacts gave a body energy, else 0

  Index joints_begun;  // 1: the lanes of joints have their constants

  // With sleep (kernels/sleep.h). Loop bounds, too.
  Index active_lanes;    // rows of the listed blocks: those with something awake, or near it
  Index resting_blocks;  // those in which nothing is awake
  Index block_runs;      // all blocks, in runs of kBlockRun
  Index search_blocks;   // all blocks in a step that looks for candidates anew, else 0
  Index island_lanes;    // active_lanes in a step that looks for islands, else 0
  Index island_pairs;    // pairs, the same
  Index island_joints;   // joints, the same
  Index stirred_joints;  // joints, if something sleeps
  Index wake_rows;       // body rows if something wakes, else 0
  Index disturbed;       // boxes around which things wake
  Index disturbed_rows;  // body rows if there are such boxes, else 0

  // Of stop_fast_bodies. Loop bounds, too.
  Index fast_bodies;                            // that may pass through the thinnest one of the world
  Index guard_rows, guard_pairs, guard_joints;  // rows, pairs and joints, if there are such bodies, else 0
  Index beyond;                                 // of those: went further than their pairs were found for
  Index beyond_rows, any_beyond;                // body rows and 1, if there are such bodies, else 0
  Index met;                                    // pairs that SeekMet found for those
  Index limited;                      // those that went too far, if there are too many to look for whom they met
  Index fast_pairs;                   // pairs that close by much
  Index in_company;                   // bodies that go along with others they met
  Index company_rows, any_company;    // body rows and 1, if there are such bodies, else 0
  Index company_met, with_company;    // pairs that SeekMet found for those; and how many of fast_pairs are such
  Index parted_rows;                  // body rows, if there are too many to look for whom they meet
  Index stop_pairs[kStopRounds + 1];  // the same, from the second round on, if the round before stopped anybody
  Index stop_rows[kStopRounds];       // body rows, if the round stopped anybody

  // With events (kernels/events.h).
  Index event_joints;    // rows of joints, if some may break
  Index event_elements;  // the same, pairs of this step and of the last one, and rows that may have fallen asleep
  Index event_ends;      // the same and one
  Index events;          // of the last step; not a loop bound
  Index cached_pairs;    // pairs of the step that wrote the last contact cache

  std::uint32_t any_wake;      // 1: some island is to be woken
  std::uint32_t wake_all;      // 1: all are
  std::uint32_t list_all;      // 1: all blocks are listed
  Index sleep_clock;           // steps, modulo kIslandPeriod
  Index fell_asleep, woke_up;  // bodies, in this step
  Index asleep;                // bodies that sleep
  Index movers;                // bodies that may move in this step; -1 where bodies do not sleep: not counted
  Index islands;               // of awake bodies, when they were counted last
  Index cached_rows;           // body rows of the step that wrote the last contact cache: later ones have no past

  // Candidates of the broad phase serve until a body leaves the box that they were found for.
  std::uint32_t left_bounds;  // 1: one did, in this step
  Index kept_rows;            // body rows when they were found; 0: there are none
  Index kept_candidates;

  // Growth. Sticky: once set, this step and all queued ones do nothing until the host has grown the buffer.
  std::uint32_t must_grow;   // bit for each Growth
  Index need[kGrowthCount];  // rows that would have been enough

  // Report.
  std::uint32_t merged;  // 1: some contact is deeper than half of the thinner body
  Index points;
  Index recycled;
  Index broken_joints;                     // in this step
  Index cut_bodies;                        // bodies whose way stop_fast_bodies cut
  Index first_bad_row;                     // lowest row that left the finite range, or INT32_MAX
  std::uint32_t residual_complementarity;  // bits of a float >= 0, so that integer max is float max
  std::uint32_t residual_approach;
  std::uint32_t residual_friction;
  Index sweeps;              // of the rigid solvers
  std::uint32_t sweeps_end;  // SweepEnd
};
static_assert(sizeof(Counters) <= 640, "the host reads a copy of it after each step");

}  // namespace talus
