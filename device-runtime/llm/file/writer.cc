#include "device-runtime/llm/file/writer.h"

#include "common/crypto/hash.h"
#include "device-runtime/llm/file/format.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/file/section.h"

namespace ferry::llm {
namespace {

using kernels::WeightType;

constexpr size_t kCopyBytes = size_t{1} << 20;

// Whether `name` is `pattern` with letters in place of each star.
bool Matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t at = star; at <= name.size(); ++at) {
    if (Matches(rest, name.substr(at))) return true;
  }
  return false;
}

// Sections' contents go to a file of their own first, as the header before them has their
// checksums.
class Writer {
 public:
  Writer(const Model::State& state, const StoreOptions& options, const WriteProgress& progress)
      : state_(state),
        options_(options),
        progress_(progress),
        parallel_(options.parallel != nullptr ? *options.parallel : sys::SerialParallel()) {}

  Status WriteBody(sys::WritableFile& body) {
    for (const TensorSpec& spec : state_.specs) {
      total_ += MatrixBytes(TypeOf(spec), static_cast<uint64_t>(spec.shape[0]),
                            static_cast<uint64_t>(spec.shape.size() == 2 ? spec.shape[1] : 1));
    }
    FERRY_TRY(AddBytes(body, kConfigSection, ToBytes(WriteJson(WriteConfig(state_.config)))));
    if (state_.tokenizer.ok()) {
      FERRY_TRY(AddBytes(body, kTokenizerSection, SerializeTokenizer(**state_.tokenizer)));
    } else if (state_.tokenizer.code() != Code::kFailedPrecondition) {
      return state_.tokenizer.status();
    }
    if (state_.chat_template.ok()) {
      FERRY_TRY(AddBytes(body, kTemplateSection, ToBytes((*state_.chat_template)->source())));
    } else if (state_.chat_template.code() != Code::kFailedPrecondition) {
      return state_.chat_template.status();
    }
    for (const TensorSpec& spec : state_.specs) FERRY_TRY(AddTensor(body, spec));
    return OkStatus();
  }

  // The whole file; `body` has what WriteBody wrote.
  Status WriteFile(const sys::ReadableFile& body, sys::WritableFile& file) {
    const Bytes header = WriteHeader(&sections_);
    FERRY_TRY(file.Append(header));
    uint64_t written = header.size();
    uint64_t from = 0;
    Bytes piece(kCopyBytes);
    for (const Section& section : sections_) {
      constexpr uint8_t kZeros[kSectionAlignment] = {};
      FERRY_TRY(file.Append({kZeros, section.offset - written}));
      for (uint64_t left = section.bytes; left > 0;) {
        const size_t count = std::min<uint64_t>(left, piece.size());
        FERRY_ASSIGN_OR_RETURN(const size_t got, body.ReadAt(from, std::span(piece).first(count)));
        if (got != count) return Status(Code::kIo, "the file's body is cut short");
        FERRY_TRY(file.Append(ByteView(piece).first(count)));
        from += count;
        left -= count;
      }
      written = section.offset + section.bytes;
    }
    size_ = static_cast<int64_t>(written);
    if (progress_) progress_(size_, size_);
    return OkStatus();
  }

  int64_t size() const { return size_; }

 private:
  MatrixType TypeOf(const TensorSpec& spec) const { return StoredTypeOf(state_, options_, spec); }

  // The tensor as it is to be stored; `room` has its values where they are made.
  Result<Matrix> ValuesOf(const TensorSpec& spec, tensor::Buffer* room) const {
    const Matrix stored = StoredMatrix(state_, spec);
    if (options_.folded == nullptr) return stored;
    const auto columns = options_.folded->columns.find(spec.name);
    const auto rows = options_.folded->rows.find(spec.name);
    const bool by_column = columns != options_.folded->columns.end();
    const bool by_row = rows != options_.folded->rows.end();
    if (!by_column && !by_row) return stored;
    const int64_t width = stored.columns();
    FERRY_ASSIGN_OR_RETURN(*room, tensor::Buffer::Allocate(stored.rows() * width * 4));
    auto* const values = reinterpret_cast<float*>(room->data());
    for (int64_t r = 0; r < stored.rows(); ++r) {
      float* const row = values + r * width;
      WidenRow(stored, r, row);
      const float all = by_row ? rows->second[static_cast<size_t>(r)] : 1.0f;
      for (int64_t k = 0; k < width; ++k) {
        row[k] *= by_column ? all * columns->second[static_cast<size_t>(k)] : all;
      }
    }
    return Matrix{{WeightType::kF32, stored.rows(), width, values, nullptr}, {}};
  }

