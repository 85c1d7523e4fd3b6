#include "tools/ferry/text/tokenizer_source.h"

#include <algorithm>

#include "common/sys/filesystem.h"
#include "device-runtime/llm/file/format.h"

namespace ferry::cli {

bool IsModelFile(const std::string& path) {
  const auto file = sys::SystemFileSystem().Map(path);
  if (!file.ok()) return false;
  const ByteView bytes = (*file)->bytes();
  return bytes.size() >= llm::kModelFileMagic.size() &&
         std::equal(llm::kModelFileMagic.begin(), llm::kModelFileMagic.end(), bytes.begin());
}

Result<NamedTokenizer> OpenTokenizer(const std::string& path) {
  NamedTokenizer named;
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if (!info.is_directory && IsModelFile(path)) {
    FERRY_ASSIGN_OR_RETURN(named.model, llm::Model::Load(fs, path));
    FERRY_ASSIGN_OR_RETURN(named.tokenizer, named.model->tokenizer());
    return named;
  }
  if (info.is_directory) {
    FERRY_ASSIGN_OR_RETURN(named.own, llm::LoadTokenizerFolder(fs, path));
  } else {
    FERRY_ASSIGN_OR_RETURN(named.own, llm::LoadTokenizerFile(fs, path));
  }
  named.tokenizer = named.own.get();
  return named;
}

}  // namespace ferry::cli
