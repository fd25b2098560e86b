// SPDX-License-Identifier: MIT
// Device memory in the order of a stream: what is released may be used again by what is allocated after it, without a
// wait. The device's default pool keeps what was released, so that growing twice asks the driver once.
#pragma once
#include <cuda_runtime_api.h>

#include "memory.h"

namespace talus {

class CudaMemory final : public Memory {
 public:
  /// For the current device. The stream must outlive all blocks.
  explicit CudaMemory(cudaStream_t stream);
  void* allocate(std::size_t bytes, const char* what) override;
  void release(void* block, std::size_t bytes) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(void* to, unsigned char byte, std::size_t bytes) override;

 private:
  int device_ = 0;
  cudaStream_t stream_;
};

}  // namespace talus
