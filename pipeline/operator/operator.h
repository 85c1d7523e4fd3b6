// Stream operators: rows in, rows out. One file each under operators/, one row each in
// operators/list.inc; kinds of windows likewise under window/, aggregates under aggregates/. One
// thread at a time. README.md has the specs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/event/state.h"
#include "pipeline/operator/members.h"

namespace ferry::operators {

using event::Row;

inline constexpr size_t kMaxOpenPanes = 65'536;  // of one window operator, slices counted
inline constexpr size_t kMaxKeyBytes = 1024;     // of the JSON text of one key
inline constexpr size_t kMaxValueBytes = 4096;   // of the JSON text of a value that a pane keeps
inline constexpr size_t kMaxFields = 256;        // of one map or one list of aggregates
inline constexpr size_t kMaxHeldRows = 10'000;   // of one side of a join, or waiting for their turn
inline constexpr size_t kMaxListRows = 1000;     // that flat_map makes of one row
inline constexpr int64_t kMaxMinRows = 1'000'000;
inline constexpr int64_t kMaxWindowMs = int64_t{366} * 24 * 3600 * 1000;

// The field that tells a row that takes back ("-") from one that adds ("+"), in streams of updates.
inline constexpr char kUpdateField[] = "_op";

// What an operator did not let through, apart from filters.
struct Losses {
  int64_t late = 0;            // rows of windows that were closed already
  int64_t refused = 0;         // rows past a limit
  int64_t missing_exits = 0;   // page visits that ended without their exit
  int64_t missing_enters = 0;  // exits of pages that were not open
  int64_t small = 0;           // windows of fewer rows than min_rows
};

class Operator {
 public:
  virtual ~Operator() = default;
  // Appends the rows that leave the operator now. An error is about this row alone: the operator
  // is as before.
  virtual Status Push(const Row& row, std::vector<Row>* out) = 0;
  // A gate passes rows as they are or not at all, so that nobody needs to copy one.
  virtual bool is_gate() const { return false; }
  // Of a gate: whether the row passes.
  virtual Result<bool> Admit(const Row& row) {
    (void)row;
    return true;
  }
  // The name of the second source, whose rows come to PushSecond; empty: there is none.
  virtual std::string_view second_source() const { return {}; }
  virtual Status PushSecond(const Row& row, std::vector<Row>* out) {
    (void)row, (void)out;
    return OkStatus();
  }
  // No row with event time below `watermark_ms` is waited for any more. Never moves back.
  virtual Status Advance(int64_t watermark_ms, std::vector<Row>* out) {
    (void)watermark_ms, (void)out;
    return OkStatus();
  }
  // The end of the stream: everything open closes.
  virtual Status Flush(std::vector<Row>* out) {
    (void)out;
    return OkStatus();
  }
  // How long rows may come late, in event time; the stream's watermark stays behind by the largest.
  virtual int64_t allowed_lateness_ms() const { return 0; }
  // Event time after which waiting open state would close by itself; 0: holds none. Used to close
  // windows when no row comes any more.
  virtual int64_t next_close_ms() const { return 0; }
  // Whether its rows out take back earlier ones ("_op"), and whether it understands such rows.
  virtual bool makes_updates() const { return false; }
  virtual bool takes_updates() const { return false; }
  virtual Losses losses() const { return {}; }

  // Writes what changed since the last call; all of it after the first call on a new operator.
  virtual void SaveChanges(event::StateWriter& out) { (void)out; }
  // One pair that SaveChanges wrote, on an operator of the same spec that had no row yet.
  // kMalformed: the pair was damaged; the operator is then made anew by whoever loads.
  virtual Status Load(std::string_view key, std::string_view value) {
    (void)value;
    return Status::Of(Code::kMalformed, "state of {} bytes under no known key", key.size());
  }
};

// Rows pass or they do not.
class Gate : public Operator {
 public:
  bool is_gate() const final { return true; }
  Status Push(const Row& row, std::vector<Row>* out) final {
    FERRY_ASSIGN_OR_RETURN(const bool passes, Admit(row));
    if (passes) out->push_back(row);
    return OkStatus();
  }
};

class TableReader;
class TableWriter;

// What operators reach beyond their rows.
struct Surroundings {
  const TableReader* tables = nullptr;  // null: lookups fail with kUnavailable
  TableWriter* writer = nullptr;        // of streams' "into"; null: whoever takes the rows writes
  std::string_view hash_key = {};       // of keyed_hash; outlives the operators; empty: none
};

// kMalformed names op and member.
Result<std::unique_ptr<Operator>> MakeOperator(const Json& spec, const Surroundings& around = {});
std::vector<std::string_view> OperatorNames();

}  // namespace ferry::operators
