# Garments from elsewhere; skipped, visibly, where the optional data is absent.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME real_inputs COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/real_inputs.py
         $<TARGET_FILE:taffeta> ${TAFFETA_DATA}/data --frames 6)
set_tests_properties(real_inputs PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
