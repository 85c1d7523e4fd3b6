// Writer of Ferry's model file (format.h).
#pragma once

#include <functional>
#include <string>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

// Bytes written so far and in all; called from the calling thread.
using WriteProgress = std::function<void(int64_t done, int64_t total)>;

// Writes `model` with matrices as `type`, tokenizer and chat template inside (if it has them), and
// returns the file's size. Beside `path` first, then renamed: the old file or the new. Streams:
// takes no memory for a second copy of the weights. Errors are the file system's, kOutOfRange for a
// number that `type` cannot hold, and those of a tokenizer or template that is there but cannot be
// read. The same model gives the same bytes.
Result<int64_t> WriteModelFile(sys::FileSystem& fs, const Model& model, const std::string& path,
                               kernels::WeightType type, const WriteProgress& progress = {});

}  // namespace ferry::llm
