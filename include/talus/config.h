// SPDX-License-Identifier: MIT
// Compiler configuration: what differs between a host compiler and nvcc is named here and nowhere else.
#pragma once
#include <cassert>

#define TALUS_VERSION_MAJOR 0
#define TALUS_VERSION_MINOR 1
#define TALUS_VERSION_PATCH 0

#if defined(__CUDACC__)
#define TALUS_HD __host__ __device__  ///< compiled for host and device
#define TALUS_CUDA_COMPILER 1         ///< this file is compiled by nvcc: it may launch kernels
#else
#define TALUS_HD
#define TALUS_CUDA_COMPILER 0
#endif

/// Stops a debug build, on host and device, where one of our own invariants is broken. Never for user errors.
#define TALUS_ASSERT(condition) assert(condition)

/// Small functions of the inner loops: inlined at every level of optimisation that inlines at all. The address
/// sanitizer takes seven minutes to compile the step that way, and one without.
#if defined(__CUDACC__)
#define TALUS_INLINE __host__ __device__ __forceinline__
#elif defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define TALUS_INLINE inline __attribute__((always_inline))
#else
#define TALUS_INLINE inline
#endif

/// What an inner loop seldom needs: kept out of it, where its registers would be paid for every time.
#if defined(__CUDACC__)
#define TALUS_SELDOM __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define TALUS_SELDOM __attribute__((noinline))
#else
#define TALUS_SELDOM
#endif

/// Before a short loop whose counter chooses components: as many copies of its body.
#if defined(__CUDACC__)
#define TALUS_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__)
#define TALUS_UNROLL _Pragma("GCC unroll 4")
#else
#define TALUS_UNROLL
#endif

/// 1 while the compiler makes code for a GPU; chooses how memory is reached (atomics, records, what is kept in
/// registers), never what is computed.
#if defined(__CUDA_ARCH__)
#define TALUS_ON_DEVICE 1
#else
#define TALUS_ON_DEVICE 0
#endif

/// Kernels are compiled once for each instruction set of the CPU, into one program. An inline namespace with the set's
/// name keeps the copies apart: the linker would otherwise take any one of them for all.
#if !defined(TALUS_ISA)
#define TALUS_ISA portable
#endif
