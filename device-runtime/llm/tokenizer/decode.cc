// Decode and StreamDecoder: the same for every kind, as a token is a string of bytes.
#include "device-runtime/llm/tokenizer/text/utf8.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

std::string Decode(const Tokenizer& tokenizer, std::span<const TokenId> ids, bool skip_specials) {
  std::string bytes;
  for (const TokenId id : ids) {
    if (skip_specials && tokenizer.IsSpecial(id)) continue;
    bytes += tokenizer.TokenBytes(id);
  }
  if (tokenizer.DropsFirstSpace() && bytes.starts_with(' ')) bytes.erase(0, 1);
  if (ValidUtf8Prefix(bytes) == bytes.size()) return bytes;
  std::string text;
  AppendRepairedUtf8(bytes, /*keep_cut=*/false, text);
  return text;
}

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_specials)
    : tokenizer_(tokenizer),
      skip_specials_(skip_specials),
      drop_space_(tokenizer.DropsFirstSpace()) {}

std::string StreamDecoder::Push(TokenId id) {
  if (skip_specials_ && tokenizer_.IsSpecial(id)) return {};
  std::string_view bytes = tokenizer_.TokenBytes(id);
  if (drop_space_ && !bytes.empty()) {
    if (bytes.starts_with(' ')) bytes.remove_prefix(1);
    drop_space_ = false;
  }
  held_ += bytes;
  std::string text;
  const size_t cut = AppendRepairedUtf8(held_, /*keep_cut=*/true, text);
  held_.erase(0, held_.size() - cut);
  return text;
}

std::string StreamDecoder::Finish() {
  std::string text;
  AppendRepairedUtf8(held_, /*keep_cut=*/false, text);
  held_.clear();
  return text;
}

}  // namespace ferry::llm
