// How many connections one device may have.
#include "cloud-server/verify/test_verify.h"

namespace ferry::server {
namespace {

TEST_F(VerifyTest, ADevicesOldestLineMakesRoom) {
  options_.authenticate = [](const std::string& token) -> Result<std::string> { return token; };
  options_.limits.lines_per_device = 4;
  StartVerifier();
  const auto open = [&](const std::string& token) {
    auto script = std::make_unique<Script>(Connect("").device(), vocabulary());
    proto::SplitControl hello;
    hello.mutable_hello()->set_token(token);
    hello.mutable_hello()->set_protocol(llm::kSplitProtocol);
    script->Send(0, hello);
    world_.RunFor(50);
    return script;
  };
  const auto other = open("tablet");
  std::vector<std::unique_ptr<Script>> lines;
  for (int i = 0; i < 5; ++i) lines.push_back(open("phone"));
  for (const auto& line : lines) ASSERT_TRUE(line->controls.front().has_welcome());
  ASSERT_NE(lines[0]->refused(), nullptr);
  EXPECT_EQ(lines[0]->refused()->code(), static_cast<int>(Code::kLimitExceeded));
  EXPECT_NE(lines[0]->refused()->text().find("phone: more than 4 lines"), std::string::npos);
  for (size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i]->refused(), nullptr) << i;
  EXPECT_EQ(other->refused(), nullptr);
  const auto ping = [&](Script& line) {
    line.controls.clear();
    proto::SplitControl control;
    control.mutable_ping()->set_value(5);
    line.Send(0, control);
    world_.RunFor(50);
    return line.controls.size();
  };
  EXPECT_EQ(ping(*lines[0]), 0u);
  EXPECT_EQ(ping(*lines[4]), 1u);
  EXPECT_EQ(ping(*other), 1u);
}

// A server that goes sends its lines away, those where nothing runs first.
TEST_F(VerifyTest, LinesAreSentAwayThoseAtRestFirst) {
  options_.authenticate = [](const std::string& token) -> Result<std::string> { return token; };
  StartVerifier();
  const auto hello = [&](const std::string& token) {
    auto script = std::make_unique<Script>(Connect("").device(), vocabulary());
    proto::SplitControl control;
    control.mutable_hello()->set_token(token);
    control.mutable_hello()->set_protocol(llm::kSplitProtocol);
    script->Send(0, control);
    world_.RunFor(50);
    return script;
  };
  const auto first = hello("first"), second = hello("second"), third = hello("third");
  verifier_->SendAway(2);
  world_.RunFor(50);
  for (const auto* gone : {first.get(), second.get()}) {
    ASSERT_NE(gone->refused(), nullptr);
    EXPECT_EQ(gone->refused()->code(), static_cast<int>(Code::kUnavailable));
  }
  EXPECT_EQ(third->refused(), nullptr);
  verifier_->SendAway(100);
  world_.RunFor(50);
  EXPECT_NE(third->refused(), nullptr);
  world_.RunFor(2 * kVerifyViewMs);
  EXPECT_EQ(verifier_->View().connections, 0);
}

}  // namespace
}  // namespace ferry::server
