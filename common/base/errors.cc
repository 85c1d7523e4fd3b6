#include "common/base/errors.h"

namespace ferry {
namespace {

constexpr ErrorInfo kTable[] = {
    {Code::kOk, "ok", 200, "no error"},
#define FERRY_ERROR(id, name, number, http, text) {Code::id, name, http, text},
#include "common/base/errors.inc"
#undef FERRY_ERROR
};

}  // namespace

const ErrorInfo& InfoOf(Code code) {
  const ErrorInfo* internal = &kTable[0];
  for (const ErrorInfo& info : kTable) {
    if (info.code == code) return info;
    if (info.code == Code::kInternal) internal = &info;
  }
  return *internal;
}

std::optional<Code> CodeFromNumber(int number) {
  for (const ErrorInfo& info : kTable) {
    if (static_cast<int>(info.code) == number) return info.code;
  }
  return std::nullopt;
}

std::optional<Code> CodeFromName(std::string_view name) {
  for (const ErrorInfo& info : kTable) {
    if (info.name == name) return info.code;
  }
  return std::nullopt;
}

}  // namespace ferry
