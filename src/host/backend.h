// SPDX-License-Identifier: MIT
// The only virtual interface: where a world computes. A backend owns memory and an order of execution (threads of this
// machine, or a CUDA stream); what is computed is the step page (pipeline.h), on either one. Everything a backend is
// asked to do is done in the order of the calls; the host waits in wait(), in Memory::download() and nowhere else.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>

#include <talus/custom_joint.h>
#include <talus/defs.h>
#include <talus/status.h>

#include "memory.h"
#include "stages/apply_edits.h"
#include "step_views.h"

namespace talus {

/// Steps that may be queued before the host has to look at their counters.
constexpr int kMaxQueuedSteps = 64;

class StepBackend {
 public:
  virtual ~StepBackend() = default;

  virtual Backend kind() const = 0;
  virtual Memory& memory() = 0;

  /// Enqueues talus::apply_edits(exec, edits, views): stages/apply_edits.h. All columns are in the backend's memory.
  virtual void apply_edits(const EditViews& edits, const StepViews& views) = 0;

  /// Enqueues run_step(exec, views), and after it a copy of *views.counters to the host, for wait(). Does not wait. At
  /// most kMaxQueuedSteps calls between two calls of wait(). A captured step may serve again while all pointers, sizes
  /// and views.shape are equal; numbers that change from step to step are in *views.params.
  virtual void enqueue_step(const StepViews& views) = 0;

  /// Waits for all that was enqueued. Gives the counters as they stood after each step enqueued since the last call, in
  /// order; valid until the next call of a method. Throws Error if the work failed (a CUDA error, with its context).
  virtual std::span<const Counters> wait() = 0;

  /// [ms] Of the last step enqueued; valid after wait(). Zeros if the backend does not measure.
  virtual std::array<float, kStageCount> stage_ms() const = 0;

  // CUDA only; on the CPU stream() is null and the others throw Error.
  virtual void* stream() const = 0;
  virtual void record_event(void* cuda_event) = 0;
  virtual void wait_event(void* cuda_event) = 0;
};

/// Growth is undone by the host without a verb: it overwrites Counters::must_grow by Memory::upload, in order.

/// `threads` as in WorldDef. Throws Error for a bad TALUS_SIMD.
std::unique_ptr<StepBackend> make_cpu_backend(int threads);
/// The instruction set that make_cpu_backend() takes, and how many floats its packs hold. Throws as that does.
struct CpuSimd {
  const char* name;
  int lanes;
};
CpuSimd cpu_simd();

// src/device/backend_cuda.cu; without CUDA src/host/backend_no_cuda.cpp stands in.

/// Works on the caller's stream, or on an own one if `stream` is null. Throws Error if cuda_unavailable_reason() says
/// so.
std::unique_ptr<StepBackend> make_cuda_backend(void* stream);
/// The kind of gear_joint(), compiled by nvcc.
JointKind cuda_gear_kind();
/// Whether this build has the CUDA backend.
bool cuda_built();
/// Empty if a CUDA device can be used, else why not, e.g. "built without CUDA" or "no CUDA-capable device is detected".
std::string cuda_unavailable_reason();
/// Name of the device that make_cuda_backend() takes; empty if there is none.
std::string cuda_device_name();

}  // namespace talus
