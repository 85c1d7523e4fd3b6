// What arrived, joined with the operator's own labels. Devices never see labels.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cloud-server/store/store.h"
#include "common/base/json.h"

namespace ferry::server {

inline constexpr size_t kMaxLabels = 1'000'000;  // of one set
inline constexpr size_t kMaxAccuracyDays = 400;  // told, the latest; clocks of devices may be wrong

// Adds labels to a set, or replaces them. Numbers and booleans are kept as their JSON text, so that
// "3" and 3 are one label. kInvalidArgument names the key. Returns how many were given.
Result<int64_t> PutLabels(Store& store, const std::string& set, const Json& labels);

struct AccuracyQuery {
  std::string set;                           // of labels
  std::string stream;                        // "digits.records"
  std::string key_field = "image";           // the member of a row that names the labelled thing
  std::string value_field = "digit";         // the member that is the answer
  std::string latency_field = "latency_us";  // rows may carry how long the answer took
};

struct AccuracyCount {
  int64_t rows = 0;   // labelled things with an answer; of several, the first that arrived counts
  int64_t right = 0;  // answers that equal the label
  int64_t latency_rows = 0;
  double latency_p50 = 0, latency_p99 = 0;  // nearest rank, in the unit of the rows; 0 without rows
};

struct Accuracy {
  AccuracyCount all;
  int64_t missing = 0;     // labels without an answer
  int64_t unlabelled = 0;  // things with an answer but without a label
  std::map<std::string, AccuracyCount> devices;
  std::map<int64_t, AccuracyCount> days;  // of the records, since 1970-01-01, UTC
};

// Rows that are no object, or lack the key or the value, are passed over.
Result<Accuracy> CountAccuracy(Store& store, const AccuracyQuery& query);
// {"rows","right","accuracy","missing","unlabelled","latency":{"rows","p50","p99"},
//  "devices":{id:{"rows","right","accuracy","latency"}},"days":{"2026-11-27":the same}}; accuracy
// is null without rows.
Json AccuracyToJson(const Accuracy& accuracy);

}  // namespace ferry::server
