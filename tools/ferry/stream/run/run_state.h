// What `ferry stream run` keeps in its directory beside the state of rules and streams: which lines
// it has taken, and how much of its output counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/crypto/hash.h"
#include "tools/ferry/stream/run/event_times.h"
#include "tools/ferry/stream/run/line_reader.h"

namespace ferry::cli {

inline constexpr char kRunStateKey[] = "stream-run";  // of the pair; no part of a flow begins so

// Lines that came one after another from one file.
struct TakenFile {
  uint64_t lines = 0;
  std::string sha256;  // hexadecimal, over the lines as LineHash takes them

  bool operator==(const TakenFile&) const = default;
};

// From this line on lines have numbers of the log from `number` on.
struct Numbering {
  uint64_t line = 0, number = 1;
};

struct RunState {
  uint64_t lines = 0;  // taken, of all files; a line's number is its place in them, from 0
  uint64_t bytes = 0;  // of these lines
  int64_t latest_ms = kNoTimeYet;  // of their events
  std::vector<TakenFile> files;    // the last one may go on
  std::vector<Numbering> numbers;
  uint64_t out_bytes = 0;  // of the output
  std::string out_tail;    // sha256 of its end

  uint64_t NumberOf(uint64_t line) const;
  // The line of an event of the log; nullopt: it is of no line that was taken.
  std::optional<uint64_t> LineOf(uint64_t number) const;
  // The next line's number will be `number`.
  void NumberNext(uint64_t number);
};

std::string WriteRunState(const RunState& state);
Result<RunState> ReadRunState(std::string_view text);

// A running hash of lines: SHA-256 of the hash before and the next piece of kHashPieceBytes or a
// little more, so that it goes on after it was asked.
inline constexpr size_t kHashPieceBytes = 64 << 10;
class LineHash {
 public:
  void Add(const Line& line);
  std::string Current() const;  // in hexadecimal

 private:
  std::string waiting_ = std::string(sizeof(crypto::Sha256Digest), '\0');  // the hash before, lines
};

// How the beginning of the events belongs to what was taken.
struct Continuation {
  bool all = false;   // it is all that was taken, of all files
  bool last = false;  // it is what was taken of the last file
  uint64_t skip = 0;  // lines to skip for that
};
// Reads as much as it needs; the reader is to be rewound and Skip'ped then.
Result<Continuation> FindContinuation(const RunState& state, LineReader* reader);
// Passes over so many lines, with their hash.
Status SkipLines(uint64_t lines, LineReader* reader, LineHash* hash);

}  // namespace ferry::cli
