#include "common/trust/envelope.h"

#include "common/base/json.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

const Json kPart = {{"_type", "x"}, {"b", 1}, {"a", {{"z", "ü"}}}};

struct Keys {
  std::vector<SigningKey> all = {TestKey(1), TestKey(2), TestKey(3)};
  KeyMap map;
  RoleKeys role;
  explicit Keys(int threshold) {
    for (const SigningKey& key : all) {
      map.emplace(KeyIdOf(key.public_key()), key.public_key());
      role.key_ids.push_back(KeyIdOf(key.public_key()));
    }
    role.threshold = threshold;
  }
};

Status Verify(ByteView document, const Keys& keys) {
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document));
  return VerifyEnvelope(envelope, keys.map, keys.role, "test");
}

TEST(EnvelopeTest, ThresholdOfDifferentKeysIsNeeded) {
  const Keys keys(2);
  EXPECT_EQ(Verify(*SignDocument(kPart, std::span(keys.all).first(2)), keys).ToString(), "ok");
  EXPECT_EQ(Verify(*SignDocument(kPart, keys.all), keys).ToString(), "ok");
  const Status one = Verify(*SignDocument(kPart, std::span(keys.all).first(1)), keys);
  EXPECT_EQ(one.ToString(), "bad_signature: test: 1 of 2 needed keys signed");
  EXPECT_EQ(Verify(*SignDocument(kPart, {}), keys).code(), Code::kBadSignature);
}

TEST(EnvelopeTest, OneKeyCannotSignTwice) {
  const Keys keys(2);
  const Bytes signed_once = *SignDocument(kPart, std::span(keys.all).first(1));
  Json json = *ParseJson(AsText(signed_once));
  json["signatures"].push_back(json["signatures"][0]);
  EXPECT_EQ(Verify(ToBytes(WriteJson(json)), keys).code(), Code::kMalformed);
  // The same signature under another key's id does not match that key.
  json["signatures"][1]["keyid"] = KeyIdOf(keys.all[1].public_key());
  const Status status = Verify(ToBytes(WriteJson(json)), keys);
  EXPECT_EQ(status.code(), Code::kBadSignature);
  EXPECT_NE(status.message().find(KeyIdOf(keys.all[1].public_key()).substr(0, 12)),
            std::string::npos);
}

TEST(EnvelopeTest, KeysOutsideTheRoleDoNotCount) {
  Keys keys(2);
  const std::vector<SigningKey> signers = {TestKey(1), TestKey(77), TestKey(78)};
  const Bytes document = *SignDocument(kPart, signers);
  EXPECT_EQ(Verify(document, keys).code(), Code::kBadSignature);
  // Known, but of another role.
  keys.map.emplace(KeyIdOf(signers[1].public_key()), signers[1].public_key());
  EXPECT_EQ(Verify(document, keys).code(), Code::kBadSignature);
  keys.role.key_ids.push_back(KeyIdOf(signers[1].public_key()));
  EXPECT_EQ(Verify(document, keys).ToString(), "ok");
}

TEST(EnvelopeTest, SpacesAndOrderDoNotMatterButValuesDo) {
  const Keys keys(1);
  const Json json = *ParseJson(AsText(*SignDocument(kPart, keys.all)));
  EXPECT_EQ(Verify(ToBytes(WriteJsonPretty(json)), keys).ToString(), "ok");
  Json changed = json;
  changed["signed"]["b"] = 2;
  EXPECT_EQ(Verify(ToBytes(WriteJson(changed)), keys).code(), Code::kBadSignature);
  changed = json;
  changed["signed"]["c"] = nullptr;
  EXPECT_EQ(Verify(ToBytes(WriteJson(changed)), keys).code(), Code::kBadSignature);
}

TEST(EnvelopeTest, SignaturesAreAddedOnOtherMachines) {
  const Keys keys(3);
  Bytes document = *SignDocument(kPart, {});
  for (const SigningKey& key : keys.all) {
    EXPECT_EQ(Verify(document, keys).code(), Code::kBadSignature);
    document = *AddSignature(document, key);
  }
  EXPECT_EQ(Verify(document, keys).ToString(), "ok");
  EXPECT_EQ(*AddSignature(document, keys.all[0]), document);
  EXPECT_EQ(document, *SignDocument(kPart, keys.all));
}

TEST(EnvelopeTest, FormAndLimits) {
  EXPECT_EQ(ParseEnvelope(AsBytes("[]")).code(), Code::kMalformed);
  EXPECT_EQ(ParseEnvelope(AsBytes(R"({"signatures":[],"signed":1})")).code(), Code::kMalformed);
  EXPECT_EQ(ParseEnvelope(AsBytes(R"({"signatures":[],"signed":{"a":0.5}})")).code(),
            Code::kMalformed);
  EXPECT_EQ(ParseEnvelope(AsBytes(R"({"signatures":[{"keyid":"k","sig":"xy"}],"signed":{}})"))
                .status()
                .message(),
            "signature 0: field \"sig\": not hexadecimal at offset 0");
  EXPECT_EQ(ParseEnvelope(Bytes(kMaxMetadataBytes + 1, ' ')).code(), Code::kLimitExceeded);
  Json json = {{"signatures", Json::array()}, {"signed", Json::object()}};
  for (size_t i = 0; i < kMaxSignatures; ++i) {
    json["signatures"].push_back({{"keyid", std::to_string(i)}, {"sig", "00"}});
  }
  EXPECT_TRUE(ParseEnvelope(AsBytes(WriteJson(json))).ok());
  json["signatures"].push_back({{"keyid", "last"}, {"sig", "00"}});
  EXPECT_EQ(ParseEnvelope(AsBytes(WriteJson(json))).code(), Code::kLimitExceeded);
  EXPECT_EQ(SignDocument(Json{{"a", 0.5}}, {}).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::trust
