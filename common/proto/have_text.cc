#include "common/proto/have_text.h"

#include <algorithm>
#include <charconv>

namespace ferry::proto {
namespace {

bool IsHexLetter(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
}

bool IsHaveName(std::string_view name) {
  return name.size() == kHaveNameLetters && std::all_of(name.begin(), name.end(), IsHexLetter);
}

Status BadTake() {
  return Status(Code::kMalformed, "a text to take is take1.SECONDS.NAME, as the server answers");
}

}  // namespace

std::string_view HaveBodyOf(std::string_view text) {
  if (text.size() > kMaxHaveTextBytes || !text.starts_with(kHaveMark)) return {};
  text.remove_prefix(kHaveMark.size());
  const bool whole = text.size() > kHaveNameLetters && text.size() % 2 == 0 &&
                     std::all_of(text.begin(), text.end(), IsHexLetter);
  return whole ? text : std::string_view();
}

std::string_view HaveNameOf(std::string_view text) {
  return HaveBodyOf(text).substr(0, kHaveNameLetters);
}

std::string ToText(const TakeText& take) {
  return fmt::format("{}{}.{}", kTakeMark, take.within_s, take.name);
}

Result<TakeText> TakeFromText(std::string_view text) {
  if (text.size() > kMaxHaveTextBytes || !text.starts_with(kTakeMark)) return BadTake();
  text.remove_prefix(kTakeMark.size());
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return BadTake();
  TakeText take;
  take.name = text.substr(dot + 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + dot, take.within_s);
  const bool number = error == std::errc() && end == text.data() + dot;
  if (!number || take.within_s < 0 || take.within_s > kMaxTakeS || !IsHaveName(take.name))
    return BadTake();
  // One text for each meaning: no sign, no zero in front.
  if (std::to_string(take.within_s).size() != dot) return BadTake();
  return take;
}

}  // namespace ferry::proto
