#include "cloud-server/ingest/limits.h"

#include <algorithm>
#include <charconv>

namespace ferry::server {
namespace {

constexpr int64_t kMostLimit = int64_t{1} << 50;

const LimitInfo& LimitRow(Limit limit) {
  return AllLimits().at(static_cast<size_t>(limit));
}

// "64M"; nothing else may follow.
bool ReadNumber(std::string_view text, int64_t* number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *number);
  if (error != std::errc() || *number < 0 || *number > kMostLimit) return false;
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  if (unit.empty()) return true;
  const size_t power = std::string_view("kMG").find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return false;
  const int64_t scale = int64_t{1} << (10 * (power + 1));
  if (*number > kMostLimit / scale) return false;
  *number *= scale;
  return true;
}

Status CheckValue(const LimitInfo& info, std::string_view value, int64_t* number) {
  if (ReadNumber(value, number) && (*number == 0 || *number >= info.least)) return OkStatus();
  return Status::Of(Code::kInvalidArgument,
                    "limit {}: \"{}\" is not 0 (none) or a number from {} to {}", info.name, value,
                    info.least, kMostLimit);
}

}  // namespace

const std::vector<LimitInfo>& AllLimits() {
  static const std::vector<LimitInfo> all = {
#define FERRY_LIMIT(constant, name, standard, least, of_stream, text) \
  {Limit::constant, name, standard, least, of_stream, text},
#include "cloud-server/ingest/limits.inc"
#undef FERRY_LIMIT
  };
  return all;
}

int64_t Limits::Get(Limit limit, std::string_view stream) const {
  if (!stream.empty()) {
    const auto own = set_.find({limit, std::string(stream)});
    if (own != set_.end()) return own->second;
  }
  const auto found = set_.find({limit, ""});
  return found != set_.end() ? found->second : LimitRow(limit).standard;
}

void Limits::Set(Limit limit, int64_t value, const std::string& stream) {
  set_[{limit, stream}] = value;
}

Status Limits::SetText(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return Status::Of(Code::kInvalidArgument, "limit \"{}\": not NAME=VALUE", text);
  const std::string_view left = text.substr(0, equals);
  const size_t at = left.find('@');
  const std::string_view name = left.substr(0, at);
  const auto info = std::find_if(AllLimits().begin(), AllLimits().end(),
                                 [&](const LimitInfo& each) { return each.name == name; });
  if (info == AllLimits().end())
    return Status::Of(Code::kInvalidArgument, "there is no limit \"{}\"", name);
  const std::string stream(at == std::string_view::npos ? "" : left.substr(at + 1));
  if (at != std::string_view::npos && (!info->of_stream || stream.empty()))
    return Status::Of(Code::kInvalidArgument, "limit {}: it is not of one stream", name);
  int64_t value = 0;
  FERRY_TRY(CheckValue(*info, text.substr(equals + 1), &value));
  Set(info->limit, value, stream);
  return OkStatus();
}

}  // namespace ferry::server
