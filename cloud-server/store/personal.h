// Files for single devices that were added after publication, and what each device was given.
// ---- sql/fleet/personal.cc
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::server {

// One sealed file of one device, with its content key wrapped to the escrow key.
struct PersonalRow {
  std::string device;
  std::string package;
  std::string name;
  std::string sha256;  // hex, of the sealed file
  uint64_t length = 0;
  std::string entry_json;  // the canonical target entry, as it is signed
  Bytes escrow_enc;
  Bytes escrow_sealed;
  std::string escrow_id;  // of the key that it is wrapped to
  int64_t added_ms = 0;
  std::string added_by;
  bool operator==(const PersonalRow&) const = default;
};

// The document of one device.
struct PersonalStateRow {
  std::string device;
  int64_t change = 0;  // grows with every change of its files; 0: it never had one
  // What was signed last; version 0: nothing yet.
  int64_t version = 0;
  int64_t signed_change = 0;  // of which change it tells
  std::string key_id;         // who signed
  int64_t expires_ms = 0;
  Bytes document;
  bool operator==(const PersonalStateRow&) const = default;
};

class PersonalRepository {
 public:
  virtual ~PersonalRepository() = default;
  virtual Result<PersonalRow> Get(const std::string& device, const std::string& package,
                                  const std::string& name) = 0;  // kNotFound
  virtual Status Put(const PersonalRow& row) = 0;
  // False when it was not there.
  virtual Result<bool> Remove(const std::string& device, const std::string& package,
                              const std::string& name) = 0;
  // By package and name.
  virtual Result<std::vector<PersonalRow>> OfDevice(const std::string& device) = 0;
  // By device and name, after those two (empty: from the start).
  virtual Result<std::vector<PersonalRow>> OfPackage(const std::string& package,
                                                     const std::string& after_device,
                                                     const std::string& after_name,
                                                     size_t limit) = 0;
  // Whether any has these sealed bytes.
  virtual Result<bool> HasContent(const std::string& sha256) = 0;
  // Wrapped to another escrow key than this one.
  virtual Result<std::vector<PersonalRow>> NotWrappedTo(const std::string& escrow_id,
                                                        size_t limit) = 0;
  // Zeros when there is none.
  virtual Result<PersonalStateRow> State(const std::string& device) = 0;
  virtual Status PutState(const PersonalStateRow& row) = 0;
  // PersonalStateRow::change alone.
  virtual Result<int64_t> Change(const std::string& device) = 0;
};

}  // namespace ferry::server
