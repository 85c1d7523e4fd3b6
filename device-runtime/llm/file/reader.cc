#include "device-runtime/llm/file/reader.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "common/crypto/hash.h"
#include "common/sys/pages.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/header.h"

namespace ferry::llm {
namespace {

constexpr size_t kParallelFrom = size_t{8} << 20;  // bytes of the file

class FileTensors final : public TensorSource {
 public:
  Result<std::optional<StoredTensor>> Find(const std::string& name) const override {
    const auto it = tensors_.find(name);
    return it == tensors_.end() ? std::optional<StoredTensor>() : it->second;
  }
  void Add(const std::string& name, StoredTensor tensor) { tensors_[name] = std::move(tensor); }

 private:
  std::map<std::string, StoredTensor> tensors_;
};

// In pieces, each of which may leave memory.
Digest HashOf(ByteView bytes, bool release) {
  crypto::Sha256Stream hash;
  for (size_t at = 0; at < bytes.size(); at += kParallelFrom) {
    const ByteView piece = bytes.subspan(at, std::min(kParallelFrom, bytes.size() - at));
    hash.Update(piece);
    if (release) sys::ReleaseMapped(piece);
  }
  return hash.Finish();
}

Result<ReadModelConfig> ReadConfigSection(ByteView bytes) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(bytes)));
  return ReadConfig(json, nullptr);
}

}  // namespace

Status CheckSections(ByteView file, const std::vector<Section>& sections, bool release) {
  std::vector<uint8_t> good(sections.size(), 0);
  const auto check = [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const Section& section = sections[i];
      good[i] = HashOf(file.subspan(section.offset, section.bytes), release) == section.sha256;
    }
  };
  const auto count = static_cast<int64_t>(sections.size());
  if (file.size() < kParallelFrom) {
    check(0, count);
  } else {
    sys::StartThreadPool(0)->For(count, 1, check);
  }
  for (size_t i = 0; i < sections.size(); ++i) {
    if (good[i] != 0) continue;
    return Status::Of(Code::kBadModel, "section \"{}\" is damaged: its checksum differs",
                      sections[i].name);
  }
  return OkStatus();
}

Result<StoredTensor> ReadTensorSection(const Section& section, ByteView bytes) {
  if (!section.type) {
    return Status::Of(Code::kBadModel, "tensor \"{}\" has no type", section.name);
  }
  if (section.shape.empty() || section.shape.size() > 2) {
    return Status::Of(Code::kBadModel, "tensor \"{}\" has {} extents, wanted 1 or 2", section.name,
                      section.shape.size());
  }
  // Extents are below 2^31 each (ReadHeader), so that their product times 4 fits.
  const auto rows = static_cast<uint64_t>(section.shape[0]);
  const uint64_t columns = section.shape.size() == 2 ? static_cast<uint64_t>(section.shape[1]) : 1;
  if (MatrixBytes(*section.type, rows, columns) != bytes.size()) {
    return Status::Of(Code::kBadModel, "tensor \"{}\": [{}] of {} does not make {} bytes",
                      section.name, fmt::join(section.shape, ", "), MatrixTypeName(*section.type),
                      bytes.size());
  }
  StoredTensor tensor{.type = *section.type,
                      .shape = section.shape,
                      .values = bytes,
                      .where = "model file",
                      .checksum = section.sha256};
  if (section.type->packed) return tensor;
  const auto each = static_cast<uint64_t>(kernels::WeightBytes(section.type->rows));
  tensor.values = bytes.first(rows * columns * each);
  if (section.type->rows == kernels::WeightType::kI8) {
    tensor.scales = bytes.data() + AlignedToSection(tensor.values.size());
  }
  return tensor;
}

Result<ModelParts> ReadModelFile(ByteView file, std::shared_ptr<const void> owner, bool release) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<Section> sections, ReadHeader(file));
  std::vector<Section> now;
  std::vector<Section> later;
  for (const Section& section : sections) {
    (section.kind == kTensorKind ? later : now).push_back(section);
  }
  FERRY_TRY(CheckSections(file, now));
  ModelParts parts;
  parts.check = [file, release, sections = std::move(later)] {
    return CheckSections(file, sections, release);
  };
  parts.source = "model file";
  parts.owners.push_back(std::move(owner));
  parts.tokenizer = Status(Code::kFailedPrecondition, "the model file has no tokenizer");
  parts.chat_template = Status(Code::kFailedPrecondition, "the model file has no chat template");
  auto tensors = std::make_unique<FileTensors>();
  for (const Section& section : sections) {
    const ByteView bytes = file.subspan(section.offset, section.bytes);
    if (section.kind == kConfigSection) {
      FERRY_ASSIGN_OR_RETURN(parts.config, ReadConfigSection(bytes).Context("section \"config\""));
    } else if (section.kind == kTokenizerSection) {
      parts.tokenizer = TokenizerFromSerialized(bytes).Context("section \"{}\"", section.name);
    } else if (section.kind == kTemplateSection) {
      parts.chat_template =
          ChatTemplate::Parse(AsText(bytes)).Context("section \"{}\"", section.name);
    } else if (section.kind == kTensorKind) {
      FERRY_ASSIGN_OR_RETURN(StoredTensor tensor, ReadTensorSection(section, bytes));
      parts.quantized = parts.quantized || section.type->packed;
      tensors->Add(section.name, std::move(tensor));
    } else if (section.kind == kAdapterSection) {
      return Status(Code::kBadModel, "an adapter, not a model; it goes with the model of its base");
    } else if (!section.optional) {
      return Status::Of(Code::kUnsupported, "section \"{}\" is of unknown kind \"{}\"",
                        section.name, section.kind);
    }
  }
  if (parts.config.description.layers.empty()) {
    return Status(Code::kBadModel, "there is no section \"config\"");
  }
  parts.tensors = std::move(tensors);
  return parts;
}

}  // namespace ferry::llm
