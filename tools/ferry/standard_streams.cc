#include "tools/ferry/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace ferry::cli {
namespace {

constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

void OpenClosedStreams() {
  int descriptor = -1;
  do {
    descriptor = ::open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) ::close(descriptor);
}

Result<std::string> ReadStandardInput(size_t limit) {
  std::string text;
  char piece[kPieceBytes];
  while (true) {
    const size_t size = std::fread(piece, 1, sizeof(piece), stdin);
    text.append(piece, size);
    if (text.size() > limit) {
      return Status::Of(Code::kLimitExceeded, "standard input has over {} bytes", limit);
    }
    if (size < sizeof(piece)) break;
  }
  if (std::ferror(stdin) != 0) return Status(Code::kIo, "reading standard input");
  return text;
}

}  // namespace ferry::cli
