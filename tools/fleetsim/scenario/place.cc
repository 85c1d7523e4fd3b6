#include "tools/fleetsim/scenario/place.h"

namespace ferry::fleetsim {
namespace {

// Walks over text that a parser has taken: it need not look for mistakes.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  size_t Find(const std::vector<std::string>& path, bool key) {
    SkipSpace();
    for (size_t depth = 0; depth < path.size(); ++depth) {
      const bool last = depth + 1 == path.size();
      const size_t here = at_;
      if (!Enter(path[depth], last && key)) return here;
    }
    return at_;
  }

 private:
  char Now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n,:").find(Now()) != std::string_view::npos)
      ++at_;
  }

  std::string_view Quoted() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && Now() != '"') at_ += Now() == '\\' ? 2 : 1;
    const std::string_view inside = text_.substr(begin, at_ - begin);
    ++at_;
    return inside;
  }

  void SkipValue() {
    if (Now() == '"') {
      Quoted();
      return;
    }
    if (Now() != '{' && Now() != '[') {
      while (at_ < text_.size() &&
             std::string_view(",]} \t\r\n").find(Now()) == std::string_view::npos)
        ++at_;
      return;
    }
    ++at_;
    for (SkipSpace(); at_ < text_.size() && Now() != '}' && Now() != ']'; SkipSpace()) SkipValue();
    ++at_;
  }

  // Stands at the value (or the name) of that member or element afterwards; false: there is none.
  bool Enter(const std::string& piece, bool stop_at_key) {
    const char open = Now();
    if (open != '{' && open != '[') return false;
    ++at_;
    size_t number = 0;
    for (SkipSpace(); at_ < text_.size() && Now() != '}' && Now() != ']'; SkipSpace(), ++number) {
      const size_t begin = at_;
      std::string name = std::to_string(number);
      if (open == '{') {
        name = std::string(Quoted());
        SkipSpace();
      }
      if (name == piece) {
        if (stop_at_key) at_ = begin;
        return true;
      }
      SkipValue();
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Place PlaceOf(std::string_view text, const std::vector<std::string>& path, bool key) {
  const size_t offset = Walker(text).Find(path, key);
  Place place;
  for (const char c : text.substr(0, offset)) {
    place.column = c == '\n' ? 1 : place.column + 1;
    place.line += c == '\n' ? 1 : 0;
  }
  return place;
}

}  // namespace ferry::fleetsim
