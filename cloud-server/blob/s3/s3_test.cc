// What needs no server: addresses, signatures, XML.
#include <gtest/gtest.h>

#include "cloud-server/blob/s3/address.h"
#include "cloud-server/blob/s3/sign.h"
#include "cloud-server/blob/s3/xml.h"

namespace ferry::server::s3 {
namespace {

TEST(S3Address, IsReadInFull) {
  const Address plain = *ParseAddress("s3://models");
  EXPECT_EQ(plain.endpoint, "https://s3.us-east-1.amazonaws.com");
  EXPECT_EQ(plain.bucket, "models");
  EXPECT_EQ(plain.prefix, "");
  const Address full =
      *ParseAddress("s3://models/ferry/a?region=eu-central-1&endpoint=http://127.0.0.1:9000/");
  EXPECT_EQ(full.endpoint, "http://127.0.0.1:9000");
  EXPECT_EQ(full.prefix, "ferry/a/");
  EXPECT_EQ(full.region, "eu-central-1");
  EXPECT_EQ(HostOf(full), "127.0.0.1:9000");
  for (const char* bad :
       {"", "s3:/models", "http://models", "s3://", "s3://UPPER", "s3://a", "s3://a..b",
        "s3://models?endpoint=", "s3://models?colour=red", "s3://models?endpoint=ftp://h",
        "s3://models?endpoint=http://", "s3://models?endpoint=http://u:p@h",
        "s3://models?endpoint=http://h/path"})
    EXPECT_EQ(ParseAddress(bad).code(), Code::kInvalidArgument) << bad;
}

TEST(S3Address, IsEncodedAsTheSignatureWantsIt) {
  EXPECT_EQ(Encode("a b/c~é"), "a%20b%2Fc~%C3%A9");
  EXPECT_EQ(Encode("a b/c", true), "a%20b/c");
}

// The example of the Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters".
TEST(S3Sign, GivesTheSignatureOfTheReference) {
  Address address;
  address.endpoint = "https://examplebucket.s3.amazonaws.com";
  const Credentials who{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  EXPECT_EQ(SignedUrl(address, who, "/test.txt", 1'369'353'600'000, 86'400),
            "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&"
            "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&"
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
            "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(S3Xml, TextsAreFoundByTheirElement) {
  const char* xml =
      "<?xml version=\"1.0\"?><L xmlns=\"x\"><Key>a&amp;b</Key><C><Key>c</Key></C><Key/></L>";
  EXPECT_EQ(*TextsOf(xml, "Key"), (std::vector<std::string>{"a&b", "c", ""}));
  EXPECT_TRUE(TextsOf(xml, "Name")->empty());
  EXPECT_EQ(EscapeXml("\"a<b>&\""), "&quot;a&lt;b&gt;&amp;&quot;");
}

TEST(S3Xml, WhatIsNoneIsRefused) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  for (const std::string& bad :
       {std::string(), std::string("<a>"), std::string("<a></b>"), deep,
        std::string("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"), std::string("no xml")})
    EXPECT_EQ(TextsOf(bad, "a").code(), Code::kMalformed) << bad.substr(0, 40);
}

}  // namespace
}  // namespace ferry::server::s3
