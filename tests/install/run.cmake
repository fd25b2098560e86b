# SPDX-License-Identifier: MIT
# Run by CTest: installs BUILD below WORK, then configures, builds and runs the consumer with it; then configures the
# consumer with talus' sources inside. Stops at the first command that fails.
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed with ${result}:\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${consumer} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=${CONFIG} "-DCMAKE_CXX_FLAGS=${FLAGS}")

run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/prefix)

# The program that README.md shows.
file(READ ${SOURCE}/README.md readme)
if(NOT readme MATCHES "```cpp\n([^`]+)```")
  message(FATAL_ERROR "README.md shows no program")
endif()
file(WRITE ${WORK}/readme.cpp "${CMAKE_MATCH_1}")

run(${configure} -B ${WORK}/installed -DCMAKE_PREFIX_PATH=${WORK}/prefix -DREADME_PROGRAM=${WORK}/readme.cpp)
run(${CMAKE_COMMAND} --build ${WORK}/installed --config ${CONFIG})
foreach(name consumer readme)
  find_program(program_${name} ${name} PATHS ${WORK}/installed ${WORK}/installed/${CONFIG} NO_DEFAULT_PATH REQUIRED)
  run(${program_${name}})
endforeach()

run(${configure} -B ${WORK}/subdirectory -DTALUS_SOURCE=${SOURCE})
