// ferry tokenize: text to token ids and back.
#include <charconv>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"
#include "tools/ferry/standard_streams.h"
#include "tools/ferry/text/tokenizer_source.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxIdListBytes = kMaxJsonBytes;

struct TokenizeRequest {
  std::string model;
  std::string text;
  std::string file;
  std::string decode_ids;
  CLI::Option* text_given = nullptr;
  CLI::Option* decode = nullptr;
  bool ids = false;
  bool no_specials = false;
};

Status CheckId(size_t place, std::string_view shown, bool fits, int64_t vocabulary) {
  if (fits) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "item {} is {}, wanted an id from 0 to {}", place,
                    shown, vocabulary - 1);
}

// "1,2,3" or "1 2 3".
Result<std::vector<llm::TokenId>> PlainIds(std::string_view text, int64_t vocabulary) {
  constexpr std::string_view kBetween = ", \t\r\n";
  std::vector<llm::TokenId> ids;
  for (size_t at = text.find_first_not_of(kBetween); at < text.size();
       at = text.find_first_not_of(kBetween, at)) {
    const size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view item = text.substr(at, end - at);
    int64_t id = -1;
    const auto read = std::from_chars(item.data(), item.data() + item.size(), id);
    const bool fits = read.ec == std::errc() && read.ptr == item.data() + item.size() && id >= 0 &&
                      id < vocabulary;
    FERRY_TRY(CheckId(ids.size(), item.substr(0, 40), fits, vocabulary));
    ids.push_back(static_cast<llm::TokenId>(id));
    at = end;
  }
  return ids;
}

Result<std::vector<llm::TokenId>> ReadIds(const std::string& text, int64_t vocabulary) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool plain = first != std::string::npos && text[first] >= '0' && text[first] <= '9';
  if (plain) return PlainIds(text, vocabulary);
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_array()) return Status(Code::kMalformed, "wanted a JSON list of token ids");
  std::vector<llm::TokenId> ids;
  for (const Json& item : json) {
    const bool fits =
        item.is_number_unsigned() && item.get<uint64_t>() < static_cast<uint64_t>(vocabulary);
    FERRY_TRY(CheckId(ids.size(), item.is_number() ? WriteJson(item) : item.type_name(), fits,
                      vocabulary));
    ids.push_back(static_cast<llm::TokenId>(item.get<uint64_t>()));
  }
  return ids;
}

// What --file, the argument or standard input says.
Result<std::string> ReadInput(const TokenizeRequest& request, size_t limit) {
  if (!request.file.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                           sys::ReadFile(sys::SystemFileSystem(), request.file, limit));
    return std::string(AsText(bytes));
  }
  if (request.text_given->count() > 0) return request.text;
  return ReadStandardInput(limit);
}

Result<Output> TokenizeDecode(const TokenizeRequest& request, const llm::Tokenizer& tokenizer) {
  std::string list = request.decode_ids;
  if (list.empty()) {
    FERRY_ASSIGN_OR_RETURN(list, ReadInput(request, kMaxIdListBytes));
  }
  FERRY_ASSIGN_OR_RETURN(const auto ids, ReadIds(list, tokenizer.vocabulary()));
  Output out;
  out.text = llm::Decode(tokenizer, ids, request.no_specials);
  out.exact = true;
  out.json()["text"] = out.text;
  return out;
}

Result<Output> Tokenize(const TokenizeRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const NamedTokenizer named, OpenTokenizer(request.model));
  const llm::Tokenizer& tokenizer = *named.tokenizer;
  if (request.decode->count() > 0) return TokenizeDecode(request, tokenizer);
  FERRY_ASSIGN_OR_RETURN(const std::string text, ReadInput(request, llm::kMaxEncodeBytes));
  const auto specials = request.no_specials ? llm::Specials::kAsText : llm::Specials::kParse;
  FERRY_ASSIGN_OR_RETURN(const auto ids, tokenizer.Encode(text, specials));
  Output out;
  out.json()["ids"] = ids;
  out.text =
      request.ids ? fmt::format("{}\n", fmt::join(ids, ",")) : WriteJson(out.json()["ids"]) + "\n";
  return out;
}

}  // namespace

void AddTokenizeCommand(Commands& commands) {
  const auto request = std::make_shared<TokenizeRequest>();
  CLI::App* tokenize =
      commands.Add(nullptr, "tokenize", "turn text into a JSON list of token ids, or back",
                   "ferry tokenize pair/draft \"Once upon a time\"",
                   [request](const GlobalOptions&) { return Tokenize(*request); });
  tokenize
      ->add_option("model", request->model,
                   "a Hugging Face folder, tokenizer.json, tokenizer.model, NAME.tiktoken, a GGUF "
                   "or .flm file")
      ->required();
  request->text_given =
      tokenize->add_option("text", request->text, "the text; without it standard input");
  tokenize->add_option("--file", request->file, "a file with the text (with --decode: the ids)")
      ->excludes(request->text_given);
  request->decode =
      tokenize
          ->add_option("--decode", request->decode_ids,
                       "token ids (1,2,3 or a JSON list) to text; without a value from --file or "
                       "standard input")
          ->expected(0, 1);
  tokenize->add_flag("--ids", request->ids, "print 1,2,3, as `ferry llm logits --ids` takes them");
  tokenize->add_flag("--no-specials,--no-special", request->no_specials,
                     "special tokens in the text are ordinary text; with --decode, leave them out");
}

}  // namespace ferry::cli
