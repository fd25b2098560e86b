# SPDX-License-Identifier: MIT
# The golden hashes again with every instruction set that is built and that this machine has, and without optimisation.
include(CheckCXXSourceRuns)
set(isa_test_avx2 "__builtin_cpu_supports(\"avx2\")")
set(isa_test_avx512 "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") && \
__builtin_cpu_supports(\"avx512bw\") && __builtin_cpu_supports(\"avx512vl\")")

# Tests after the name of the set are left out.
function(talus_golden_test name target isa)
  list(TRANSFORM ARGN PREPEND ":*" OUTPUT_VARIABLE left_out)
  list(JOIN left_out "" left_out)
  set(condition 1)
  if(isa_test_${isa})
    set(condition "${isa_test_${isa}}")
  endif()
  check_cxx_source_runs("int main() { return (${condition}) ? 0 : 1; }" TALUS_CAN_RUN_${isa})
  if(TALUS_CAN_RUN_${isa})
    add_test(NAME ${name} COMMAND ${target} --gtest_filter=-${cuda_filter}${left_out})
    set_tests_properties(${name} PROPERTIES LABELS golden ENVIRONMENT TALUS_SIMD=${isa} TIMEOUT 1200
      FAIL_REGULAR_EXPRESSION "${nothing_selected}")
  endif()
endfunction()

foreach(isa IN LISTS TALUS_ISA_LIST)
  talus_golden_test(golden.${isa} test_golden ${isa})
endforeach()

# Library, scenes and test anew with -O0 and asserts; the widest set that is sure to run, and no packs at all.
if(avx2 IN_LIST talus_isas)
  set(o0_isas scalar avx2)
else()
  set(o0_isas scalar baseline)
endif()
set(o0_options -O0 -UNDEBUG)
talus_add_library(talus_o0 STATIC ISAS ${o0_isas} CUDA OFF OPTIONS ${o0_options})
file(GLOB golden_sources CONFIGURE_DEPENDS golden/*.cpp)
file(GLOB scene_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/samples/scenes/*.cpp)
add_executable(test_golden_o0 ${golden_sources} ${scene_sources} ${support})
talus_test_options(test_golden_o0)
target_compile_options(test_golden_o0 PRIVATE ${o0_options})
target_include_directories(test_golden_o0 PRIVATE ${PROJECT_SOURCE_DIR}/samples)
find_package(PNG REQUIRED)
target_link_libraries(test_golden_o0 PRIVATE talus_o0 TBB::tbb PNG::PNG)
foreach(isa IN LISTS o0_isas)  # without what takes a minute each; all have a smaller sister
  talus_golden_test(golden.o0.${isa} test_golden_o0 ${isa} mixed_pile_500 ragdolls_12 bridge_20_10 tumbler_150)
endforeach()

# Only on purpose: writes the hashes of the current code into the source tree.
add_custom_target(update_golden COMMAND test_golden --update ${CMAKE_CURRENT_SOURCE_DIR}/golden/hashes.h)
