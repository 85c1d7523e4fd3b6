#include "cloud-server/ingest/accuracy.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace ferry::server {
namespace {

constexpr int64_t kMsOfAccuracyDay = 86'400'000;

std::string TextOfDay(int64_t day) {
  const auto date = std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(day)));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

// Text that two equal answers share: 3, 3.0 and "3" are one. nullopt for null, arrays and objects.
std::optional<std::string> AnswerText(const Json& value) {
  if (value.is_string()) return *value.get_ptr<const std::string*>();
  if (value.is_number_float()) {
    const double number = *value.get_ptr<const double*>();
    if (std::isfinite(number) && number == std::floor(number) && std::abs(number) < 1e15) {
      return std::to_string(static_cast<int64_t>(number));
    }
  }
  if (value.is_number() || value.is_boolean()) return WriteJson(value);
  return std::nullopt;
}

std::optional<std::string> Member(const Json& row, const std::string& key) {
  const auto at = row.find(key);
  return at == row.end() ? std::nullopt : AnswerText(*at);
}

// Latencies of one device, or of all.
struct Samples {
  std::vector<double> values;
  void FillInto(AccuracyCount& count) {
    std::sort(values.begin(), values.end());
    count.latency_rows = static_cast<int64_t>(values.size());
    count.latency_p50 = NearestRank(50);
    count.latency_p99 = NearestRank(99);
  }
  double NearestRank(size_t percent) const {
    if (values.empty()) return 0;
    return values[(values.size() * percent + 99) / 100 - 1];
  }
};

class Counter {
 public:
  Counter(const AccuracyQuery& query, std::map<std::string, std::string> labels)
      : query_(query), labels_(std::move(labels)) {}

  void Add(const RecordRow& record) {
    const Result<Json> row = ParseJson(record.json);
    if (!row.ok() || !row->is_object()) return;
    const auto key = Member(*row, query_.key_field), value = Member(*row, query_.value_field);
    if (!key.has_value() || !value.has_value()) return;
    AccuracyCount& device = out_.devices[record.device];
    const auto label = labels_.find(*key);
    if (!seen_.emplace(*key, true).second) return;
    if (label == labels_.end()) {
      ++out_.unlabelled;
      return;
    }
    const bool right = label->second == *value;
    const int64_t day = record.time_ms / kMsOfAccuracyDay;
    for (AccuracyCount* count : {&out_.all, &device, &out_.days[day]}) {
      ++count->rows;
      count->right += right ? 1 : 0;
    }
    const Result<double> latency = GetNumber(*row, query_.latency_field);
    if (!latency.ok() || !std::isfinite(*latency)) return;
    samples_[""].values.push_back(*latency);
    samples_[record.device].values.push_back(*latency);
    of_days_[day].values.push_back(*latency);
  }

  Accuracy Finish() {
    out_.missing = static_cast<int64_t>(labels_.size()) - out_.all.rows;
    samples_[""].FillInto(out_.all);
    for (auto& [device, count] : out_.devices) samples_[device].FillInto(count);
    while (out_.days.size() > kMaxAccuracyDays) out_.days.erase(out_.days.begin());
    for (auto& [day, count] : out_.days) of_days_[day].FillInto(count);
    return std::move(out_);
  }

 private:
  const AccuracyQuery& query_;
  std::map<std::string, std::string> labels_;
  std::map<std::string, bool> seen_;
  std::map<std::string, Samples> samples_;  // by device, "" for all
  std::map<int64_t, Samples> of_days_;
  Accuracy out_;
};

Json CountToJson(const AccuracyCount& count) {
  Json json = {{"rows", count.rows}, {"right", count.right}, {"accuracy", nullptr}};
  if (count.rows > 0) {
    json["accuracy"] = static_cast<double>(count.right) / static_cast<double>(count.rows);
  }
  json["latency"] = {
      {"rows", count.latency_rows}, {"p50", count.latency_p50}, {"p99", count.latency_p99}};
  return json;
}

}  // namespace

Result<int64_t> PutLabels(Store& store, const std::string& set, const Json& labels) {
  if (!labels.is_object()) {
    return Status(Code::kInvalidArgument, "labels: not an object of key and label");
  }
  if (labels.size() > kMaxLabels) {
    return Status::Of(Code::kLimitExceeded, "labels: {}, at most {}", labels.size(), kMaxLabels);
  }
  FERRY_TRY(store.Write([&](Transaction& tx) -> Status {
    for (const auto& [key, value] : labels.items()) {
      const std::optional<std::string> text = AnswerText(value);
      if (!text.has_value()) {
        return Status::Of(Code::kInvalidArgument, "labels: \"{}\": not a text or a number", key);
      }
      FERRY_TRY(tx.records().PutLabel({set, key, *text}));
    }
    return OkStatus();
  }));
  return static_cast<int64_t>(labels.size());
}

Result<Accuracy> CountAccuracy(Store& store, const AccuracyQuery& query) {
  Accuracy out;
  FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<LabelRow> rows, tx.records().Labels(query.set));
    std::map<std::string, std::string> labels;
    for (const LabelRow& row : rows) labels.emplace(row.key, row.label);
    Counter counter(query, std::move(labels));
    int64_t after = 0;
    for (;;) {
      int64_t last = after;
      FERRY_ASSIGN_OR_RETURN(const std::vector<RecordRow> page,
                             tx.records().List(query.stream, "", after, kMaxPageRows, &last));
      for (const RecordRow& record : page) counter.Add(record);
      if (page.empty() || last <= after) break;
      after = last;
    }
    out = counter.Finish();
    return OkStatus();
  }));
  return out;
}

Json AccuracyToJson(const Accuracy& accuracy) {
  Json json = CountToJson(accuracy.all);
  json["missing"] = accuracy.missing;
  json["unlabelled"] = accuracy.unlabelled;
  json["devices"] = Json::object();
  for (const auto& [device, count] : accuracy.devices) {
    json["devices"][device] = CountToJson(count);
  }
  json["days"] = Json::object();
  for (const auto& [day, count] : accuracy.days) json["days"][TextOfDay(day)] = CountToJson(count);
  return json;
}

}  // namespace ferry::server
