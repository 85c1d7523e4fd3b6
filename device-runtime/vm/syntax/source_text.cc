#include <algorithm>

#include "device-runtime/vm/syntax/token.h"

namespace ferry::vm {

Status SourceText::Error(Position at, std::string_view message) const {
  size_t begin = 0;
  for (int line = 1; line < at.line; ++line) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  std::string_view line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  constexpr size_t kMaxShown = 200;
  line = line.substr(0, kMaxShown);
  const size_t indent = std::min(static_cast<size_t>(at.column - 1), line.size());
  return Status::Of(Code::kScriptSyntax, "{}:{}:{}: {}\n    {}\n    {}^", file, at.line, at.column,
                    message, line, std::string(indent, ' '));
}

}  // namespace ferry::vm
