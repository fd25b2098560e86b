// SPDX-License-Identifier: MIT
// The verbs of a step. Stages (src/host/stages) are sequences of these and run on any executor that has them; there are
// two, CpuExec (exec_cpu.h) and CudaExec (src/device/exec_cuda.cuh), plus the tests' ShuffleExec.
//
//   exec.begin_stage(Stage stage)
//       Names what follows, for timing and for profilers.
//   exec.for_each(name, Count n, kernel)
//       kernel(i) for i in [0, n), in any order, concurrently. A kernel writes its own element or what it owns.
//   exec.for_each_lane(name, LaneRange range, kernel)
//       kernel.template solve<Real>(lane) over the lanes of whole blocks, range.begin..range.end: Real is float (one
//       lane a call) or a pack (that many lanes a call, lane a multiple of it). Packs of padding may be left out.
//   exec.together(name, task)
//       task(team), a sequence of loops without a launch for each: team has for_each and for_each_lane, and a loop sees
//       all that the loops before it wrote. Every thread of a GPU goes through the task, so it reads no memory but
//       through its loops. A loop without elements costs nothing, not even a barrier; what it counted must therefore
//       not be written by the next loop. A team also has
//   team.for_each_batch(name, Count n, kernel)
//       kernel.template run<Real>(batch): all of it by one warp, or by one thread; see for_lanes_of in lanes.h.
//   team.repeat(const Index* turns, body)
//       body(turn) for turn = 0, 1, ... while it is less than *turns, which is in the backend's memory and may only
//       grow meanwhile: all members come to the same end if turn t makes it at most t + 2.
//   exec.exclusive_scan(name, Column<Index> values, Count n)
//       In place: values[i] becomes the sum of all before it.
//   exec.sort_by_key(name, SortColumns columns, Count n, int bits)
//       Stable, ascending by the low `bits` bits of the key. The result is in keys and values.
//   exec.make_rows(name, const JointKind& kind, const JointRowTable& table)
//       Rows of joints, by a functor of the caller's (talus/custom_joint.h).
//
// Counts are read in the backend's memory when the verb runs there; the host does not wait for them.
#pragma once
#include <cstdint>

#include <talus/column.h>
#include <talus/status.h>

namespace talus {

/// How many elements a verb works on.
struct Count {
  const Index* live = nullptr;  // in the backend's memory, at most `capacity`; null: exactly `capacity`
  Index capacity = 0;
};

/// Lanes of one color: whole blocks. begin and end are in the backend's memory, multiples of kLanes.
struct LaneRange {
  const Index* begin = nullptr;
  const Index* end = nullptr;
  Index capacity = 0;           // upper bound of end - begin
  const Index* live = nullptr;  // in the backend's memory: lanes from `begin` on that are not padding; null: all. An
                                // executor may leave out packs that are padding and nothing else
};

/// Keys, values and room of the same size for the sort to work in.
struct SortColumns {
  Column<std::uint32_t> keys;
  Column<std::uint32_t> values;
  Column<std::uint32_t> spare_keys;
  Column<std::uint32_t> spare_values;
};

}  // namespace talus
