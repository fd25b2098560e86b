# SPDX-License-Identifier: MIT
# How talus' targets are made. Nothing here touches global flags, so a project may include talus as a subdirectory.
set(TALUS_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
cmake_path(NORMAL_PATH TALUS_ROOT)

# Without a build type compilers do not optimise, and a step takes seven times as long. A project that includes talus and
# names none, nor an -O flag, gets talus' own targets with the flags of Release; its own targets stay as they are.
set(talus_release_flags)
get_property(talus_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT talus_multi_config AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
  separate_arguments(talus_release_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_RELEASE}")
  message(STATUS "talus: no CMAKE_BUILD_TYPE; talus itself is built with the flags of Release: ${CMAKE_CXX_FLAGS_RELEASE}")
endif()

# Language, floating point and warnings. Equal bits on all backends rest on the floating point flags: no contraction to
# fused multiply-adds and no fast-math; errno and traps are not looked at, which frees the vectoriser and changes no bit.
# gcc 12 makes fused vfmsubadd of neighbouring operations in spite of -ffp-contract=off, in its vectoriser of straight
# code, which therefore stays off; loops are vectorised by another.
function(talus_set_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  set(host -ffp-contract=off -fno-math-errno -fno-trapping-math)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND host -fno-tree-slp-vectorize)
  endif()
  set(warnings -Wall -Wextra -Wdouble-promotion -Wshadow
    -Wno-unknown-pragmas              # nvcc's unroll
    -Wno-missing-field-initializers)  # designated initialisers name what they set, and leave the rest
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host};${warnings}>")
  if(TALUS_HAS_CUDA)
    set_target_properties(${target} PROPERTIES
      CUDA_ARCHITECTURES "${TALUS_CUDA_ARCHITECTURES}"
      CUDA_RUNTIME_LIBRARY Shared)
    list(TRANSFORM host PREPEND -Xcompiler=)
    # C++20 as a flag: CMake 3.25 knows no CUDA_STANDARD 20 for nvcc, and would take it from CXX_STANDARD.
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--fmad=false;--expt-relaxed-constexpr;-lineinfo;${host}>")
  endif()
  if(talus_release_flags)
    target_compile_options(${target} PRIVATE ${talus_release_flags})
  endif()
endfunction()

# Adds src/device to a library.
function(talus_add_cuda target)
  file(GLOB sources CONFIGURE_DEPENDS ${TALUS_ROOT}/src/device/*.cu)
  target_sources(${target} PRIVATE ${sources})
  target_link_libraries(${target} PRIVATE CUDA::cudart ${CMAKE_DL_LIBS})  # dl: NVTX loads the profiler with it
endfunction()

# talus_add_library(<name> [STATIC] ISAS <isa>... CUDA <ON|OFF> [OPTIONS <flag>...])
# The library from src/host, with cpu_step.cpp as one object library <name>_step_<isa> per instruction set.
function(talus_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "CUDA" "ISAS;OPTIONS")

  file(GLOB sources CONFIGURE_DEPENDS ${TALUS_ROOT}/src/host/*.cpp)
  list(REMOVE_ITEM sources ${TALUS_ROOT}/src/host/cpu_step.cpp)
  if(arg_CUDA)
    list(REMOVE_ITEM sources ${TALUS_ROOT}/src/host/backend_no_cuda.cpp)
  endif()
  if(arg_STATIC)
    add_library(${name} STATIC ${sources})
  else()
    add_library(${name} ${sources})  # static, unless BUILD_SHARED_LIBS is on
  endif()
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE TBB::tbb Threads::Threads)
  if(arg_CUDA)
    talus_add_cuda(${name})
  endif()

  set(parts ${name})
  foreach(isa IN LISTS arg_ISAS)
    set(step ${name}_step_${isa})
    add_library(${step} OBJECT ${TALUS_ROOT}/src/host/cpu_step.cpp)
    target_compile_definitions(${step} PRIVATE TALUS_ISA=${isa})
    target_compile_options(${step} PRIVATE ${talus_isa_flags_${isa}})
    target_link_libraries(${step} PRIVATE TBB::tbb)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${step}>)
    string(TOUPPER ${isa} ISA)
    target_compile_definitions(${name} PRIVATE TALUS_HAS_${ISA}=1)
    list(APPEND parts ${step})
  endforeach()

  get_target_property(type ${name} TYPE)
  foreach(part IN LISTS parts)
    talus_set_options(${part})
    target_compile_options(${part} PRIVATE ${arg_OPTIONS})
    target_include_directories(${part}
      PUBLIC $<BUILD_INTERFACE:${TALUS_ROOT}/include>
      PRIVATE ${TALUS_ROOT}/kernels ${TALUS_ROOT}/src/host ${TALUS_ROOT}/src)
    set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(NOT type STREQUAL "SHARED_LIBRARY")  # a shared library shows all its names: there is no export list
      set_target_properties(${part} PROPERTIES
        CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
  endforeach()
endfunction()
