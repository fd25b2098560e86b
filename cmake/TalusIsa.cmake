# SPDX-License-Identifier: MIT
# Instruction sets of the CPU. src/host/cpu_step.cpp is compiled once for each, and the best one that the machine has is
# taken at run time (or the one that the environment variable TALUS_SIMD names). All give the same bits.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(talus_isas scalar baseline avx2 avx512)
else()
  set(talus_isas scalar baseline)
endif()
set(TALUS_ISA_LIST ${talus_isas} CACHE STRING "Instruction sets to build: any of ${talus_isas}")
set_property(CACHE TALUS_ISA_LIST PROPERTY STRINGS "${talus_isas}")

if(NOT TALUS_ISA_LIST)
  message(FATAL_ERROR "TALUS_ISA_LIST is empty; it takes at least one of: ${talus_isas}")
endif()
foreach(isa IN LISTS TALUS_ISA_LIST)
  if(NOT isa IN_LIST talus_isas)
    message(FATAL_ERROR "TALUS_ISA_LIST has '${isa}'; on ${CMAKE_SYSTEM_PROCESSOR} it takes: ${talus_isas}")
  endif()
endforeach()

set(talus_isa_flags_scalar -DTALUS_SCALAR=1)  # no packs: one lane at a time
set(talus_isa_flags_baseline)                 # what the compiler assumes: SSE2 on x86-64, NEON on arm64
set(talus_isa_flags_avx2 -mavx2)              # without -mfma: nothing is fused unless it is written so
set(talus_isa_flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # gcc 12 warns of its own avx512fintrin.h
  list(APPEND talus_isa_flags_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
