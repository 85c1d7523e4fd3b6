// What nodes took when somebody measured them: a profile is what `ferry bench MODEL --explain
// --json` prints, and a package may carry one beside a model: net.profile.json for net.fm.
#pragma once

#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::model_graph {

inline constexpr std::string_view kProfileSuffix = ".profile.json";
inline constexpr size_t kMaxProfileBytes = 8 << 20;

// The name of the profile of a model's file.
std::string ProfileNameOf(std::string_view model);

// Adds to `graph` (of GraphToJson) what each node took, by its name: "reported_us" of nodes, and
// "reported":{"us", "of": nodes, "elsewhere_us": of steps that no node has the name of}. kMalformed
// when it is no profile.
Status AddProfile(ByteView profile, Json& graph);

}  // namespace ferry::model_graph
