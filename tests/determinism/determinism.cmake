# The same bits for any number of threads, and after kill and resume. 50 trials of the second are
# `tests/determinism/kill_and_resume.py build/release/bin/taffeta`; here is a short version.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME determinism.threads COMMAND Python3::Interpreter
         ${CMAKE_CURRENT_LIST_DIR}/threads.py $<TARGET_FILE:taffeta>)
add_test(NAME determinism.kill_and_resume COMMAND Python3::Interpreter
         ${CMAKE_CURRENT_LIST_DIR}/kill_and_resume.py $<TARGET_FILE:taffeta> --trials 5)
add_test(NAME determinism.kill_and_resume_in_contact COMMAND Python3::Interpreter
         ${CMAKE_CURRENT_LIST_DIR}/kill_and_resume.py $<TARGET_FILE:taffeta> --trials 2
         --scene sphere --frames 4)
add_test(NAME determinism.kill_and_resume_with_steps_that_adapt COMMAND Python3::Interpreter
         ${CMAKE_CURRENT_LIST_DIR}/kill_and_resume.py $<TARGET_FILE:taffeta> --trials 3
         --set integrator=bdf2 --set time.step=0 --set time.adaptive.absolute_position=1e-4
         --set time.adaptive.absolute_velocity=1e2)
# Nothing crosses, whatever the luck of the start; 20 runs of every scene are
# `tests/determinism/jitter.py build/release/bin/taffeta`.
add_test(NAME determinism.jitter COMMAND Python3::Interpreter
         ${CMAKE_CURRENT_LIST_DIR}/jitter.py $<TARGET_FILE:taffeta> drop-horizontal drop-vertical sphere pinch
         reef-knot --runs 2 --vertices 900 --frames 18)
set_tests_properties(determinism.jitter PROPERTIES TIMEOUT 900)
set_tests_properties(determinism.threads determinism.kill_and_resume
                     determinism.kill_and_resume_in_contact
                     determinism.kill_and_resume_with_steps_that_adapt PROPERTIES TIMEOUT 900)
