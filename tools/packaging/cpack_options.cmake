# What CPack's DEB generator is told. tools/packaging/CMakeLists.txt includes it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ferry)
# Nobody in person: a host that no mail reaches.
set(CPACK_PACKAGE_CONTACT "Ferry <ferry@ferry.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cpack_run.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES ON)
# Units and settings lie outside of the prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

# Libraries that are opened when a model needs them: dpkg-shlibdeps does not see them, tests/sdk/packages_test.py does.
set(opened "libjpeg62-turbo, libopenjp2-7, libpcre2-8-0, libpng16-16, libutf8proc2, libwebp7")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${FERRY_DEBS_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Runs machine-learning models and tasks inside apps
libferry_engine runs models on tensors. libferry has that and everything
else of Ferry's device runtime: packaged tasks, streams over events,
language models, and the agent that receives what a Ferry server releases.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "${opened}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/shlibs CONTENT
  "libferry 0 libferry0 (>= ${PROJECT_VERSION})\nlibferry_engine 0 libferry0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/debian/triggers ${CMAKE_CURRENT_BINARY_DIR}/shlibs)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${FERRY_DEBS_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Embeds Ferry's device runtime in C and C++ programs
The headers ferry.h and ferry.hpp, the static libraries, and what CMake
(find_package(Ferry)) and pkg-config need to find them and the shared ones.")

# What programs of the static library link beside it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libpcre2-dev, libprotobuf-dev, libsqlite3-dev, libssl-dev, libutf8proc-dev, libzstd-dev, zlib1g-dev")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ${FERRY_DEBS_tools})
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Command line of Ferry: models, tasks, publishers and releases
ferry makes, signs and publishes packages of models and tasks, releases them
to devices by a Ferry server, and shows what runs where. It also runs,
compares and quantizes models, and talks to language models. ferry-tuf is a
client of any TUF repository.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "${opened}, ca-certificates")

set(CPACK_DEBIAN_SERVER_PACKAGE_NAME ${FERRY_DEBS_server})
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION net)
set(CPACK_COMPONENT_SERVER_DESCRIPTION "Releases machine-learning models and tasks to devices
A server that devices listen to: releases by rules and in stages, with a
statistical gate that stops a bad one and rolls it back, a simulation before
the first device, a console, and what tasks send back. It runs as a service
in a sandbox, on loopback until /etc/ferry/server.conf says otherwise.")
# The program by which it simulates a release.
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "adduser, ${FERRY_DEBS_device} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_SERVER_PACKAGE_SUGGESTS "${FERRY_DEBS_tools}")

set(CPACK_DEBIAN_DEVICE_PACKAGE_NAME ${FERRY_DEBS_device})
set(CPACK_DEBIAN_DEVICE_PACKAGE_SECTION net)
set(CPACK_COMPONENT_DEVICE_DESCRIPTION "Runs what a Ferry server releases to this machine
A device of a fleet: receives, verifies and runs packages of models and
tasks, and goes on without the server when the network is gone. The service
starts once /etc/ferry/join-token holds a token of the server.")
set(CPACK_DEBIAN_DEVICE_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_DEVICE_PACKAGE_RECOMMENDS "${opened}")
