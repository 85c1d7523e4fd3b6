#include <algorithm>
#include <iterator>

#include "device-runtime/vm/regex/program.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm::regex {
namespace {

bool HasCategory(uint32_t categories, bool unicode, uint32_t c) {
  const auto has = [&](Category category) {
    return (categories & static_cast<uint32_t>(category)) != 0;
  };
  const bool ascii = c < 128;
  if (has(Category::kDigit) || has(Category::kNotDigit)) {
    const bool digit = ascii ? c >= '0' && c <= '9' : unicode && IsDecimal(c);
    if (has(digit ? Category::kDigit : Category::kNotDigit)) return true;
  }
  if (has(Category::kSpace) || has(Category::kNotSpace)) {
    const bool space = unicode ? IsSpace(c) : c == ' ' || (c >= 9 && c <= 13);
    if (has(space ? Category::kSpace : Category::kNotSpace)) return true;
  }
  if (has(Category::kWord) || has(Category::kNotWord)) {
    if (has(IsWord(c, unicode) ? Category::kWord : Category::kNotWord)) return true;
  }
  return false;
}

bool InRanges(const uint32_t* set, uint32_t c) {
  const uint32_t count = set[kSetRanges];
  const uint32_t* ranges = set + kSetFirst;
  uint32_t low = 0, high = count;
  while (low < high) {  // sorted and apart
    const uint32_t middle = (low + high) / 2;
    if (ranges[2 * middle + 1] < c) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && ranges[2 * low] <= c;
}

// Characters with the same FoldKey beside the key itself and its capital.
constexpr struct {
  uint32_t key, other;
} kOthers[] = {{0x69, 0x130},   {0x69, 0x131},    {0x6B, 0x212A},   {0x73, 0x17F},
               {0xDF, 0x1E9E},  {0xE5, 0x212B},   {0x1C6, 0x1C5},   {0x1C9, 0x1C8},
               {0x1CC, 0x1CB},  {0x1F3, 0x1F2},   {0x390, 0x1FD3},  {0x3B0, 0x1FE3},
               {0x3B2, 0x3D0},  {0x3B5, 0x3F5},   {0x3B8, 0x3D1},   {0x3B8, 0x3F4},
               {0x3B9, 0x345},  {0x3B9, 0x1FBE},  {0x3BA, 0x3F0},   {0x3BC, 0xB5},
               {0x3C0, 0x3D6},  {0x3C1, 0x3F1},   {0x3C3, 0x3C2},   {0x3C6, 0x3D5},
               {0x3C9, 0x2126}, {0x432, 0x1C80},  {0x434, 0x1C81},  {0x43E, 0x1C82},
               {0x441, 0x1C83}, {0x442, 0x1C84},  {0x442, 0x1C85},  {0x44A, 0x1C86},
               {0x463, 0x1C87}, {0x1E61, 0x1E9B}, {0xA64B, 0x1C88}, {0xFB05, 0xFB06}};

bool Has(const uint32_t* set, uint32_t c) {
  return InRanges(set, c) ||
         (set[kSetCategories] != 0 &&
          HasCategory(set[kSetCategories], (set[kSetFlags] & kUnicode) != 0, c));
}

// Any of the characters that differ from `c` in case only.
bool HasFolded(const uint32_t* set, uint32_t c) {
  const bool unicode = (set[kSetFlags] & kUnicode) != 0;
  const uint32_t key = FoldKey(c, unicode);
  if (!unicode && key >= 128) return false;
  if (Has(set, key) || Has(set, SimpleUpper(key))) return true;
  if (!unicode) return false;
  const auto* at = std::lower_bound(std::begin(kOthers), std::end(kOthers), key,
                                    [](const auto& row, uint32_t k) { return row.key < k; });
  for (; at != std::end(kOthers) && at->key == key; ++at)
    if (Has(set, at->other)) return true;
  return false;
}

bool Slow(const uint32_t* set, uint32_t c) {
  const bool has = Has(set, c) || ((set[kSetFlags] & kIgnoreCase) != 0 && HasFolded(set, c));
  return has != (set[kSetNegated] != 0);
}

}  // namespace

uint32_t FoldKey(uint32_t c, bool unicode) {
  if (c < 128) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if (!unicode) return c;
  if (c == 0x1FD3) return 0x390;
  if (c == 0x1FE3) return 0x3B0;
  if (c == 0xFB06) return 0xFB05;
  return SimpleLower(SimpleUpper(SimpleLower(c)));
}

bool IsWord(uint32_t c, bool unicode) {
  if (c < 128) return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
  return unicode && (IsAlpha(c) || IsNumeric(c) || IsDigit(c));
}

bool SetHas(const uint32_t* set, uint32_t c) {
  if (c < 256) return (set[kSetBits + c / 32] >> (c % 32) & 1) != 0;
  return Slow(set, c);
}

// Appends the set and gives its place.
uint32_t EmitSet(const CharSet& set, uint32_t flags, bool bytes, std::vector<uint32_t>* program) {
  auto ranges = set.ranges;
  const bool unicode = !bytes && (flags & kAscii) == 0;
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::pair<uint32_t, uint32_t>> merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  const auto place = static_cast<uint32_t>(program->size());
  program->insert(program->end(),
                  {set.negated, set.categories, (flags & kIgnoreCase) | (unicode ? kUnicode : 0u),
                   static_cast<uint32_t>(merged.size())});
  program->resize(place + kSetFirst);
  for (const auto& [first, last] : merged) program->insert(program->end(), {first, last});
  uint32_t* out = program->data() + place;
  for (uint32_t c = 0; c < 256; ++c)
    if (Slow(out, c)) out[kSetBits + c / 32] |= 1u << (c % 32);
  return place;
}

}  // namespace ferry::vm::regex
