// Values as Python's str(), repr() and json.dumps() write them.
#include <charconv>
#include <cmath>

#include "device-runtime/llm/template/values/value.h"

namespace ferry::llm::jinja {
namespace {

// repr(float): the shortest digits that read back, with ".0" or an exponent from 1e16 on.
std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer, end.ptr);
  if (!exponent && text.find('.') == std::string::npos) text += ".0";
  return text;
}

// repr(str): quotes are ' unless that needs an escape and " does not.
std::string Quoted(const std::string& text) {
  const char quote =
      text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string JsonQuoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<uint8_t>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

// Writes into one growing text, charging as it grows.
class Writer {
 public:
  Writer(Budget& budget, bool json, int indent)
      : budget_(budget), json_(json), indent_(json ? indent : -1) {}

  Status Write(const Value& value, int level) {
    FERRY_TRY(budget_.Step());
    if (value.list()) return WriteList(*value.list(), level);
    if (value.dict()) return WriteDict(*value.dict(), level);
    if (value.text()) return Put(json_ ? JsonQuoted(*value.text()) : Quoted(*value.text()));
    FERRY_ASSIGN_OR_RETURN(const std::string scalar, Scalar(value));
    return Put(scalar);
  }
  std::string Take() { return std::move(out_); }

 private:
  Result<std::string> Scalar(const Value& value) const {
    if (value.boolean()) {
      if (json_) return std::string(*value.boolean() ? "true" : "false");
      return std::string(*value.boolean() ? "True" : "False");
    }
    if (value.integer()) return std::to_string(*value.integer());
    if (value.real()) return FloatText(*value.real());
    if (value.none()) return std::string(json_ ? "null" : "None");
    if (value.undefined() && !json_) return std::string("Undefined");
    if (json_) {
      return Status::Of(Code::kInvalidArgument, "{} has no JSON form", value.KindName());
    }
    return fmt::format("<{}>", value.KindName());
  }
  Status Put(std::string_view text) {
    FERRY_TRY(budget_.Charge(text.size()));
    out_ += text;
    return OkStatus();
  }
  Status Break(int level) {
    if (indent_ < 0) return OkStatus();
    FERRY_TRY(budget_.Charge(static_cast<size_t>(indent_) * level + 1));
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * level, ' ');
    return OkStatus();
  }
  Status Between(bool first, int level) {
    if (!first) FERRY_TRY(Put(indent_ < 0 ? ", " : ","));
    return Break(level);
  }
  Status WriteList(const List& list, int level) {
    FERRY_TRY(Put("["));
    for (size_t i = 0; i < list.size(); ++i) {
      FERRY_TRY(Between(i == 0, level + 1));
      FERRY_TRY(Write(list[i], level + 1));
    }
    if (!list.empty()) FERRY_TRY(Break(level));
    return Put("]");
  }
  Status WriteDict(const Dict& dict, int level) {
    FERRY_TRY(Put("{"));
    for (size_t i = 0; i < dict.size(); ++i) {
      FERRY_TRY(Between(i == 0, level + 1));
      FERRY_TRY(WriteKey(dict[i].first));
      FERRY_TRY(Put(": "));
      FERRY_TRY(Write(dict[i].second, level + 1));
    }
    if (!dict.empty()) FERRY_TRY(Break(level));
    return Put("}");
  }
  Status WriteKey(const Value& key) {
    if (!json_ || key.text()) return Write(key, 0);
    FERRY_ASSIGN_OR_RETURN(const std::string scalar, Scalar(key));
    return Put('"' + scalar + '"');
  }

  Budget& budget_;
  const bool json_;
  const int indent_;
  std::string out_;
};

}  // namespace

Result<std::string> ToText(const Value& value, Budget& budget) {
  if (value.undefined()) return std::string();
  if (value.text()) {
    FERRY_TRY(budget.Charge(value.text()->size()));
    return *value.text();
  }
  Writer writer(budget, /*json=*/false, -1);
  FERRY_TRY(writer.Write(value, 0));
  return writer.Take();
}

Result<std::string> ToJsonText(const Value& value, int indent, Budget& budget) {
  Writer writer(budget, /*json=*/true, indent);
  FERRY_TRY(writer.Write(value, 0));
  return writer.Take();
}

}  // namespace ferry::llm::jinja
