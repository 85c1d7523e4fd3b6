#include "tools/ferry/llm/npy.h"

#include "common/base/bytes.h"
#include "tools/npy/npy.h"

namespace ferry::cli {

Result<std::unique_ptr<NpyWriter>> NpyWriter::Create(sys::FileSystem& fs, const std::string& path,
                                                     int64_t rows, int64_t columns) {
  const int64_t dims[] = {rows, columns};
  std::unique_ptr<NpyWriter> writer(new NpyWriter(fs, path));
  writer->is_new_ = !sys::Exists(fs, path);
  FERRY_ASSIGN_OR_RETURN(writer->file_,
                         fs.OpenForWrite(path, sys::WriteMode::kTruncate, sys::kPublicFile));
  FERRY_TRY(writer->file_->Append(AsBytes(npy::NpyHeader("<f4", dims))));
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
