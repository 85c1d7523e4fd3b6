// Tensors as a checkpoint has them, before anything is made of their bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::llm {

// Borrows the file's bytes, which its reader has checked against dtype and shape.
struct RawTensor {
  std::string name;
  std::string_view dtype;  // safetensors' names: "F16", "I32"
  std::vector<int64_t> shape;
  ByteView bytes;     // row-major, little-endian, at any alignment
  std::string where;  // the file, for messages

  // kBadModel names file and tensor: "{where}: tensor \"{name}\" {what}".
  Status Bad(std::string_view what) const;
  // Rows and columns; kBadModel when it has not two extents.
  Status WantMatrix() const;
  Status WantShape(const std::vector<int64_t>& wanted) const;
  Status WantType(std::string_view wanted) const;
};

// Tensors of one checkpoint by name.
class RawTensors {
 public:
  virtual ~RawTensors() = default;
  // Nothing for an unknown name; kBadModel for one that the index has and its file lacks.
  virtual Result<std::optional<RawTensor>> Find(const std::string& name) const = 0;
  // The same; kBadModel when it is not there.
  Result<RawTensor> Want(const std::string& name) const;
};

}  // namespace ferry::llm
