#include "common/sys/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace ferry::sys {
namespace {

bool IsHidden(std::string_view name) {
  const char* const hidden = std::getenv("FERRY_WITHOUT_LIBRARIES");
  if (hidden == nullptr) return false;
  std::string_view rest = hidden;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return false;
}

}  // namespace

Result<SharedLibrary> SharedLibrary::Open(std::initializer_list<const char*> names,
                                          const char* package) {
  const char* const first = names.size() == 0 ? "" : *names.begin();
  std::string reason;
  for (const char* name : names) {
    if (IsHidden(name)) {
      reason = "left out by FERRY_WITHOUT_LIBRARIES";
      continue;
    }
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle, name);
    const char* const said = dlerror();
    if (reason.empty() && said != nullptr) reason = said;
  }
  return Status::Of(Code::kUnsupported, "the library {} is missing; install Debian's {} ({})",
                    first, package, reason);
}

Result<void*> SharedLibrary::Find(const char* name) const {
  if (void* address = dlsym(handle_, name)) return address;
  return Status::Of(Code::kUnsupported, "the library {} has no {}: it is another version", file_,
                    name);
}

}  // namespace ferry::sys
