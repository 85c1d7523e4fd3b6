#include "common/package/script_source.h"

namespace ferry::package {
namespace {

constexpr std::string_view kScriptMagic =
    "\x7f"
    "FBC";
constexpr size_t kAfterMagic = 5;  // version, instruction set
constexpr uint64_t kHasSource = 1;

// A LEB128 number at the front, taken off; false when there is none.
bool TakeNumber(std::string_view& rest, uint64_t& number) {
  number = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    number |= uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

}  // namespace

std::string_view SourceOfCompiled(ByteView file) {
  std::string_view rest = AsText(file);
  if (!rest.starts_with(kScriptMagic) || rest.size() < kScriptMagic.size() + kAfterMagic) return {};
  rest.remove_prefix(kScriptMagic.size() + kAfterMagic);
  uint64_t flags = 0, size = 0;
  if (!TakeNumber(rest, flags) || (flags & kHasSource) == 0) return {};
  if (!TakeNumber(rest, size) || size > rest.size()) return {};
  return rest.substr(0, static_cast<size_t>(size));
}

}  // namespace ferry::package
