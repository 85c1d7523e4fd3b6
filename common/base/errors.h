// Error codes of Ferry. One table, errors.inc: name, stable number, HTTP status and text, used by
// the C API, the wire, the command line and the console.
#pragma once

#include <optional>
#include <string_view>

namespace ferry {

enum class Code : int {
  kOk = 0,
#define FERRY_ERROR(id, name, number, http, text) id = number,
#include "common/base/errors.inc"
#undef FERRY_ERROR
};

// What the table says of one code. The strings live for ever.
struct ErrorInfo {
  Code code;
  std::string_view name;  // on the wire and in --json, such as "disk_full"
  int http_status;
  std::string_view text;  // one sentence for people
};

// The row of `code`; the row of kInternal for a number that the table lacks. Any thread.
const ErrorInfo& InfoOf(Code code);

// The code with this stable number or wire name; nullopt when there is none (a newer peer sent it).
std::optional<Code> CodeFromNumber(int number);
std::optional<Code> CodeFromName(std::string_view name);

}  // namespace ferry
