// Folders and files.
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"

namespace ferry::llm {
namespace {

std::string FileNameOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

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

Result<std::unique_ptr<Tokenizer>> FromVocabText(sys::FileSystem& fs, const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(const Json config, ReadTokenizerConfig(fs, folder));
  FERRY_ASSIGN_OR_RETURN(const Bytes vocab, sys::ReadFile(fs, sys::JoinPath(folder, "vocab.txt"),
                                                          kMaxTokenizerFileBytes));
  return TokenizerFromVocabText(AsText(vocab), config);
}

// The folder's one *.tiktoken, or "".
Result<std::string> FindRanks(sys::FileSystem& fs, const std::string& folder) {
  std::string found;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.List(folder));
  for (const std::string& name : names) {
    if (!name.ends_with(".tiktoken")) continue;
    if (!found.empty()) {
      return Status::Of(Code::kInvalidArgument, "{} has two files of ranks, {} and {}: name one",
                        folder, found, name);
    }
    found = name;
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> LoadTokenizerFile(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.Map(path));
  const ByteView bytes = file->bytes();
  const auto read = [&]() -> Result<std::unique_ptr<Tokenizer>> {
    if (formats::Gguf::IsGguf(bytes)) {
      FERRY_ASSIGN_OR_RETURN(const formats::Gguf gguf, formats::Gguf::Read(bytes, "GGUF"));
      return TokenizerFromGguf(gguf);
    }
    const std::string_view text = AsText(bytes);
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{') return TokenizerFromJson(bytes);
    if (LooksLikeSentencePiece(bytes)) return TokenizerFromSentencePiece(bytes);
    if (LooksLikeTiktoken(bytes)) return TokenizerFromTiktoken(bytes, FileNameOf(path));
    return Status(Code::kUnsupported,
                  "no tokenizer.json, tokenizer.model, ranks of tiktoken or GGUF");
  };
  return read().Context("{}", path);
}

Result<std::unique_ptr<Tokenizer>> LoadTokenizerFolder(sys::FileSystem& fs,
                                                       const std::string& folder) {
  const auto has = [&](const char* name) { return sys::Exists(fs, sys::JoinPath(folder, name)); };
  if (has("tokenizer.json")) {
    return LoadTokenizerFile(fs, sys::JoinPath(folder, "tokenizer.json"));
  }
  if (has("tokenizer.model")) {
    return LoadTokenizerFile(fs, sys::JoinPath(folder, "tokenizer.model"));
  }
  if (has("vocab.json") && has("merges.txt"))
    return FromVocabFiles(fs, folder).Context("{}", folder);
  if (has("vocab.txt")) return FromVocabText(fs, folder).Context("{}", folder);
  if (sys::Exists(fs, folder)) {
    FERRY_ASSIGN_OR_RETURN(const std::string ranks, FindRanks(fs, folder));
    if (!ranks.empty()) return LoadTokenizerFile(fs, sys::JoinPath(folder, ranks));
  }
  return Status::Of(Code::kNotFound,
                    "{} has no tokenizer.json, tokenizer.model, vocab.json with merges.txt, "
                    "vocab.txt or *.tiktoken",
                    folder);
}

}  // namespace ferry::llm
