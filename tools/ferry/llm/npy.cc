#include "tools/ferry/llm/npy.h"

#include <bit>

#include "common/base/bytes.h"

namespace ferry::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "the file has the host's byte order");
constexpr size_t kAlignment = 64;
constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);

}  // namespace

std::string NpyHeader(int64_t rows, int64_t columns) {
  std::string text =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const size_t before = kMagic.size() + 2;
  const size_t whole = (before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(whole - before - 1, ' ');
  text.push_back('\n');
  std::string header(kMagic);
  header.push_back(static_cast<char>(text.size() & 0xff));
  header.push_back(static_cast<char>(text.size() >> 8));
  return header + text;
}

Result<std::unique_ptr<NpyWriter>> NpyWriter::Create(sys::FileSystem& fs, const std::string& path,
                                                     int64_t rows, int64_t columns) {
  std::unique_ptr<NpyWriter> writer(new NpyWriter(fs, path));
  writer->is_new_ = !sys::Exists(fs, path);
  FERRY_ASSIGN_OR_RETURN(writer->file_,
                         fs.OpenForWrite(path, sys::WriteMode::kTruncate, sys::kPublicFile));
  FERRY_TRY(writer->file_->Append(AsBytes(NpyHeader(rows, columns))));
  return writer;
}

NpyWriter::~NpyWriter() {
  if (finished_ || file_ == nullptr || !is_new_) return;
  file_.reset();
  const Status ignored = fs_.Remove(path_);
}

Status NpyWriter::Append(std::span<const float> values) {
  return file_->Append({reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
}

Status NpyWriter::Finish() {
  FERRY_TRY(file_->Close());
  finished_ = true;
  return OkStatus();
}

}  // namespace ferry::cli
