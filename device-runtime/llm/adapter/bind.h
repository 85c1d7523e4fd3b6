// An adapter as its files have it, and the step from there to an Adapter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

struct AdapterParts {
  struct Change {
    std::string name;  // of the tensor, as the checkpoint has it
    StoredTensor a, b;
    int64_t rank = 0;  // that the configuration says
    double scale = 0;
  };
  std::string source;          // for messages
  std::optional<Digest> base;  // none: any whose names and shapes fit
  std::string base_name;       // for messages: a family, or what the folder says
  std::vector<Change> changes;
  std::vector<std::shared_ptr<const void>> owners;
  std::vector<tensor::Buffer> copies;  // widened numbers
};

// A PEFT folder, or an adapter's file, without its base.
Result<AdapterParts> ReadAdapter(sys::FileSystem& fs, const std::string& path);
Result<AdapterParts> ReadPeftFolder(sys::FileSystem& fs, const std::string& folder);
Result<AdapterParts> ReadAdapterFile(ByteView file, std::shared_ptr<const void> owner);

// Checks names, shapes, ranks and numbers against the base.
Result<std::shared_ptr<const Adapter>> BindAdapter(AdapterParts parts,
                                                   std::shared_ptr<const Model> base);

struct Adapter::State {
  std::shared_ptr<const Model> base;
  std::vector<LowRank> changes;
  std::vector<int32_t> of_tensor;  // place in `changes`, -1: none
  std::vector<std::shared_ptr<const void>> owners;
  std::vector<tensor::Buffer> copies;
  int64_t rank = 0, parameters = 0, bytes = 0;
  Digest digest{};
};

}  // namespace ferry::llm
