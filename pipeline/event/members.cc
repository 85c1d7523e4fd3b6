#include "pipeline/event/members.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/base/nearest.h"

namespace ferry::event {
Status CheckMembers(const Json& object, std::span<const std::string_view> known) {
  for (const auto& [name, value] : object.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Status::Of(Code::kMalformed, "there is no member \"{}\"; did you mean \"{}\"?",
                        name.substr(0, 64), NearestName(name, known));
  return OkStatus();
}

}  // namespace ferry::event
