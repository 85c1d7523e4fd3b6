// Text to token ids and back. One class for all kinds of tokenizers (pipeline/), whose models of
// pieces are rows of kinds/list.inc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

// How Encode treats the texts of special tokens ("<|im_end|>") that stand in its input.
enum class Specials {
  kParse,   // they become their ids, as Hugging Face's encode does
  kAsText,  // they are ordinary text: what users say can never close a turn
};

inline constexpr size_t kMaxEncodeBytes = 64 << 20;  // of one call

// Immutable; any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // kMalformed names the byte where the text is no UTF-8; kLimitExceeded past kMaxEncodeBytes.
  // Linear in the text, but for words of one piece (n log n). Appends nothing (no BOS).
  virtual Result<std::vector<TokenId>> Encode(std::string_view text,
                                              Specials specials = Specials::kParse) const = 0;
  // What one token shows: bytes, which may be part of a character; empty for an id that stands for
  // none. Special tokens give their text.
  virtual std::string_view TokenBytes(TokenId id) const = 0;
  virtual bool IsSpecial(TokenId id) const = 0;
  // The id of a special token's text, or -1.
  virtual TokenId SpecialId(std::string_view text) const = 0;
  virtual int64_t vocabulary() const = 0;
  // SHA-256 of everything that decides ids: equal for tokenizers that encode alike.
  virtual const Digest& digest() const = 0;
  // What SerializeTokenizer returns.
  virtual Bytes Serialize() const = 0;
  // Whether a whole text shows without the one space that it may begin with: tokens that begin a
  // word show a space before it, and so does the first.
  virtual bool DropsFirstSpace() const { return false; }
};

// The text of `ids`; bytes that form no UTF-8 become U+FFFD. `skip_specials` leaves those out.
std::string Decode(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                   bool skip_specials = false);

// Text as it comes, token by token, never half a character.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_specials = true);
  // What can be shown now; may be empty.
  std::string Push(TokenId id);
  // What is left: an unfinished character as U+FFFD.
  std::string Finish();

 private:
  const Tokenizer& tokenizer_;
  bool skip_specials_;
  bool drop_space_;  // nothing was shown yet
  std::string held_;
};

// Reads what of this `folder` has first: tokenizer.json, tokenizer.model (sentencepiece's, or ranks
// of tiktoken), vocab.json with merges.txt (Qwen2's cutting), vocab.txt (BERT's), one *.tiktoken.
// kNotFound when it has none.
Result<std::unique_ptr<Tokenizer>> LoadTokenizerFolder(sys::FileSystem& fs,
                                                       const std::string& folder);
// One file: tokenizer.json, tokenizer.model, *.tiktoken, GGUF; told by its first bytes, ranks by
// name. kUnsupported for others.
Result<std::unique_ptr<Tokenizer>> LoadTokenizerFile(sys::FileSystem& fs, const std::string& path);
// tokenizer.json's bytes. kMalformed, kUnsupported (names the part that is not supported),
// kLimitExceeded.
Result<std::unique_ptr<Tokenizer>> TokenizerFromJson(ByteView json);
// The form inside a Ferry model file: a versioned binary, read back without parsing JSON.
Bytes SerializeTokenizer(const Tokenizer& tokenizer);
Result<std::unique_ptr<Tokenizer>> TokenizerFromSerialized(ByteView bytes);

}  // namespace ferry::llm
