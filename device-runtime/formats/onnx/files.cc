#include "device-runtime/formats/onnx/files.h"

#include <charconv>

namespace ferry::formats {
namespace {

Result<uint64_t> Number(const std::string& key, const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Status::Of(Code::kBadModel, "external data: {} '{}' is no number", key, text);
  }
  return number;
}

// Only names below the folder: no root, no "..", nothing that some system reads as either.
Status CheckLocation(const std::string& location) {
  const Status bad =
      Status::Of(Code::kBadModel, "external data: '{}' is no file in the folder", location);
  if (location.empty() ||
      location.find_first_of(std::string_view("\\:\0", 3)) != std::string::npos) {
    return bad;
  }
  for (size_t at = 0; at <= location.size();) {
    const size_t end = std::min(location.find('/', at), location.size());
    const std::string_view part = std::string_view(location).substr(at, end - at);
    if (part == ".." || (part.empty() && at == 0)) return bad;
    at = end + 1;
  }
  return OkStatus();
}

}  // namespace

Result<OnnxFiles> OnnxFiles::Open(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> model, fs.Map(path));
  const size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return OnnxFiles(fs, std::move(folder), std::move(model));
}

Result<OnnxPiece> OnnxFiles::External(
    const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string location;
  uint64_t offset = 0, length = 0;
  bool has_length = false;
  for (const auto& [key, value] : entries) {
    if (key == "location") location = value;
    if (key == "offset") {
      FERRY_ASSIGN_OR_RETURN(offset, Number(key, value));
    }
    if (key == "length") {
      FERRY_ASSIGN_OR_RETURN(length, Number(key, value));
      has_length = true;
    }
  }
  FERRY_TRY(CheckLocation(location));
  std::shared_ptr<const sys::MappedFile>& file = others_[location];
  if (others_.size() > kMaxOnnxDataFiles) {
    return Status::Of(Code::kLimitExceeded, "data in more than {} files", kMaxOnnxDataFiles);
  }
  if (file == nullptr) {
    auto mapped = fs_->Map(sys::JoinPath(folder_, location));
    if (!mapped.ok()) return mapped.status().Context("external data");
    file = *std::move(mapped);
  }
  const ByteView bytes = file->bytes();
  if (offset > bytes.size() || (has_length && length > bytes.size() - offset)) {
    return Status::Of(Code::kBadModel,
                      "external data: {} bytes at {} lie outside the {} bytes of '{}'", length,
                      offset, bytes.size(), location);
  }
  if (!has_length) length = bytes.size() - offset;
  return OnnxPiece{bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(length)), file};
}

}  // namespace ferry::formats
