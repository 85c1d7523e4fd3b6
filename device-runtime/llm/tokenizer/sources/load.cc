// Folders and files.
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"

namespace ferry::llm {
namespace {

// tokenizer_config.json of `folder`, or null.
Result<Json> ReadTokenizerConfig(sys::FileSystem& fs, const std::string& folder) {
  const std::string path = sys::JoinPath(folder, "tokenizer_config.json");
  if (!sys::Exists(fs, path)) return Json();
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(fs, path, kMaxJsonBytes));
  return ParseJson(AsText(bytes)).Context("{}", path);
}

Result<std::unique_ptr<Tokenizer>> FromVocabFiles(sys::FileSystem& fs, const std::string& folder) {
  const auto path = [&](const char* name) { return sys::JoinPath(folder, name); };
  FERRY_ASSIGN_OR_RETURN(const Json config, ReadTokenizerConfig(fs, folder));
  FERRY_ASSIGN_OR_RETURN(const Bytes vocab,
                         sys::ReadFile(fs, path("vocab.json"), kMaxTokenizerFileBytes));
  FERRY_ASSIGN_OR_RETURN(const Bytes merges,
                         sys::ReadFile(fs, path("merges.txt"), kMaxTokenizerFileBytes));
  return TokenizerFromVocabAndMerges(vocab, AsText(merges), config);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> LoadTokenizerFolder(sys::FileSystem& fs,
                                                       const std::string& folder) {
  const std::string json_path = sys::JoinPath(folder, "tokenizer.json");
  if (sys::Exists(fs, json_path)) {
    FERRY_ASSIGN_OR_RETURN(const Bytes json, sys::ReadFile(fs, json_path, kMaxTokenizerJsonBytes));
    return TokenizerFromJson(json).Context("{}", json_path);
  }
  if (!sys::Exists(fs, sys::JoinPath(folder, "vocab.json")) ||
      !sys::Exists(fs, sys::JoinPath(folder, "merges.txt"))) {
    return Status::Of(Code::kNotFound,
                      "{} has neither tokenizer.json nor vocab.json and merges.txt", folder);
  }
  return FromVocabFiles(fs, folder).Context("{}", folder);
}

}  // namespace ferry::llm
