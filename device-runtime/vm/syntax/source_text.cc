#include <algorithm>

#include "device-runtime/vm/syntax/token.h"

namespace ferry::vm {

namespace {

size_t Offset(std::string_view text, Position at) {
  size_t begin = 0;
  for (int line = 1; line < at.line; ++line) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return std::min(begin + static_cast<size_t>(at.column - 1), text.size());
}

}  // namespace

std::string SourceText::Slice(const Span& span) const {
  const size_t begin = Offset(text, span.at), end = Offset(text, span.end);
  return std::string(text.substr(begin, std::max(begin, end) - begin));
}

Status SourceText::NoMemory() const {
  return Status::Of(Code::kScriptMemory, "{}: compiling it takes more than the script's memory",
                    file);
}

Status SourceText::Error(const Span& span, std::string_view message) const {
  const Position at = span.at;
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
  const size_t end = span.end.line == at.line ? static_cast<size_t>(span.end.column - 1)
                                              : std::max(line.size(), indent + 1);
  const size_t carets =
      std::min(end, line.size()) > indent ? std::min(end, line.size()) - indent : 1;
  return Status::Of(Code::kScriptSyntax, "{}:{}:{}: {}\n    {}\n    {}{}", file, at.line, at.column,
                    message, line, std::string(indent, ' '), std::string(carets, '^'));
}

}  // namespace ferry::vm
