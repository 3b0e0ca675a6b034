# cmake -DOUTPUT=x.cpp -DFOLDER=viewer -P embed.cmake: the viewer's pages as a C++ source, so that
# the command needs no file beside it.
file(GLOB pages "${FOLDER}/*.html" "${FOLDER}/*.css" "${FOLDER}/*.js")
list(SORT pages)
set(table "")
foreach(page IN LISTS pages)
  get_filename_component(name "${page}" NAME)
  file(READ "${page}" text)
  if(text MATCHES "\\)viewer\"")
    message(FATAL_ERROR "${page} contains the end mark of a raw string")
  endif()
  string(APPEND table "    {\"${name}\", R\"viewer(${text})viewer\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"viewer_content.h\"

namespace taffeta::app {

const std::vector<ViewerPage>& viewer_pages() {
    static const std::vector<ViewerPage> pages = {
${table}    };
    return pages;
}

}  // namespace taffeta::app
")
