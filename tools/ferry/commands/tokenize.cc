// ferry tokenize: text to token ids and back, from standard input to standard output.
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/command.h"
#include "tools/ferry/standard_streams.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxIdListBytes = kMaxJsonBytes;

struct TokenizeRequest {
  std::string model;
  bool decode = false;
  bool no_special = false;
};

// A tokenizer and what it may be part of.
struct LoadedTokenizer {
  std::unique_ptr<llm::Tokenizer> own;
  std::shared_ptr<const llm::Model> model;
  const llm::Tokenizer* tokenizer = nullptr;
};

// A folder needs no weights; a model file is opened whole, which maps it.
Result<LoadedTokenizer> LoadTokenizer(const std::string& path) {
  LoadedTokenizer loaded;
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if (info.is_directory) {
    FERRY_ASSIGN_OR_RETURN(loaded.own, llm::LoadTokenizerFolder(fs, path));
    loaded.tokenizer = loaded.own.get();
    return loaded;
  }
  FERRY_ASSIGN_OR_RETURN(loaded.model, llm::Model::Load(fs, path));
  FERRY_ASSIGN_OR_RETURN(loaded.tokenizer, loaded.model->tokenizer());
  return loaded;
}

Result<std::vector<llm::TokenId>> ReadIds(const std::string& text, int64_t vocabulary) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_array()) return Status(Code::kMalformed, "wanted a JSON list of token ids");
  std::vector<llm::TokenId> ids;
  for (const Json& item : json) {
    const bool fits =
        item.is_number_unsigned() && item.get<uint64_t>() < static_cast<uint64_t>(vocabulary);
    if (!fits) {
      return Status::Of(Code::kInvalidArgument, "item {} is {}, wanted an id from 0 to {}",
                        ids.size(), item.is_number() ? WriteJson(item) : item.type_name(),
                        vocabulary - 1);
    }
    ids.push_back(static_cast<llm::TokenId>(item.get<uint64_t>()));
  }
  return ids;
}

Result<Output> Tokenize(const TokenizeRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const LoadedTokenizer loaded, LoadTokenizer(request.model));
  const llm::Tokenizer& tokenizer = *loaded.tokenizer;
  Output out;
  if (request.decode) {
    FERRY_ASSIGN_OR_RETURN(const std::string list, ReadStandardInput(kMaxIdListBytes));
    FERRY_ASSIGN_OR_RETURN(const auto ids, ReadIds(list, tokenizer.vocabulary()));
    out.text = llm::Decode(tokenizer, ids, request.no_special);
    out.json()["text"] = out.text;
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(const std::string text, ReadStandardInput(llm::kMaxEncodeBytes));
  const auto specials = request.no_special ? llm::Specials::kAsText : llm::Specials::kParse;
  FERRY_ASSIGN_OR_RETURN(const auto ids, tokenizer.Encode(text, specials));
  out.json()["ids"] = ids;
  out.text = WriteJson(out.json()["ids"]) + "\n";
  return out;
}

}  // namespace

void AddTokenizeCommand(Commands& commands) {
  const auto request = std::make_shared<TokenizeRequest>();
  CLI::App* tokenize = commands.Add(nullptr, "tokenize",
                                    "turn standard input into a JSON list of token ids, or back",
                                    "ferry tokenize pair/draft < story.txt",
                                    [request](const GlobalOptions&) { return Tokenize(*request); });
  tokenize->add_option("model", request->model, "a Hugging Face folder or a .flm file")->required();
  tokenize->add_flag("--decode", request->decode, "standard input is a JSON list of ids");
  tokenize->add_flag("--no-special", request->no_special,
                     "special tokens in the text are ordinary text; with --decode, leave them out");
}

}  // namespace ferry::cli
