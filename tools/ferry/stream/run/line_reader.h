// Lines of a large file or of standard input, one at a time, in one buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "pipeline/event/event.h"

namespace ferry::cli {

struct Line {
  std::string_view text;  // without its end, until the next call; at most kMaxLineBytes of it
  uint64_t bytes = 0;     // of the whole line, without its end
  bool too_long() const { return bytes > text.size(); }
};
inline constexpr size_t kMaxLineBytes = event::kMaxEventBytes + 1;
// Of a standard input that can only be read once, for Rewind.
inline constexpr size_t kMaxKeptInput = 256 << 20;

class LineReader {
 public:
  // "-" is standard input. Errors name the path.
  static Result<LineReader> Open(const std::string& path);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  ~LineReader();

  // False at the end. The last line may lack its line end.
  Result<bool> Next(Line* line);
  // Up to `most` of the lines that Next will give, as copies; fewer at the end.
  Result<std::vector<std::string>> Peek(size_t most);
  // A pipe keeps what it gives, for Rewind, until Rewind or Forget is called.
  void Keep() { keeps_ = true; }
  void Forget();
  // To the first line. kLimitExceeded: a pipe gave more than it may keep.
  Status Rewind();

 private:
  LineReader(std::string path, int fd);
  Result<bool> Fill();                // more bytes behind end_; false at the end
  Result<bool> SkipRest(Line* line);  // of a line that is too long

  std::string path_;
  int fd_ = -1;
  bool seekable_ = false, at_end_ = false, keeps_ = false, lost_ = false;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;
  std::string kept_;     // of a pipe
  size_t replayed_ = 0;  // of kept_, after Rewind
};

}  // namespace ferry::cli
