# Pages whose code and commands are tested.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(TAFFETA_EXAMPLES)
  add_test(NAME docs.solver_library
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check_page.py
            ${CMAKE_SOURCE_DIR}/docs/solver_library.md ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(docs.solver_library PROPERTIES TIMEOUT 300)
  add_test(NAME docs.contact
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check_page.py
            ${CMAKE_SOURCE_DIR}/docs/contact.md ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(docs.contact PROPERTIES TIMEOUT 300)
endif()
# Its pictures are drawn by gnuplot.
find_program(GNUPLOT gnuplot)
if(GNUPLOT)
  add_test(NAME docs.integrators
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check_page.py
            ${CMAKE_SOURCE_DIR}/docs/integrators.md ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(docs.integrators PROPERTIES TIMEOUT 600)
endif()
