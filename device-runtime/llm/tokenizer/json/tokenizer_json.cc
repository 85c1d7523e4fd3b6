#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"

namespace ferry::llm {
namespace {

// Takes JSON's events: passes them on to nlohmann's builder of values, but for what stands inside
// of the vocabulary and the merges.
class TokenizerEvents : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  // `vocab_depth`: how deep the vocabulary lies; 0: it is the whole.
  TokenizerEvents(TokenizerJson& out, bool vocab_alone)
      : Base(out.json, false), out_(out), vocab_alone_(vocab_alone) {}

  Status fault = OkStatus();

  bool null() { return taking_ == kNothing ? Base::null() : TakeOther(); }
  bool boolean(bool value) { return taking_ == kNothing ? Base::boolean(value) : TakeOther(); }
  bool number_integer(int64_t value) {
    return taking_ == kNothing ? Base::number_integer(value)
                               : TakeNumber(static_cast<double>(value), false, 0);
  }
  bool number_unsigned(uint64_t value) {
    return taking_ == kNothing ? Base::number_unsigned(value)
                               : TakeNumber(static_cast<double>(value), true, value);
  }
  bool number_float(double value, const std::string& text) {
    return taking_ == kNothing ? Base::number_float(value, text) : TakeNumber(value, false, 0);
  }
  bool string(std::string& value) {
    return taking_ == kNothing ? Base::string(value) : TakeText(value);
  }
  bool key(std::string& name) {
    if (taking_ == kNothing) {
      if (depth_ == 1) in_model_ = name == "model";
      if (depth_ <= 2) key_ = name;
      return Base::key(name);
    }
    token_ = name;
    return true;
  }
  bool start_object(size_t size) {
    if (!Enter()) return false;
    if (taking_ != kNothing) return TakeOther();
    if (InModel("vocab") || (vocab_alone_ && depth_ == 1)) {
      if (!Begin(kTokens)) return false;
    }
    return Base::start_object(size);
  }
  bool end_object() {
    --depth_;
    if (taking_ == kTokens) taking_ = kNothing;
    if (taking_ != kNothing) return true;
    return Base::end_object();
  }
  bool start_array(size_t size) {
    if (!Enter()) return false;
    if (taking_ == kPieces || taking_ == kMerges) {
      in_pair_ = 0;
      return depth_ == 4 ? true : TakeOther();
    }
    if (taking_ != kNothing) return TakeOther();
    if (InModel("vocab")) {
      if (!Begin(kPieces)) return false;
      out_.vocab_is_list = true;
    }
    if (InModel("merges") && !Begin(kMerges)) return false;
    return Base::start_array(size);
  }
  bool end_array() {
    --depth_;
    if (taking_ == kNothing) return Base::end_array();
    if (depth_ == 3) return in_pair_ == 2 ? true : TakeOther();
    taking_ = kNothing;
    return Base::end_array();
  }
  template <typename Exception>
  bool parse_error(size_t position, const std::string&, const Exception&) {
    return Fail(Status::Of(Code::kMalformed, "not JSON at offset {}", position));
  }

 private:
  enum Taking { kNothing, kTokens, kPieces, kMerges };

