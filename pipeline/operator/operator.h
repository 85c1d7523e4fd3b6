// Stream operators: rows in, rows out. One file each under operators/, one row each in
// operators/list.inc; aggregates of windows likewise under aggregates/. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "pipeline/event/event.h"

namespace ferry::operators {

using event::Row;

inline constexpr size_t kMaxOpenPanes = 10'000;  // (window, key) pairs of one window operator
inline constexpr size_t kMaxKeyBytes = 1024;     // of the JSON text of one key
inline constexpr size_t kMaxFields = 256;        // of one map or one list of aggregates

// What an operator did not let through, apart from filters.
struct Losses {
  int64_t late = 0;     // rows of windows that were closed already
  int64_t refused = 0;  // rows past kMaxOpenPanes or kMaxKeyBytes
};

class Operator {
 public:
  virtual ~Operator() = default;
  // Appends the rows that leave the operator now. An error is about this row alone: the operator
  // is as before.
  virtual Status Push(const Row& row, std::vector<Row>* out) = 0;
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
  virtual Losses losses() const { return {}; }
};

// {"op":"filter","where":text} | {"op":"map","fields":{name:text}} | {"op":"window","kind":
// "tumbling","size_ms":n,"key":[field..],"aggregates":[{"op":"count","as":name},{"op":"mean",
// "field":name,"as":name}],"allowed_lateness_ms":n}. kMalformed names op and member.
Result<std::unique_ptr<Operator>> MakeOperator(const Json& spec);
std::vector<std::string_view> OperatorNames();

}  // namespace ferry::operators
