# ferry_embed(FOLDER OUTPUT [NAME]): writes OUTPUT, rows of FERRY_PAGE("/path", bytes...) for each file below FOLDER, when
# one changes. Run as a script (cmake -DFOLDER= -DOUTPUT= -P embed.cmake) it does the writing; target ferry_embed_<NAME>,
# which is the room's folder unless told.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
  list(FILTER files EXCLUDE REGEX "__pycache__/")
  list(SORT files)
  set(text "")
  foreach(name IN LISTS files)
    file(READ ${FOLDER}/${name} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
    # Short pieces: gcc is quadratic in very long literals, and \x must not run into a following digit.
    string(REPEAT "(\\\\x[0-9a-f][0-9a-f])?" 8 piece)
    string(REGEX REPLACE "(\\\\x[0-9a-f][0-9a-f]${piece})" "\"\\1\"\n" hex "${hex}")
    string(APPEND text "FERRY_PAGE(\"/${name}\",\n${hex})\n")
  endforeach()
  file(WRITE ${OUTPUT} "${text}")
  return()
endif()

function(ferry_embed folder output)
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(ARGC GREATER 2)
    set(name ${ARGV2})
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/tools/cmake/embed.cmake)
  add_custom_target(ferry_embed_${name} DEPENDS ${output})
endfunction()
