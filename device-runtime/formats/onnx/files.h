// The files of one model: its own, and those that hold tensors beside it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/sys/filesystem.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::formats {

inline constexpr size_t kMaxOnnxDataFiles = 20'000;

// Some bytes of a file, and what keeps them (null: nobody does, they must be copied).
struct OnnxPiece {
  ByteView bytes;
  std::shared_ptr<const void> owner;
};

class OnnxFiles {
 public:
  static Result<OnnxFiles> Open(sys::FileSystem& fs, const std::string& path);

  OnnxPiece model() const { return {model_->bytes(), model_}; }
  // The piece that TensorProto.external_data describes: location (relative to the model's folder,
  // never out of it), offset, length. Files are mapped once. kBadModel, kNotFound...
  Result<OnnxPiece> External(const std::vector<std::pair<std::string, std::string>>& entries);

  bool keeps_unaligned = false;  // large tensors stay where they lie, whatever their type

 private:
  OnnxFiles(sys::FileSystem& fs, std::string folder, std::shared_ptr<const sys::MappedFile> model)
      : fs_(&fs), folder_(std::move(folder)), model_(std::move(model)) {}

  sys::FileSystem* fs_;
  std::string folder_;
  std::shared_ptr<const sys::MappedFile> model_;
  std::map<std::string, std::shared_ptr<const sys::MappedFile>> others_;
};

}  // namespace ferry::formats
