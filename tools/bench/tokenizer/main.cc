// ferry-tokenizer-bench: how fast each kind of tokenizer is on one core, and whether its time is
// linear in the text.
//
//   ferry-tokenizer-bench [--data tokenizers.tar.xz] [--text FILE...] [--rounds N] [--json]
//
// English is the text of the files, repeated to 8 MB; "one word" is the same without white space;
// a letter and random ideographs are worst cases. Cases run in interleaved rounds; a figure is the
// best round's processor time. Fails below the floors.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <set>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/formats/gguf.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr double kLeastEnglish = 10;   // MB/s
constexpr double kMostSlowdown = 2.5;  // of a byte in a text eight times as long
constexpr size_t kEnglishBytes = 8 << 20;
constexpr size_t kOtherBytes = 1 << 20;

struct TokenizerArguments {
  std::string data = "../shared/testdata/tokenizers.tar.xz";
  std::vector<std::string> texts = {"README.md", "CHANGELOG.md", "pipeline/README.md",
                                    "device-runtime/vm/README.md"};
  std::string filter;
  int rounds = 3;
  bool json = false;
};

struct TokenizerRow {
  std::string kind;
  std::string name;
  std::string text;
  double mb_per_s = 0;
  double slowdown = 0;  // time of a byte here over that in an eighth of the text
  bool floor = true;    // above all that is asked of it
};

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Repeated to `bytes`, whole characters.
std::string Repeated(const std::string& text, size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += text;
  out.resize(bytes);
  out.resize(ValidUtf8Prefix(out));
  return out;
}

std::string WithoutSpaces(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') out += c;
  }
  return out;
}

std::string Ideographs(size_t bytes) {
  std::mt19937 random(1);
  std::string out;
  while (out.size() < bytes) AppendUtf8(0x4e00 + random() % 3000, out);
  return out;
}

using Named = std::pair<std::string, std::unique_ptr<Tokenizer>>;

// WordPiece over the words of another vocabulary: the test data have none.
Result<std::unique_ptr<Tokenizer>> WordPieceOf(ByteView file) {
  FERRY_ASSIGN_OR_RETURN(const formats::Gguf gguf, formats::Gguf::Read(file, "gpt-2"));
  const formats::GgufValue* tokens = gguf.Find("tokenizer.ggml.tokens");
  const auto texts = tokens == nullptr ? std::nullopt : tokens->Texts();
  if (!texts) return Status(Code::kMalformed, "no tokens");
  std::string vocab = "[UNK]\n";
  std::set<std::string> seen;
  constexpr std::string_view kSpace = "\xc4\xa0";  // a space in the byte alphabet
  for (const std::string_view text : *texts) {
    const std::string word = text.starts_with(kSpace) ? std::string(text.substr(kSpace.size()))
                                                      : "##" + std::string(text);
    if (seen.insert(word).second) vocab += word + "\n";
  }
  return TokenizerFromVocabText(vocab, Json());
}

Result<std::vector<Named>> LoadAll(const std::string& folder) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  std::vector<Named> all;
  const auto add = [&](const char* kind, const std::string& name) -> Status {
    const std::string path = sys::JoinPath(folder, name);
    FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
    auto tokenizer =
        info.is_directory ? LoadTokenizerFolder(fs, path) : LoadTokenizerFile(fs, path);
    if (!tokenizer.ok()) return tokenizer.status();
    all.emplace_back(std::string(kind) + " " + name, std::move(*tokenizer));
    return OkStatus();
  };
  FERRY_TRY(add("byte_bpe", "ggml-vocab-gpt-2.gguf"));
  FERRY_TRY(add("byte_bpe", "ggml-vocab-deepseek-llm.gguf"));
  FERRY_TRY(add("byte_bpe", "qwen2"));
  FERRY_TRY(add("byte_bpe", "hf/clip.tokenizer.json"));
  FERRY_TRY(add("sp_bpe", "ggml-vocab-phi-3.gguf"));
  FERRY_TRY(add("tiktoken", "tiktoken/cl100k_base.tiktoken"));
  FERRY_TRY(add("tiktoken", "tiktoken/o200k_base.tiktoken"));
  FERRY_TRY(add("unigram", "hf/t5-small.tokenizer.json"));
  FERRY_TRY(add("unigram", "sentencepiece/test_model.model"));
  FERRY_ASSIGN_OR_RETURN(const Bytes gpt2,
                         sys::ReadFile(fs, sys::JoinPath(folder, "ggml-vocab-gpt-2.gguf")));
  FERRY_ASSIGN_OR_RETURN(auto word_piece, WordPieceOf(gpt2));
  all.emplace_back("wordpiece of gpt-2's words", std::move(word_piece));
  return all;
}

struct TokenizerCase {
  const Named* tokenizer;
  const std::string* text;
  TokenizerRow row;
  double whole = 1e9;  // seconds, the best round
  double eighth = 1e9;
};

