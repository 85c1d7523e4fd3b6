// The header of a model file: its sections.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

struct Section {
  std::string name;
  std::string kind;
  uint64_t offset = 0;  // from the file's begin
  uint64_t bytes = 0;
  Digest sha256{};
  bool optional = false;
  // Tensors only.
  std::optional<MatrixType> type;
  std::vector<int64_t> shape;
};

// Prefix and header, with places given to the sections: offset is filled in. The sections follow
// behind it at their offsets.
Bytes WriteHeader(std::vector<Section>* sections, uint32_t version = kModelFileVersion);
// The sections of a file, in their order: the header's checksum holds, names differ, each lies
// where WriteHeader would put it, gaps are zero, the file ends with the last. Does not read the
// sections themselves. kBadModel, kUnsupported (a newer version).
Result<std::vector<Section>> ReadHeader(ByteView file);

}  // namespace ferry::llm
