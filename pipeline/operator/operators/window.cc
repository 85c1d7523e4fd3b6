#include "pipeline/operator/window/window.h"

#include "pipeline/operator/operators/make.h"

namespace ferry::operators {
namespace {

struct WindowEntry {
  std::string_view kind;
  Result<std::unique_ptr<Operator>> (*make)(const Json&);
};
constexpr WindowEntry kWindowEntries[] = {
#define FERRY_WINDOW(Name, text) {text, Make##Name##Window},
#include "pipeline/operator/window/list.inc"
#undef FERRY_WINDOW
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeWindow(const Json& spec, const Surroundings&) {
  FERRY_ASSIGN_OR_RETURN(const std::string kind, GetStringOr(spec, "kind", "tumbling"));
  std::vector<std::string_view> known;
  for (const WindowEntry& entry : kWindowEntries) {
    if (entry.kind == kind) return entry.make(spec);
    known.push_back(entry.kind);
  }
  return Status::Of(Code::kUnsupported, "there is no kind \"{}\"; known are: {}", kind,
                    fmt::join(known, " "));
}

}  // namespace ferry::operators
