# SPDX-License-Identifier: MIT
# Run by CTest: installs BUILD below WORK, then configures, builds and runs the consumer with it; then configures the
# consumer with talus' sources inside, with a build type and without one. Stops at the first command that fails.
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed with ${result}:\n${output}")
  endif()
  message(STATUS "${output}")
  set(last_output "${output}" PARENT_SCOPE)
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

# Without a build type talus itself is optimised, and says so; the consumer's own program is left alone.
set(plain ${WORK}/no_build_type)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${consumer} -B ${plain} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=
  -DCMAKE_CXX_FLAGS= -DTALUS_SOURCE=${SOURCE} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
if(NOT last_output MATCHES "talus: no CMAKE_BUILD_TYPE; talus itself is built with the flags of Release")
  message(FATAL_ERROR "talus does not say that it is optimised without a build type:\n${last_output}")
endif()
file(READ ${plain}/compile_commands.json commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(optimised 0)
foreach(i RANGE ${last})
  string(JSON file GET "${commands}" ${i} file)
  string(JSON command GET "${commands}" ${i} command)
  if(file STREQUAL "${consumer}/main.cpp")
    if(command MATCHES " -O")
      message(FATAL_ERROR "talus changed how the consumer is compiled: ${command}")
    endif()
  elseif(NOT command MATCHES " -O3 -DNDEBUG")
    message(FATAL_ERROR "talus is not optimised: ${command}")
  else()
    math(EXPR optimised "${optimised} + 1")
  endif()
endforeach()
if(optimised LESS 20)
  message(FATAL_ERROR "only ${optimised} sources of talus were found")
endif()
