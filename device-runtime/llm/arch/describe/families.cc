// The families in arch/families, embedded in the program.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/nearest.h"
#include "device-runtime/llm/arch/describe/family.h"

namespace ferry::llm {
namespace {

struct FamilyText {
  std::string_view name, text;
};
// sizeof counts the zero that ends a literal.
#define FERRY_PAGE(name, bytes) {name, {bytes, sizeof(bytes) - 1}},
constexpr FamilyText kTexts[] = {
#include "device-runtime/llm/families.gen.inc"
};
#undef FERRY_PAGE

constexpr std::string_view kEnding = ".family";

std::vector<Family> ParseAll() {
  std::vector<Family> all;
  for (const FamilyText& one : kTexts) {
    // "/llama.family"
    std::string_view name = one.name.substr(1);
    CHECK(name.ends_with(kEnding)) << name;
    name.remove_suffix(kEnding.size());
    auto family = Family::Parse(std::string(name), one.text);
    CHECK(family.ok()) << family.status().ToString();
    all.push_back(std::move(*family));
  }
  std::sort(all.begin(), all.end(),
            [](const Family& a, const Family& b) { return a.name() < b.name(); });
  return all;
}

}  // namespace

Result<std::string_view> FamilyTextOf(std::string_view name) {
  for (const FamilyText& one : kTexts) {
    if (one.name == fmt::format("/{}{}", name, kEnding)) return one.text;
  }
  return Status::Of(Code::kUnsupported, "there is no family \"{:.64}\"", name);
}

std::span<const Family> Families() {
  static const auto* const families = new std::vector<Family>(ParseAll());
  return *families;
}

Result<const Family*> FindFamily(std::string_view model_type) {
  std::vector<std::string> types;
  for (const Family& family : Families()) {
    if (family.name() == model_type) return &family;
    for (const std::string& type : family.types()) {
      if (type == model_type) return &family;
      types.push_back(type);
    }
  }
  return Status::Of(Code::kUnsupported,
                    "model_type \"{:.64}\" is not supported; the nearest is \"{}\"; supported: {}",
                    model_type, NearestName(model_type, types), fmt::join(types, ", "));
}

}  // namespace ferry::llm
