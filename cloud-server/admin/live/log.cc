#include <algorithm>
#include <charconv>
#include <vector>

#include "cloud-server/admin/live/changes.h"
#include "cloud-server/admin/live/hub.h"

namespace ferry::server {

void LiveLog::Tell(const std::string& kind, const std::string& key, Json data, bool is_final,
                   std::string* fresh) {
  const auto [at, is_new] = told_.try_emplace(key);
  Told& told = at->second;
  Json news = is_new ? WholeOf(data) : DifferenceOf(told.data, data);
  if (!is_new && news.empty()) return;
  told = {kind, std::move(data), ++number_, is_final};
  *fresh += EventText(IdOf(number_), kind, news);
  if (is_final) ForgetFinal();
}

std::string LiveLog::Greeting(const std::string& last_id) const {
  uint64_t number = 0;
  if (last_id.empty()) return TextSince(0, false);
  if (Knows(last_id, &number)) return TextSince(number, true);
  return EventText(IdOf(0), "reset", Json::object()) + TextSince(0, false);
}

bool LiveLog::Knows(const std::string& id, uint64_t* number) const {
  const size_t dash = id.find('-');
  if (dash == std::string::npos || id.substr(0, dash) != boot_) return false;
  const char* end = id.data() + id.size();
  const auto [at, error] = std::from_chars(id.data() + dash + 1, end, *number);
  return error == std::errc() && at == end && *number >= floor_ && *number <= number_;
}

std::string LiveLog::TextSince(uint64_t number, bool with_final) const {
  std::vector<const Told*> rows;
  for (const auto& [key, told] : told_)
    if (told.number > number && (with_final || !told.is_final)) rows.push_back(&told);
  // In the order of their numbers: who is cut off between two goes on after the first.
  std::sort(rows.begin(), rows.end(),
            [](const Told* a, const Told* b) { return a->number < b->number; });
  std::string text;
  for (const Told* told : rows)
    text += EventText(IdOf(told->number), told->kind, WholeOf(told->data));
  return text;
}

std::string LiveLog::IdOf(uint64_t number) const {
  return fmt::format("{}-{}", boot_, number);
}

void LiveLog::ForgetFinal() {
  size_t count = 0;
  auto oldest = told_.end();
  for (auto at = told_.begin(); at != told_.end(); ++at) {
    if (!at->second.is_final) continue;
    ++count;
    if (oldest == told_.end() || at->second.number < oldest->second.number) oldest = at;
  }
  if (count <= kMaxLiveReleases) return;
  floor_ = std::max(floor_, oldest->second.number);
  told_.erase(oldest);
}

}  // namespace ferry::server
