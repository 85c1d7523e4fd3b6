// A GGUF file as a model: metadata to a description, blocks of quantised values to our forms.
// Source: the format's specification (ggml, docs/gguf.md) and llama.cpp's names of tensors and
// keys, which are facts of the files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/formats/gguf.h"
#include "device-runtime/llm/load/parts.h"

namespace ferry::llm {

// `owner` keeps `file` alive. kUnsupported names the architecture (and the nearest that is read) or
// a type of tensors, kBadModel what does not fit, kMalformed.
Result<ModelParts> ReadGguf(ByteView file, std::shared_ptr<const void> owner);

// A row of architectures.inc.
struct GgufArchitecture {
  std::string_view name;        // general.architecture
  std::string_view model_type;  // of the family that reads it
  std::string_view members;     // JSON: what config.json has beside the metadata
  // Rows of queries and keys stand so that neighbours turn together, where the family has halves.
  bool interleaved = false;
};
Result<GgufArchitecture> FindGgufArchitecture(std::string_view name);

// config.json as Hugging Face would have it, of the metadata.
Result<Json> GgufConfig(const formats::Gguf& file, const GgufArchitecture& architecture);

// The name that files of the architecture have for a checkpoint's tensor; empty: none. `expert` is
// set where experts stand in one tensor.
std::string GgufTensorName(std::string_view architecture, std::string_view name, int64_t* expert);

// A tensor (or an expert's part of it) in our forms.
Result<StoredTensor> StoreGgufTensor(const formats::GgufTensor& tensor, int64_t expert,
                                     sys::Parallel& parallel);

}  // namespace ferry::llm