Status MeasureOnce(TokenizerCase& one) {
  const std::string& text = *one.text;
  std::string part = text.substr(0, text.size() / 8);
  part.resize(ValidUtf8Prefix(part));
  for (auto [input, best] : {std::pair(std::string_view(text), &one.whole),
                             std::pair(std::string_view(part), &one.eighth)}) {
    const double before = ThreadSeconds();
    const auto ids = one.tokenizer->second->Encode(input);
    *best = std::min(*best, ThreadSeconds() - before);
    if (!ids.ok()) return ids.status();
  }
  one.row.mb_per_s = 1e-6 * static_cast<double>(text.size()) / one.whole;
  one.row.slowdown = one.whole / static_cast<double>(text.size()) /
                     (one.eighth / static_cast<double>(part.size()));
  return OkStatus();
}

Result<std::vector<TokenizerRow>> MeasureTokenizers(const TokenizerArguments& arguments,
                                                    const std::string& folder) {
  std::string prose;
  for (const std::string& path : arguments.texts) {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(sys::SystemFileSystem(), path));
    prose += AsText(bytes);
  }
  const std::pair<std::string, std::string> texts[] = {
      {"english", Repeated(prose, kEnglishBytes)},
      {"one word", Repeated(WithoutSpaces(prose), kOtherBytes)},
      {"one letter", std::string(kOtherBytes, 'e')},
      {"ideographs", Ideographs(kOtherBytes)}};
  FERRY_ASSIGN_OR_RETURN(const std::vector<Named> tokenizers, LoadAll(folder));
  std::vector<TokenizerCase> cases;
  for (const Named& tokenizer : tokenizers) {
    for (const auto& [name, text] : texts) {
      const size_t space = tokenizer.first.find(' ');
      TokenizerRow row{tokenizer.first.substr(0, space), tokenizer.first.substr(space + 1), name};
      if (tokenizer.first.find(arguments.filter) == std::string::npos) continue;
      cases.push_back({&tokenizer, &text, std::move(row)});
    }
  }
  for (int round = 0; round < arguments.rounds; ++round) {
    for (TokenizerCase& one : cases) {
      FERRY_TRY(MeasureOnce(one).Context("{} on {}", one.tokenizer->first, one.row.text));
    }
  }
  std::vector<TokenizerRow> rows;
  for (TokenizerCase& one : cases) {
    const bool fast = one.row.text != "english" || one.row.mb_per_s >= kLeastEnglish;
    one.row.floor = fast && one.row.slowdown <= kMostSlowdown;
    rows.push_back(one.row);
  }
  return rows;
}

int PrintTokenizers(const std::vector<TokenizerRow>& rows, bool json) {
  const bool good =
      std::all_of(rows.begin(), rows.end(), [](const TokenizerRow& row) { return row.floor; });
  if (json) {
    Json list = Json::array();
    for (const TokenizerRow& row : rows) {
      list.push_back({{"kind", row.kind},
                      {"name", row.name},
                      {"text", row.text},
                      {"mb_per_s", row.mb_per_s},
                      {"slowdown", row.slowdown},
                      {"floor", row.floor}});
    }
    fmt::print("{}\n", WriteJsonPretty({{"results", list}, {"passed", good}}));
    return good ? 0 : 1;
  }
  fmt::print("{:<10} {:<30} {:<11} {:>7} {:>9}\n", "kind", "vocabulary", "text", "MB/s",
             "8x longer");
  for (const TokenizerRow& row : rows) {
    fmt::print("{:<10} {:<30} {:<11} {:>7.1f} {:>8.2f}x{}\n", row.kind, row.name, row.text,
               row.mb_per_s, row.slowdown, row.floor ? "" : "  BELOW THE FLOOR");
  }
  fmt::print(
      "floors: English {} MB/s of one core; a byte of a text 8 times as long takes at most "
      "{} times as long: {}\n",
      kLeastEnglish, kMostSlowdown, good ? "all held" : "NOT HELD");
  return good ? 0 : 1;
}

int RunTokenizerBench(const TokenizerArguments& arguments) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  if (!sys::Exists(fs, arguments.data)) {
    fmt::print(stderr, "ferry-tokenizer-bench: skipped: no test data at {}\n", arguments.data);
    return 0;
  }
  char name[] = "/tmp/ferry-tokenizers-XXXXXX";
  const std::string folder = mkdtemp(name);
  const std::string command = "tar -xJf '" + arguments.data + "' -C '" + folder + "'";
  if (std::system(command.c_str()) != 0) return 1;
  const auto rows = MeasureTokenizers(arguments, sys::JoinPath(folder, "tokenizers"));
  (void)fs.RemoveTree(folder);
  if (rows.ok()) return PrintTokenizers(*rows, arguments.json);
  fmt::print(stderr, "ferry-tokenizer-bench: {}\n", rows.status().ToString());
  return 1;
}

}  // namespace
}  // namespace ferry::llm

int main(int argc, char** argv) {
  ferry::llm::TokenizerArguments arguments;
  CLI::App app("Measures tokenizers on one core: best of interleaved rounds.");
  app.add_option("--data", arguments.data, "the tests' tokenizers.tar.xz")->capture_default_str();
  app.add_option("--text", arguments.texts, "files of English text");
  app.add_option("--filter", arguments.filter, "only tokenizers whose kind and name contain this");
  app.add_option("--rounds", arguments.rounds, "interleaved rounds")->check(CLI::Range(1, 1000));
  app.add_flag("--json", arguments.json, "print JSON");
  CLI11_PARSE(app, argc, argv);
  return ferry::llm::RunTokenizerBench(arguments);
}
