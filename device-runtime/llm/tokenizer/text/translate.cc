// From Oniguruma's dialect (Ruby syntax, UTF-8) to PCRE2's. Where both agree the text is kept;
// where they differ it is rewritten, or refused when there is no short equal.
#include "device-runtime/llm/tokenizer/text/expression.h"

namespace ferry::llm {
namespace {

// PCRE2's own \s has U+180E, its \w all numbers and (before 10.43) no marks.
constexpr std::string_view kSpaceMembers = R"(\t-\r\x{85}\p{Z})";
constexpr std::string_view kWordMembers = R"(\p{L}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kSameEscapes = "nrtfaeAzZGRX0";  // beside all punctuation

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> Run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        FERRY_TRY(Escape());
      } else if (in_class_) {
        FERRY_TRY(ClassMember(c));
      } else if (c == '[') {
        OpenClass();
      } else {
        FERRY_TRY(Outside(c));
      }
    }
    return std::move(out_);
  }

 private:
  Status Unsupported(std::string_view what) const {
    return Status::Of(Code::kUnsupported, "expression {:?}: {} at byte {}", pattern_, what, at_);
  }
  void Keep(size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }
  bool NextIs(size_t offset, std::string_view text) const {
    return pattern_.substr(std::min(at_ + offset, pattern_.size())).starts_with(text);
  }

  void OpenClass() {
    in_class_ = true;
    Keep(NextIs(1, "^") ? 2 : 1);
    // A "]" that comes first is a member in both dialects; write it so that no reader errs.
    if (NextIs(0, "]")) {
      out_ += "\\]";
      ++at_;
    }
  }

  Status ClassMember(char c) {
    if (c == '[') {
      const size_t close = pattern_.find(":]", at_);
      if (!NextIs(1, ":") || close == std::string_view::npos) {
        return Unsupported("a class in a class");
      }
      Keep(close + 2 - at_);
      return OkStatus();
    }
    if (NextIs(0, "&&")) return Unsupported("an intersection of classes");
    if (c == ']') in_class_ = false;
    Keep(1);
    return OkStatus();
  }

  // Anything but an escape and a class.
  Status Outside(char c) {
    if (NextIs(0, "(*")) return Unsupported("a verb");
    if (NextIs(0, "(?")) {
      for (const std::string_view known : {":", "=", "!", ">", "<=", "<!", "i:", "-i:"}) {
        if (!NextIs(2, known)) continue;
        Keep(2 + known.size());
        return OkStatus();
      }
      // Behind the start, an option reaches over alternatives differently in the two dialects.
      if (at_ != 0 || !NextIs(2, "i)")) return Unsupported("a group of this kind");
      Keep(4);
      return OkStatus();
    }
    if (c == '}' && (NextIs(1, "+") || NextIs(1, "?"))) {
      return Unsupported("an interval that is not greedy");
    }
    if (NextIs(0, "{,")) return Unsupported("an interval without its lower end");
    Keep(1);
    return OkStatus();
  }

  Status Escape() {
    if (at_ + 1 == pattern_.size()) return Unsupported("a lone backslash");
    const char c = pattern_[at_ + 1];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter) {
      Keep(2);
      // A character beyond ASCII after the backslash: the rest of it follows as plain text.
      return OkStatus();
    }
    switch (c) {
      case 's':
        return Members(kSpaceMembers, false);
      case 'S':
        return Members(kSpaceMembers, true);
      case 'w':
        return Members(kWordMembers, false);
      case 'W':
        return Members(kWordMembers, true);
      case 'd':
        return Members(R"(\p{Nd})", false);
      case 'D':
        return Members(R"(\p{Nd})", true);
      case 'p':
      case 'P':
        return Property();
      case 'v':  // PCRE2 means all vertical space
        out_ += "\\x0b";
        at_ += 2;
        return OkStatus();
      case 'u':
        return Unicode();
      case 'x':
        return Hexadecimal();
      default:
        break;
    }
    if (kSameEscapes.find(c) == std::string_view::npos) {
      return Unsupported(fmt::format("the escape \\{}", c));
    }
    Keep(2);
    return OkStatus();
  }

  // A set named by an escape: its members in a class, else a class of its own.
  Status Members(std::string_view members, bool negated) {
    if (in_class_ && negated) {
      // No class in a class: PCRE2's own set, which is near enough only for digits.
      if (members != R"(\p{Nd})") {
        FERRY_TRY(NegatedInClass(members));
      } else {
        out_ += R"(\P{Nd})";
      }
    } else if (in_class_) {
      out_ += members;
    } else {
      out_ += negated ? "[^" : "[";
      out_ += members;
      out_ += "]";
    }
    at_ += 2;
    return OkStatus();
  }

  // [..\S..]: PCRE2's \S lacks U+180E, which is added; [..\W..] has no short equal.
  Status NegatedInClass(std::string_view members) {
    if (members != kSpaceMembers) return Unsupported("\\W in a class");
    out_ += R"(\S\x{180e})";
    return OkStatus();
  }

  // \p{Name}, kept.
  Status Property() {
    const size_t close = pattern_.find('}', at_);
    if (!NextIs(2, "{") || close == std::string_view::npos) {
      return Unsupported("a property without its name in braces");
    }
    Keep(close + 1 - at_);
    return OkStatus();
  }

  Status Unicode() {
    const std::string_view digits = pattern_.substr(std::min(at_ + 2, pattern_.size()), 4);
    if (digits.size() != 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
      return Unsupported("\\u without four digits");
    }
    out_ += fmt::format("\\x{{{}}}", digits);
    at_ += 6;
    return OkStatus();
  }

  // \x{H..} is a character in both; \xHH is one byte in Oniguruma, a character up to U+007F.
  Status Hexadecimal() {
    if (NextIs(2, "{")) {
      Keep(3);
      return OkStatus();
    }
    if (!(at_ + 2 < pattern_.size() && pattern_[at_ + 2] >= '0' && pattern_[at_ + 2] <= '7')) {
      return Unsupported("\\x of a lone byte");
    }
    Keep(2);
    return OkStatus();
  }

  std::string_view pattern_;
  size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

Result<std::string> TranslateExpression(std::string_view pattern) {
  return Translator(pattern).Run();
}

}  // namespace ferry::llm
