#include "device-runtime/llm/file/writer.h"

#include "common/crypto/hash.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/file/section.h"

namespace ferry::llm {
namespace {

using kernels::WeightMatrix;
using kernels::WeightType;

class Writer {
 public:
  Writer(const Model::State& state, WeightType type) : state_(state), type_(type) {}

  // The first pass: sizes and checksums of all sections.
  Status Plan() {
    AddBytes(kConfigSection, ToBytes(WriteJson(WriteConfig(state_.config))));
    if (state_.tokenizer.ok()) {
      AddBytes(kTokenizerSection, SerializeTokenizer(**state_.tokenizer));
    } else if (state_.tokenizer.code() != Code::kFailedPrecondition) {
      return state_.tokenizer.status();
    }
    if (state_.chat_template.ok()) {
      AddBytes(kTemplateSection, ToBytes((*state_.chat_template)->source()));
    } else if (state_.chat_template.code() != Code::kFailedPrecondition) {
      return state_.chat_template.status();
    }
    for (const TensorSpec& spec : state_.specs) FERRY_TRY(PlanTensor(spec));
    header_ = WriteHeader(&sections_);
    return OkStatus();
  }

  int64_t total() const {
    return static_cast<int64_t>(sections_.back().offset + sections_.back().bytes);
  }

  Status Write(sys::WritableFile& file, const WriteProgress& progress) const {
    uint64_t written = 0;
    const ByteSink sink = [&](ByteView piece) {
      written += piece.size();
      return file.Append(piece);
    };
    FERRY_TRY(sink(header_));
    for (size_t i = 0; i < sections_.size(); ++i) {
      constexpr uint8_t kZeros[kSectionAlignment] = {};
      FERRY_TRY(sink({kZeros, sections_[i].offset - written}));
      if (i < texts_.size()) {
        FERRY_TRY(sink(texts_[i]));
      } else {
        const TensorSpec& spec = state_.specs[i - texts_.size()];
        FERRY_TRY(EmitTensor(StoredMatrix(state_, spec), TypeOf(spec), sink));
      }
      if (progress) progress(static_cast<int64_t>(written), total());
    }
    return OkStatus();
  }

 private:
  WeightType TypeOf(const TensorSpec& spec) const {
    if (spec.shape.size() != 2) return WeightType::kF32;
    return spec.exact ? StoredMatrix(state_, spec).type : type_;
  }

  void AddBytes(const char* name, Bytes bytes) {
    Section section{.name = name, .kind = name, .bytes = bytes.size()};
    section.sha256 = crypto::Sha256(bytes);
    sections_.push_back(std::move(section));
    texts_.push_back(std::move(bytes));
  }

  Status PlanTensor(const TensorSpec& spec) {
    crypto::Sha256Stream sha;
    Section section{.name = spec.name, .kind = kTensorKind};
    FERRY_TRY(EmitTensor(StoredMatrix(state_, spec), TypeOf(spec), [&](ByteView piece) {
                sha.Update(piece);
                section.bytes += piece.size();
                return OkStatus();
              }).Context("tensor \"{}\"", spec.name));
    section.sha256 = sha.Finish();
    section.type = WeightTypeName(TypeOf(spec));
    section.shape = spec.shape;
    sections_.push_back(std::move(section));
    return OkStatus();
  }

  const Model::State& state_;
  WeightType type_;
  std::vector<Section> sections_;
  std::vector<Bytes> texts_;  // of the first sections; tensors follow
  Bytes header_;
};

}  // namespace

Result<int64_t> WriteModelFile(sys::FileSystem& fs, const Model& model, const std::string& path,
                               WeightType type, const WriteProgress& progress) {
  Writer writer(model.state(), type);
  FERRY_TRY(writer.Plan());
  const std::string part = path + ".part";
  const auto write = [&]() -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto file,
                           fs.OpenForWrite(part, sys::WriteMode::kTruncate, sys::kPublicFile));
    FERRY_TRY(writer.Write(*file, progress));
    FERRY_TRY(file->Sync());
    FERRY_TRY(file->Close());
    FERRY_TRY(fs.Rename(part, path));
    return fs.SyncDirectory(sys::ParentPath(path));
  };
  const Status status = write();
  if (!status.ok()) {
    (void)fs.Remove(part);
    return status;
  }
  return writer.total();
}

}  // namespace ferry::llm