  bool Fail(Status status) {
    if (fault.ok()) fault = std::move(status);
    return false;
  }
  bool Enter() {
    if (++depth_ <= kMaxJsonDepth) return true;
    return Fail(Status::Of(Code::kLimitExceeded, "JSON nested deeper than {}", kMaxJsonDepth));
  }
  bool InModel(std::string_view key) const {
    return !vocab_alone_ && depth_ == 3 && in_model_ && key_ == key;
  }
  bool Begin(Taking what) {
    bool& seen = what == kMerges ? seen_merges_ : seen_vocab_;
    if (seen) return Fail(Status::Of(Code::kMalformed, "{:?} is there twice", key_));
    seen = true;
    taking_ = what;
    return true;
  }
  // Anything that may not stand where it does.
  bool TakeOther() {
    switch (taking_) {
      case kTokens:
        return Fail(Status::Of(Code::kMalformed, "token {:?} has no id from 0 to {}", token_,
                               kMaxVocabulary - 1));
      case kPieces:
        return Fail(Status::Of(Code::kMalformed, "entry {} of vocab is no text with a score",
                               out_.tokens.size()));
      default:
        return Fail(Status(Code::kMalformed, "a merge is neither a text nor a pair of texts"));
    }
  }
  bool TakeNumber(double value, bool whole, uint64_t id) {
    if (taking_ == kTokens && whole && id < static_cast<uint64_t>(kMaxVocabulary)) {
      out_.tokens.Add(token_);
      out_.ids.push_back(static_cast<uint32_t>(id));
      return CheckCount(out_.tokens.size(), kMaxVocabulary, "tokens");
    }
    if (taking_ != kPieces || depth_ != 4 || in_pair_ != 1) return TakeOther();
    ++in_pair_;
    out_.tokens.Add(token_);
    out_.scores.push_back(value);
    return CheckCount(out_.tokens.size(), kMaxVocabulary, "tokens");
  }
  bool TakeText(const std::string& text) {
    if (taking_ == kPieces && depth_ == 4 && in_pair_ == 0) {
      ++in_pair_;
      token_ = text;
      return true;
    }
    if (taking_ != kMerges) return TakeOther();
    if (depth_ == 4) {
      if (++in_pair_ > 2) return TakeOther();
      out_.merges.Add(text);
      return CheckCount(out_.merges.size() / 2, kMaxMerges, "merges");
    }
    const size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
      return Fail(Status::Of(Code::kMalformed, "merge {:?} is not two tokens", text));
    }
    out_.merges.Add(std::string_view(text).substr(0, space));
    out_.merges.Add(std::string_view(text).substr(space + 1));
    return CheckCount(out_.merges.size() / 2, kMaxMerges, "merges");
  }
  bool CheckCount(size_t count, size_t most, std::string_view what) {
    if (count <= most) return true;
    return Fail(Status::Of(Code::kLimitExceeded, "over {} {}", most, what));
  }

  TokenizerJson& out_;
  bool vocab_alone_;
  int depth_ = 0;
  Taking taking_ = kNothing;
  bool in_model_ = false;
  bool seen_vocab_ = false;
  bool seen_merges_ = false;
  int in_pair_ = 0;  // members so far of a list in a list
  std::string key_;
  std::string token_;
};

Result<TokenizerJson> ReadByEvents(ByteView bytes, bool vocab_alone) {
  if (bytes.size() > kMaxTokenizerJsonBytes) {
    return Status::Of(Code::kLimitExceeded, "JSON of {} bytes, at most {}", bytes.size(),
                      kMaxTokenizerJsonBytes);
  }
  TokenizerJson out;
  TokenizerEvents events(out, vocab_alone);
  const std::string_view text = AsText(bytes);
  if (!Json::sax_parse(text.begin(), text.end(), &events) || !events.fault.ok()) {
    return events.fault.ok() ? Status(Code::kMalformed, "not JSON") : events.fault;
  }
  return out;
}

}  // namespace

Result<TokenizerJson> ReadTokenizerJson(ByteView text) {
  FERRY_ASSIGN_OR_RETURN(TokenizerJson read, ReadByEvents(text, false));
  if (!read.json.is_object()) return Status(Code::kMalformed, "a tokenizer is a JSON object");
  return read;
}

Result<TokenizerJson> ReadVocabJson(ByteView text) {
  FERRY_ASSIGN_OR_RETURN(TokenizerJson read, ReadByEvents(text, true));
  if (!read.json.is_object()) {
    return Status(Code::kMalformed, "the vocabulary is no JSON object");
  }
  return read;
}

const Json& Member(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

bool IsNone(const Json& object, std::string_view key) {
  const Json& member = Member(object, key);
  return member.is_null() || member == "";
}

}  // namespace ferry::llm
