#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "pipeline/log/block/column.h"

namespace ferry::log {
namespace {

enum TextForm : uint8_t { kNamed = 0, kNumbered = 1, kLiteral = 2 };
constexpr size_t kMaxDigits = 18;

// The place from which only digits follow, at most kMaxDigits of them, without a leading zero;
// the text's size when there is none.
size_t DigitsFrom(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && text.size() - at < kMaxDigits && text[at - 1] >= '0' && text[at - 1] <= '9')
    --at;
  while (at + 1 < text.size() && text[at] == '0') ++at;
  return at;
}

// Whether all texts are the beginning of the first and a number.
bool AllNumbered(const std::vector<std::string>& values, std::string_view* beginning,
                 std::vector<int64_t>* numbers) {
  *beginning = std::string_view(values[0]).substr(0, DigitsFrom(values[0]));
  for (const std::string_view text : values) {
    const size_t at = beginning->size();
    if (text.size() <= at || text.size() - at > kMaxDigits || !text.starts_with(*beginning))
      return false;
    if (text[at] == '0' && text.size() > at + 1) return false;
    uint64_t number = 0;
    const auto end = text.data() + text.size();
    if (const auto got = std::from_chars(text.data() + at, end, number); got.ptr != end)
      return false;
    numbers->push_back(static_cast<int64_t>(number));
  }
  return true;
}

bool WorthNaming(const std::vector<std::string>& values, const BlockNames& names) {
  std::unordered_set<std::string_view> distinct;
  bool all_known = true;
  for (const std::string_view text : values) {
    distinct.insert(text);
    all_known = all_known && names.Knows(text);
  }
  return all_known || distinct.size() * 4 <= values.size() || distinct.size() == 1;
}

}  // namespace

void EncodeTexts(const std::vector<std::string>& values, BlockNames* names, ByteWriter* out) {
  std::vector<int64_t> numbers;
  if (values.empty() || WorthNaming(values, *names)) {
    out->U8(kNamed);
    for (const std::string& text : values) numbers.push_back(names->Ref(text));
    return EncodeInts(numbers, out);
  }
  std::string_view beginning;
  if (AllNumbered(values, &beginning, &numbers)) {
    out->U8(kNumbered);
    out->Varint(static_cast<uint64_t>(names->Ref(beginning)));
    return EncodeInts(numbers, out);
  }
  out->U8(kLiteral);
  numbers.clear();
  for (const std::string& text : values) numbers.push_back(static_cast<int64_t>(text.size()));
  EncodeInts(numbers, out);
  for (const std::string& text : values) out->Raw(text);
}

void DecodeTexts(size_t count, const std::vector<std::string_view>& names, size_t max_bytes,
                 ByteReader* in, DecodedTexts* out) {
  const uint8_t form = in->U8();
  if (form > kLiteral) in->Fail();
  const uint64_t beginning = form == kNumbered ? in->Varint() : 0;
  if (form == kNumbered && beginning >= names.size()) in->Fail();
  const std::vector<int64_t> numbers = DecodeInts(count, in);
  if (!in->ok()) return;
  if (form == kNumbered && (names[beginning].size() + kMaxDigits + 2) * count > max_bytes)
    return in->Fail();
  out->made.reserve(form == kNumbered ? count : 0);
  for (const int64_t number : numbers) {
    if (form == kNamed) {
      if (static_cast<uint64_t>(number) >= names.size()) return in->Fail();
      out->views.push_back(names[static_cast<size_t>(number)]);
    } else if (form == kNumbered) {
      out->made.push_back(std::string(names[beginning]) + std::to_string(number));
      out->views.push_back(out->made.back());
    } else {
      out->views.push_back(in->Raw(static_cast<uint64_t>(number)));
    }
  }
}

}  // namespace ferry::log
