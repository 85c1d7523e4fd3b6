// The bytes of a tensor section, made piece by piece.
#pragma once

#include <functional>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/quantize/quantize.h"

namespace ferry::llm {

using ByteSink = std::function<Status(ByteView)>;

// Gives the section of `from` as type `to` to `sink`, in order; exact where the types are the same.
// kOutOfRange when a number has no finite form in `to`. Holds no second copy of the tensor, but for
// packed ones theirs.
Status EmitTensor(const Matrix& from, const MatrixType& to, QuantizeMethod method,
                  sys::Parallel& parallel, const ByteSink& sink);

// What a model's tensor is stored as: matrices in their own type, vectors as one column of float32.
Matrix StoredMatrix(const Model::State& state, const TensorSpec& spec);

// Model::digest: SHA-256 over the configuration as WriteConfig makes it and, by name, each tensor's
// name, type, shape and the SHA-256 of its section.
Digest ModelDigest(const Model::State& state);

}  // namespace ferry::llm
