// What tokenizer files may say, and the form inside model files.
#include <gtest/gtest.h>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"
#include "device-runtime/llm/tokenizer/tests/tiny.h"

namespace ferry::llm {
namespace {

using testing::Make;
using testing::MakeTiny;
using testing::Tiny;

Status Refusal(const Json& json) {
  return TokenizerFromJson(AsBytes(WriteJson(json))).status();
}

// `change` makes a good tokenizer one that is refused with `code` and a message that names `part`.
void ExpectRefused(Code code, std::string_view part, const std::function<void(Json&)>& change) {
  Json json = MakeTiny(1, "ab", 5).json;
  ASSERT_TRUE(Refusal(json).ok());
  change(json);
  const Status status = Refusal(json);
  EXPECT_EQ(status.code(), code) << part << ": " << status.ToString();
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(TokenizerJson, NamesThePartThatIsNotSupported) {
  const auto refuse = [](std::string_view part, const std::function<void(Json&)>& change) {
    ExpectRefused(Code::kUnsupported, part, change);
  };
  refuse("WordLevel", [](Json& json) { json["model"]["type"] = "WordLevel"; });
  refuse("continuing_subword_prefix",
         [](Json& json) { json["model"]["continuing_subword_prefix"] = "##"; });
  refuse("dropout", [](Json& json) { json["model"]["dropout"] = 0.1; });
  refuse("byte_fallback", [](Json& json) { json["model"]["byte_fallback"] = true; });
  refuse("Nmt", [](Json& json) { json["normalizer"] = {{"type", "Nmt"}}; });
  refuse("Metaspace", [](Json& json) { json["pre_tokenizer"] = {{"type", "Metaspace"}}; });
  refuse("ByteLevel", [](Json& json) { json["pre_tokenizer"] = nullptr; });
  refuse("ByteLevel", [](Json& json) { json["pre_tokenizer"] = {{"type", "Digits"}}; });
  refuse("Merged",
         [](Json& json) { json["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Merged"; });
  refuse("decoder", [](Json& json) { json["decoder"] = nullptr; });
  refuse("Fuse", [](Json& json) { json["decoder"] = {{"type", "Fuse"}}; });
  refuse("post-processor", [](Json& json) { json["post_processor"] = {{"type", "Odd"}}; });
  refuse("expression", [](Json& json) {
    json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "(unclosed";
  });
}

TEST(TokenizerJson, SaysWhatIsMalformed) {
  const auto refuse = [](std::string_view part, const std::function<void(Json&)>& change) {
    ExpectRefused(Code::kMalformed, part, change);
  };
  refuse("model", [](Json& json) { json.erase("model"); });
  refuse("vocab", [](Json& json) { json["model"].erase("vocab"); });
  refuse("merges", [](Json& json) { json["model"]["merges"] = 3; });
  refuse("two tokens", [](Json& json) { json["model"]["merges"] = Json::array({"a"}); });
  refuse("two tokens", [](Json& json) { json["model"]["merges"] = Json::array({"a b c"}); });
  refuse("lacks", [](Json& json) { json["model"]["merges"] = Json::array({"a \xe4\xb8\xad"}); });
  refuse("merge", [](Json& json) { json["model"]["merges"] = Json::array({7}); });
  refuse("has no id", [](Json& json) { json["model"]["vocab"]["a"] = -1; });
  refuse("has no id", [](Json& json) { json["model"]["vocab"]["a"] = kMaxVocabulary; });
  refuse("of another", [](Json& json) { json["model"]["vocab"]["a"] = 'b'; });
  refuse("content", [](Json& json) { json["added_tokens"][0].erase("content"); });
  refuse("id", [](Json& json) { json["added_tokens"][0]["id"] = "x"; });
  refuse("added tokens have id", [](Json& json) { json["added_tokens"][1]["id"] = 261; });
  EXPECT_EQ(Refusal(Json::array()).code(), Code::kMalformed);
  EXPECT_EQ(TokenizerFromJson(AsBytes("{\"model\":")).code(), Code::kMalformed);
  const std::string huge(kMaxTokenizerJsonBytes + 1, ' ');
  EXPECT_EQ(TokenizerFromJson(AsBytes(huge)).code(), Code::kLimitExceeded);
}

TEST(TokenizerJson, BothSpellingsOfMergesAreTheSameTokenizer) {
  const auto pairs = Make(MakeTiny(4, "abc", 30, true).json);
  const auto texts = Make(MakeTiny(4, "abc", 30, false).json);
  EXPECT_EQ(pairs->digest(), texts->digest());
  EXPECT_NE(pairs->digest(), Make(MakeTiny(5, "abc", 30).json)->digest());
}

TEST(TokenizerJson, DigestCoversWhatDecidesIds) {
  const Json plain = MakeTiny(4, "abc", 30).json;
  const Digest digest = Make(plain)->digest();
  const std::function<void(Json&)> changes[] = {
      [](Json& json) { json["normalizer"] = nullptr; },
      [](Json& json) { json["model"]["ignore_merges"] = true; },
      [](Json& json) { json["added_tokens"][0]["special"] = false; },
      [](Json& json) { json["added_tokens"][1]["lstrip"] = true; },
      [](Json& json) { json["added_tokens"].erase(1); },
      [](Json& json) { json["model"]["merges"].erase(29); },
      [](Json& json) { std::swap(json["model"]["merges"][0], json["model"]["merges"][1]); },
      [](Json& json) { std::swap(json["model"]["vocab"]["x"], json["model"]["vocab"]["y"]); },
      [](Json& json) { json["pre_tokenizer"]["pretokenizers"][1]["use_regex"] = true; },
      [](Json& json) { json["pre_tokenizer"]["pretokenizers"][0]["invert"] = true; },
  };
  for (const auto& change : changes) {
    Json json = plain;
    change(json);
    EXPECT_NE(Make(json)->digest(), digest) << WriteJson(json).substr(0, 300);
  }
  // A post-processor only adds tokens around the text, which Encode leaves to the caller.
  Json json = plain;
  json["post_processor"] = {{"type", "TemplateProcessing"}};
  EXPECT_EQ(Make(json)->digest(), digest);
}

TEST(TokenizerFolder, VocabAndMergesWithQwen2Cutting) {
  sys::SimFileSystem fs;
  const auto write = [&fs](const std::string& name, const std::string& text) {
    ASSERT_TRUE(fs.MakeDirectories("m").ok());
    ASSERT_TRUE(sys::WriteFileAtomically(fs, "m/" + name, AsBytes(text)).ok());
  };
  EXPECT_EQ(LoadTokenizerFolder(fs, "m").code(), Code::kNotFound);
  const Tiny tiny = MakeTiny(2, "ab1", 20);
  write("vocab.json", WriteJson(tiny.json["model"]["vocab"]));
  EXPECT_EQ(LoadTokenizerFolder(fs, "m").code(), Code::kNotFound);
  std::string merges = "#version: 0.2\n";
  for (const Json& merge : tiny.json["model"]["merges"]) {
    merges += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\r\n";
  }
  write("merges.txt", merges);
  const auto bare = LoadTokenizerFolder(fs, "m");
  ASSERT_TRUE(bare.ok()) << bare.status().ToString();
  EXPECT_EQ((*bare)->Encode("11")->size(), 2u);  // digits are cut one by one
  EXPECT_EQ((*bare)->SpecialId("<|end|>"), -1);
  write("tokenizer_config.json",
        R"({"added_tokens_decoder":{"400":{"content":"<|end|>","special":true}}})");
  const auto full = LoadTokenizerFolder(fs, "m");
  ASSERT_TRUE(full.ok()) << full.status().ToString();
  EXPECT_EQ((*full)->SpecialId("<|end|>"), 400);
  EXPECT_NE((*full)->digest(), (*bare)->digest());
  write("tokenizer_config.json", R"({"added_tokens_decoder":{"x":{"content":"<|end|>"}}})");
  EXPECT_EQ(LoadTokenizerFolder(fs, "m").code(), Code::kMalformed);
  // tokenizer.json comes first.
  write("tokenizer.json", WriteJson(tiny.json));
  const auto json = LoadTokenizerFolder(fs, "m");
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  EXPECT_EQ((*json)->digest(), Make(tiny.json)->digest());
  write("tokenizer.json", "{");
  const auto broken = LoadTokenizerFolder(fs, "m");
  EXPECT_EQ(broken.code(), Code::kMalformed);
  EXPECT_NE(broken.status().message().find("tokenizer.json"), std::string::npos);
}

TEST(TokenizerSerialized, RoundTripAndTruncation) {
  const auto tokenizer = Make(MakeTiny(6, "abcd", 60).json);
  const Bytes bytes = SerializeTokenizer(*tokenizer);
  const auto again = TokenizerFromSerialized(bytes);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->digest(), tokenizer->digest());
  EXPECT_EQ(SerializeTokenizer(**again), bytes);
  EXPECT_EQ(*(*again)->Encode("abacada <|end|>\xc3\xa9"),
            *tokenizer->Encode("abacada <|end|>\xc3\xa9"));
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(TokenizerFromSerialized(ByteView(bytes).first(size)).ok()) << size;
  }
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_EQ(TokenizerFromSerialized(longer).code(), Code::kMalformed);
  Bytes version = bytes;
  version[4] = 3;
  EXPECT_EQ(TokenizerFromSerialized(version).code(), Code::kUnsupported);
  Bytes kind = bytes;
  kind[12] = 'x';
  EXPECT_EQ(TokenizerFromSerialized(kind).code(), Code::kUnsupported);
  Bytes magic = bytes;
  magic[0] = 'x';
  EXPECT_EQ(TokenizerFromSerialized(magic).code(), Code::kMalformed);
}

// Model files hold this form for ever: version 1 may not change.
TEST(TokenizerSerialized, VersionOneStaysAsItIs) {
  const char letters[] = {'a', 'b'};
  Json vocab = {{"ab", 2}};
  for (int i = 0; i < 2; ++i) vocab[std::string(1, letters[i])] = i;
  const Json json = {
      {"added_tokens", {{{"id", 4}, {"content", "<e>"}, {"special", true}, {"rstrip", true}}}},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer",
       {{"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"}, {"pattern", {{"String", "x"}}}, {"behavior", "Removed"}},
          {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", false}}}}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"a b"}}}}};
  const std::string expected =
      "46544f4b"
      "01000000"
      "08000000"
      "627974655f627065"  // FTOK, version, "byte_bpe"
      "01"
      "00"  // NFC, no whole pieces
      "02000000"
      "01"
      "01"
      "00"
      "01000000"
      "78"  // literal, removed, "x"
      "02"
      "00"
      "00"
      "00000000"  // a space before each piece
      "05000000"
      "0101010000"  // tokens: kinds
      "0100"
      "0100"
      "0200"
      "0000"
      "0000"
      "6162"
      "6162"  // lengths and texts
      "01000000"
      "00000000"
      "01000000"  // merges
      "01000000"
      "04000000"
      "05"
      "03000000"
      "3c653e";  // added: special, right strip
  EXPECT_EQ(ToHex(SerializeTokenizer(*Make(json))), expected);
}

// The same of version 2, with a step of each part.
TEST(TokenizerSerialized, VersionTwoStaysAsItIs) {
  const Json json = {
      {"added_tokens", {{{"id", 3}, {"content", "<e>"}, {"special", true}}}},
      {"normalizer", {{"type", "Prepend"}, {"prepend", "_"}}},
      {"pre_tokenizer", {{"type", "Metaspace"}, {"prepend_scheme", "first"}, {"split", false}}},
      {"decoder", {{"type", "Metaspace"}, {"prepend_scheme", "first"}}},
      {"model",
       {{"type", "Unigram"},
        {"unk_id", 0},
        {"vocab", Json::array({Json::array({"u", 0.0}), Json::array({"a", -1.5}),
                               Json::array({"ab", -2.0})})}}}};
  const std::string expected =
      "46544f4b"
      "02000000"
      "07000000"
      "756e696772616d"  // FTOK, version, "unigram"
      "01000000"
      "0900"
      "00000000"
      "010000005f"  // one normalizer: before a text, "_"
      "01000000"
      "03000001"
      "00000000"  // one step: spaces become marks, one before the first text
      "0102"
      "00000000"  // marks are shown as spaces, the first is dropped
      "04000000"
      "02010100"
      "0100010002000000"
      "75616162"  // tokens: kinds, lengths, texts
      "01000000"
      "0300000001"
      "030000003c653e"  // added: special
      "0200000000"      // unknown ones fuse into token 0
      "0000000000000000"
      "000000000000f8bf"
      "00000000000000c0"
      "0000000000000000";  // scores
  EXPECT_EQ(ToHex(SerializeTokenizer(*Make(json))), expected);
}

}  // namespace
}  // namespace ferry::llm
