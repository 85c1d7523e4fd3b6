// What is known of who uses a device, erased: who asked for it and what went.
// ---- sql/fleet/erasures.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// One wish to erase a device's data.
struct ErasureRow {
  int64_t id = 0;  // AskErase::request; given by Ask
  std::string device;
  std::string asked_by;  // a user; "device": the app there
  int64_t asked_ms = 0;
  int64_t device_number = 0;   // of EraseData; 0: the device has not said that it has erased
  int64_t device_ms = 0;       // when that came
  std::string device_receipt;  // JSON
  int64_t records = 0;         // that were removed here
  int64_t refused = 0;         // rows about refused records
  int64_t texts = 0;           // of errors in reports
  bool operator==(const ErasureRow&) const = default;
};

struct ErasedHere {
  int64_t records = 0, refused = 0, texts = 0;
  int64_t all() const { return records + refused + texts; }
};

class ErasureRepository {
 public:
  virtual ~ErasureRepository() = default;
  // Adds the row; its id.
  virtual Result<int64_t> Ask(const ErasureRow& row) = 0;
  virtual Status Put(const ErasureRow& row) = 0;   // by id
  virtual Result<ErasureRow> Get(int64_t id) = 0;  // kNotFound
  // The oldest one that the device has not heard of or not answered.
  virtual Result<std::optional<ErasureRow>> Pending(const std::string& device) = 0;
  // That the device itself asked for under this number.
  virtual Result<std::optional<ErasureRow>> OfDevice(const std::string& device,
                                                     int64_t device_number) = 0;
  // The newest first.
  virtual Result<std::vector<ErasureRow>> List(const std::string& device, size_t limit) = 0;
  // Removes records of the device, rows about refused ones and the texts of errors that it
  // reported, at most `limit` of each.
  virtual Result<ErasedHere> Remove(const std::string& device, size_t limit) = 0;
};

}  // namespace ferry::server
