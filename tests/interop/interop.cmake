# The files that frame sinks write, opened by the programs they are for. A program that is not
# installed skips its test, visibly. Apart from Python, nothing here is needed to build.
#
#   ctest -L interop --output-on-failure
#
# OpenUSD is looked for in the Python that runs the test; to provide it:
#   python3 -m venv build/usd-venv && build/usd-venv/bin/pip install usd-core
add_executable(write_samples ${CMAKE_CURRENT_LIST_DIR}/write_samples.cpp)
target_link_libraries(write_samples PRIVATE taffeta::io taffeta_flags)

set(interop_samples ${CMAKE_CURRENT_BINARY_DIR}/interop_samples)
add_test(NAME interop.write_samples COMMAND write_samples ${interop_samples})
set_tests_properties(interop.write_samples PROPERTIES
  FIXTURES_SETUP interop_samples LABELS interop)

find_program(TAFFETA_BLENDER blender)
find_program(TAFFETA_PVPYTHON pvpython)
find_program(TAFFETA_USD_PYTHON python
  HINTS ${CMAKE_BINARY_DIR}/usd-venv/bin ${CMAKE_SOURCE_DIR}/build/usd-venv/bin NO_DEFAULT_PATH)
find_program(TAFFETA_PYTHON3 python3)

# One test a reader; `program` may be an empty or NOTFOUND variable.
function(taffeta_interop_test name program)
  if(program)
    set(command ${program} ${ARGN})
  else()
    set(command ${CMAKE_COMMAND} -E echo "SKIPPED: ${name} is not installed")
  endif()
  add_test(NAME interop.${name} COMMAND ${command})
  set_tests_properties(interop.${name} PROPERTIES
    FIXTURES_REQUIRED interop_samples LABELS interop TIMEOUT 300
    SKIP_RETURN_CODE 77 SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

set(interop_here ${CMAKE_CURRENT_LIST_DIR})
taffeta_interop_test(blender "${TAFFETA_BLENDER}" --background --factory-startup
  --python-exit-code 1 --python ${interop_here}/read_with_blender.py -- ${interop_samples})
taffeta_interop_test(paraview "${TAFFETA_PVPYTHON}"
  ${interop_here}/read_with_paraview.py ${interop_samples})
if(TAFFETA_USD_PYTHON)
  taffeta_interop_test(usd ${TAFFETA_USD_PYTHON} ${interop_here}/read_with_usd.py ${interop_samples})
else()
  taffeta_interop_test(usd "${TAFFETA_PYTHON3}" ${interop_here}/read_with_usd.py ${interop_samples})
endif()
