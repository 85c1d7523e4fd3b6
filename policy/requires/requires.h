// What a package needs of a device and of other packages: its signed "requires", whether a device
// fits, and the order in which packages that need each other are installed. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "policy/target/attributes.h"

namespace ferry::requires_ {

inline constexpr size_t kMaxNames = 16;            // of `os`, and of `isa`
inline constexpr size_t kMaxPackages = 32;         // that one package needs
inline constexpr size_t kMaxRequiresBytes = 4096;  // as JSON

// Empty members need nothing.
struct Requires {
  std::string runtime;           // range of versions; a plain version is the least one
  std::vector<std::string> os;   // one of these
  std::vector<std::string> isa;  // one of these
  std::string memory;            // "2 GiB": at least
  bool at_rest = false;          // "sealed": a key for what lies on the device's disk
  std::map<std::string, std::string> packages;  // name -> range (policy/target/range.h)
  std::string base;  // of an adapter: the one of `packages` that it adapts
  bool operator==(const Requires&) const = default;
};

// {"runtime":">=0.1 <2","os":["android"],"isa":["avx2","neon"],"memory":"2 GiB",
// "at_rest":"sealed","packages":{"chat-base":"^1.2"},"base":"chat-base"}; kMalformed names the
// member that is wrong or unknown, kLimitExceeded the one past a limit.
Result<Requires> RequiresFromJson(const Json& json);
// The same from its text; an empty text needs nothing.
Result<Requires> RequiresFromText(std::string_view text);

// Whether the runtime's version is what `runtime` asks for. kMalformed when either is none.
Result<bool> RuntimeFits(std::string_view runtime, std::string_view version);

struct Fit {
  bool fits = false;
  std::string why;  // "fits", or what is missing: `needs memory >= 2 GiB, memory is 1 GiB`
};

// `packages`: the versions, by name, of what the device has or shall have beside it. An attribute
// that the device did not send fits nothing that asks for it.
Fit CheckRequires(const Requires& needs, const target::Attributes& device,
                  const std::map<std::string, std::string>& packages);
// The packages alone, against the versions that are there. kFailedPrecondition says which is
// missing or of another version.
Status CheckPackages(const Requires& needs, const std::map<std::string, std::string>& packages);
// Whether a version that fits was published of each package that is needed. kInvalidArgument says
// which was not.
Status CheckPublished(const Requires& needs,
                      const std::map<std::string, std::vector<std::string>>& published);

// ---- order.cc
// The names of `packages` so that each comes after those that it needs, by name where that leaves a
// choice. What is needed and not among them counts as there. kInvalidArgument spells out a cycle:
// "a needs b needs a".
Result<std::vector<std::string>> DependencyOrder(const std::map<std::string, Requires>& packages);

}  // namespace ferry::requires_
