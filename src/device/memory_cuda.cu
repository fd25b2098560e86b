// SPDX-License-Identifier: MIT
#include "memory_cuda.h"

#include <cstdint>
#include <cstdio>
#include <limits>

#include "handles.h"

namespace talus {
namespace {

std::string readable(std::size_t bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1000.0 && unit < 4; ++unit) value /= 1000.0;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

void check_bytes(cudaError_t code, const char* what, std::size_t bytes) {
  if (code != cudaSuccess) check(code, (what + (" of " + readable(bytes))).c_str());
}

}  // namespace

CudaMemory::CudaMemory(cudaStream_t stream) : stream_(stream) {
  check(cudaGetDevice(&device_), "cudaGetDevice");
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device_), "finding the device's memory pool");
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "setting up the memory pool");
}

void* CudaMemory::allocate(std::size_t bytes, const char* what) {
  const DeviceScope scope(device_);
  void* block = nullptr;
  const cudaError_t code = cudaMallocAsync(&block, bytes, stream_);
  if (code != cudaSuccess) check(code, ("allocating " + readable(bytes) + " for " + what).c_str());
  fill(block, 0, bytes);
  return block;
}

void CudaMemory::release(void* block, std::size_t) noexcept {
  (void)cudaFreeAsync(block, stream_);
}

void CudaMemory::upload(void* to, const void* from, std::size_t bytes) {
  // From pageable memory, which all sources are, the runtime returns when it has its own copy of the bytes.
  check_bytes(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "upload", bytes);
}

void CudaMemory::download(void* to, const void* from, std::size_t bytes) {
  check_bytes(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "download", bytes);
  check_bytes(cudaStreamSynchronize(stream_), "download", bytes);
}

void CudaMemory::copy(void* to, const void* from, std::size_t bytes) {
  check_bytes(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "copy", bytes);
}

void CudaMemory::fill(void* to, unsigned char byte, std::size_t bytes) {
  check_bytes(cudaMemsetAsync(to, byte, bytes, stream_), "fill", bytes);
}

}  // namespace talus
