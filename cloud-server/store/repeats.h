// What calls leave so that the same call can be made again, or taken back: answers by the caller's
// key, and bulk changes.
// ---- sql/operators/repeats.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// The answer to a call that came with a key.
struct AnsweredRow {
  std::string account;
  std::string key;
  std::string request_sha256;  // hex, of method, path and body
  int64_t status = 0;          // of HTTP; 0: it was carried out, and its answer is not known
  std::string body;
  int64_t time_ms = 0;
};

// One change of many devices. Those that it changed are in `devices`.
struct BulkRow {
  std::string id;
  std::string account;
  int64_t time_ms = 0;
  std::string action;  // "tag", "untag", "block", "unblock"
  std::string tag;
  std::vector<std::string> devices;
  bool undone = false;
};

class RepeatRepository {
 public:
  virtual ~RepeatRepository() = default;
  virtual Result<std::optional<AnsweredRow>> Answered(const std::string& account,
                                                      const std::string& key) = 0;
  virtual Status PutAnswered(const AnsweredRow& row) = 0;
  virtual Status DropAnswered(int64_t before_ms) = 0;
  // kNotFound.
  virtual Result<BulkRow> Bulk(const std::string& id) = 0;
  // Adds `row.devices` to what is stored; the other members are replaced.
  virtual Status PutBulk(const BulkRow& row) = 0;
  virtual Status DropBulk(int64_t before_ms) = 0;
};

}  // namespace ferry::server
