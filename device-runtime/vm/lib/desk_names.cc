#include "device-runtime/vm/lib/desk_names.h"

#include <algorithm>
#include <iterator>

namespace ferry::vm {

bool IsDeskModule(std::string_view module) {
  static constexpr std::string_view kNames[] = {"_signatures", "atexit", "codecs", "graphlib",
                                                "inspect",     "pickle", "pprint", "queue",
                                                "reprlib",     "shlex",  "test",   "unittest"};
  return std::ranges::binary_search(kNames, module.substr(0, module.find('.')));
}

}  // namespace ferry::vm