  Status Add(sys::WritableFile& body, Section* section, crypto::Sha256Stream* sha, ByteView piece) {
    sha->Update(piece);
    section->bytes += piece.size();
    return body.Append(piece);
  }

  Status AddBytes(sys::WritableFile& body, const char* name, const Bytes& bytes) {
    Section section{.name = name, .kind = name};
    crypto::Sha256Stream sha;
    FERRY_TRY(Add(body, &section, &sha, bytes));
    section.sha256 = sha.Finish();
    sections_.push_back(std::move(section));
    return OkStatus();
  }

  Status AddTensor(sys::WritableFile& body, const TensorSpec& spec) {
    Section section{.name = spec.name, .kind = kTensorKind};
    const MatrixType type = TypeOf(spec);
    crypto::Sha256Stream sha;
    tensor::Buffer room;
    FERRY_ASSIGN_OR_RETURN(const Matrix values, ValuesOf(spec, &room));
    FERRY_TRY(EmitTensor(values, type, options_.method, parallel_, [&](ByteView piece) {
                done_ += piece.size();
                return Add(body, &section, &sha, piece);
              }).Context("tensor \"{}\"", spec.name));
    if (progress_) progress_(static_cast<int64_t>(done_), static_cast<int64_t>(total_));
    section.sha256 = sha.Finish();
    section.type = type;
    section.shape = spec.shape;
    sections_.push_back(std::move(section));
    return OkStatus();
  }

  const Model::State& state_;
  const StoreOptions& options_;
  const WriteProgress& progress_;
  sys::Parallel& parallel_;
  std::vector<Section> sections_;
  uint64_t done_ = 0, total_ = 0;  // bytes of tensors
  int64_t size_ = 0;
};

}  // namespace

MatrixType StoredTypeOf(const Model::State& state, const StoreOptions& options,
                        const TensorSpec& spec) {
  if (spec.shape.size() != 2) return {};
  if (spec.exact || options.keep) return StoredMatrix(state, spec).type();
  for (const StoreRule& rule : options.rules) {
    if (Matches(rule.pattern, spec.name)) return rule.type;
  }
  const Description& description = state.config.description;
  const MatrixType& embedding = options.embedding ? *options.embedding : options.matrices;
  if (spec.name == description.embedding) return embedding;
  if (spec.name == description.head) return options.head ? *options.head : embedding;
  return options.matrices;
}

Result<int64_t> WriteModelFile(sys::FileSystem& fs, const Model& model, const std::string& path,
                               const StoreOptions& options, const WriteProgress& progress) {
  FERRY_TRY(model.Ready());
  Writer writer(model.state(), options, progress);
  const std::string body_path = path + ".body";
  const std::string part = path + ".part";
  const auto write = [&]() -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto body,
                           fs.OpenForWrite(body_path, sys::WriteMode::kTruncate, sys::kPublicFile));
    FERRY_TRY(writer.WriteBody(*body));
    FERRY_TRY(body->Close());
    FERRY_ASSIGN_OR_RETURN(const auto written, fs.OpenForRead(body_path));
    FERRY_ASSIGN_OR_RETURN(const auto file,
                           fs.OpenForWrite(part, sys::WriteMode::kTruncate, sys::kPublicFile));
    FERRY_TRY(writer.WriteFile(*written, *file));
    FERRY_TRY(file->Sync());
    FERRY_TRY(file->Close());
    FERRY_TRY(fs.Rename(part, path));
    return fs.SyncDirectory(sys::ParentPath(path));
  };
  const Status status = write();
  (void)fs.Remove(body_path);
  if (!status.ok()) {
    (void)fs.Remove(part);
    return status;
  }
  return writer.size();
}

Result<int64_t> WriteModelFile(sys::FileSystem& fs, const Model& model, const std::string& path,
                               WeightType type, const WriteProgress& progress) {
  StoreOptions options;
  options.matrices.rows = type;
  return WriteModelFile(fs, model, path, options, progress);
}

}  // namespace ferry::llm
