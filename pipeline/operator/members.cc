#include "pipeline/operator/members.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ferry::operators {
namespace {

constexpr size_t kMaxCompared = 64;  // longer words are near nothing

// How many letters must be put in, taken out or changed; a known word that starts with the other,
// or the other way round, is one away.
size_t LettersApart(std::string_view a, std::string_view b) {
  if (!a.empty() && (b.starts_with(a) || a.starts_with(b))) return 1;
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  size_t least = std::max<size_t>(word.size() / 3, 1) + 1;
  if (word.size() > kMaxCompared) return best;
  for (const std::string_view name : known) {
    const size_t apart = LettersApart(word, name);
    if (apart >= least) continue;
    least = apart;
    best = name;
  }
  return best;
}

Status CheckMembers(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view near = NearestName(key, {known.begin(), known.size()});
    if (near.empty()) return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
    return Status::Of(Code::kMalformed, "there is no member \"{}\"; \"{}\" is near", key, near);
  }
  return OkStatus();
}

}  // namespace ferry::operators
