#include "tools/ferry/stream/run/event_line.h"

#include <charconv>

#include "common/base/json.h"

namespace ferry::cli {
namespace {

constexpr int kMaxPlainDepth = 16;
constexpr size_t kMaxPlainDigits = 18;  // of an integer: all of them fit 64 bits

// Reads JSON that has nothing unusual in it. False: the line is for the parser that knows all.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  bool Event(event::Event* out, bool* timed) {
    unsigned seen = 0;
    if (!Take('{')) return false;
    for (bool first = true; !Take('}'); first = false) {
      std::string_view name;
      if ((!first && !Take(',')) || !Text(&name) || !Take(':')) return false;
      const unsigned bit = name == "id" ? 1 : name == "page" ? 2 : name == "time_ms" ? 4 : 8;
      if ((bit == 8 && name != "data") || (seen & bit) != 0) return false;
      seen |= bit;
      if (bit == 8 ? !Value(&out->data, 0) : !Member(bit, out)) return false;
    }
    *timed = (seen & 4) != 0;
    Space();
    return (seen & 1) != 0 && at_ == end_ && event::CheckName("id", out->id).ok() &&
           (out->page.empty() || event::CheckName("page", out->page).ok()) && out->time_ms >= 0 &&
           out->time_ms <= event::kMaxTimeMs;
  }

 private:
  void Space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool Take(char c) {
    Space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool Word(std::string_view word) {
    if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool Text(std::string_view* out) {
    if (!Take('"')) return false;
    const char* from = at_;
    while (at_ < end_ && *at_ != '"') {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte < ' ' || byte == '\\' || byte >= 0x80) return false;
      ++at_;
    }
    if (at_ == end_) return false;
    *out = {from, static_cast<size_t>(at_ - from)};
    ++at_;
    return true;
  }

  // id, page or time_ms.
  bool Member(unsigned bit, event::Event* out) {
    if (bit == 4) {
      Json time;
      Space();
      if (!Number(&time) || !time.is_number_unsigned()) return false;
      out->time_ms = static_cast<int64_t>(time.get<uint64_t>());
      return true;
    }
    std::string_view text;
    if (!Text(&text)) return false;
    (bit == 1 ? out->id : out->page) = text;
    return true;
  }

  bool Number(Json* out) {
    const char* from = at_;
    const bool negative = at_ < end_ && *at_ == '-';
    if (negative) ++at_;
    const char* digits = at_;
    uint64_t whole = 0;
    for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_)
      whole = whole * 10 + static_cast<uint64_t>(*at_ - '0');
    const auto count = static_cast<size_t>(at_ - digits);
    if (count == 0 || count > kMaxPlainDigits || (*digits == '0' && count > 1)) return false;
    const bool real = at_ < end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E');
    if (real) return Real(from, out);
    if (!negative)
      *out = whole;
    else if (whole == 0)
      return false;
    else
      *out = -static_cast<int64_t>(whole);
    return true;
  }

  bool Real(const char* from, Json* out) {
    const auto skip_digits = [this] {
      const char* first = at_;
      while (at_ < end_ && *at_ >= '0' && *at_ <= '9') ++at_;
      return at_ > first;
    };
    if (*at_ == '.' && (++at_, !skip_digits())) return false;
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!skip_digits()) return false;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(from, at_, value);
    if (error != std::errc() || end != at_) return false;
    *out = value;
    return true;
  }

  bool Value(Json* out, int depth) {
    Space();
    if (at_ == end_ || depth > kMaxPlainDepth) return false;
    std::string_view text;
    switch (*at_) {
      case '"':
        if (!Text(&text)) return false;
        *out = std::string(text);
        return true;
      case '{':
        return Object(out, depth);
      case '[':
        return Array(out, depth);
      case 't':
        *out = true;
        return Word("true");
      case 'f':
        *out = false;
        return Word("false");
      case 'n':
        *out = nullptr;
        return Word("null");
      default:
        return Number(out);
    }
  }

  bool Object(Json* out, int depth) {
    ++at_;
    *out = Json::object();
    auto& members = out->get_ref<Json::object_t&>();
    for (bool first = true; !Take('}'); first = false) {
      std::string_view name;
      if ((!first && !Take(',')) || !Text(&name) || !Take(':')) return false;
      const auto [member, is_new] = members.try_emplace(std::string(name));
      if (!is_new || !Value(&member->second, depth + 1)) return false;
    }
    return true;
  }

  bool Array(Json* out, int depth) {
    ++at_;
    *out = Json::array();
    auto& items = out->get_ref<Json::array_t&>();
    for (bool first = true; !Take(']'); first = false) {
      if (!first && !Take(',')) return false;
      if (!Value(&items.emplace_back(), depth + 1)) return false;
    }
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

Status ParseEventLine(std::string_view line, event::Event* out, bool* timed) {
  if (line.size() <= event::kMaxEventBytes && PlainReader(line).Event(out, timed)) {
    out->bytes = line.size();
    return OkStatus();
  }
  *out = event::Event();
  if (line.size() > event::kMaxEventBytes)
    return Status::Of(Code::kLimitExceeded, "an event of more than {} bytes, the limit",
                      event::kMaxEventBytes);
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(line));
  const auto time = json.is_object() ? json.find("time_ms") : json.end();
  *timed = time != json.end() && !time->is_null();
  FERRY_ASSIGN_OR_RETURN(*out, event::EventFromJson(std::move(json)));
  out->bytes = line.size();
  return OkStatus();
}

}  // namespace ferry::cli
