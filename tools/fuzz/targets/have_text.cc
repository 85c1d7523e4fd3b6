// Texts that apps carry between devices and the server: those that come up, and those that go down.
#include "common/proto/have_text.h"

#include "cloud-server/have/text.h"
#include "common/base/check.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr int64_t kHaveNowMs = 1'790'000'000'000;

const crypto::Secret32& HaveSecret() {
  static const crypto::Secret32 secret = [] {
    sys::SeededRandom random(1);
    return crypto::Secret32::Generate(random);
  }();
  return secret;
}

std::string SampleHave() {
  sys::SeededRandom random(2);
  return server::SealHave(HaveSecret(), {"00112233445566778899aabbccddeeff", 42}, kHaveNowMs,
                          random);
}

// What is read has one form, and one device's text is no other's.
void RunHaveText(ByteView bytes) {
  const std::string text(AsText(bytes));
  const auto take = proto::TakeFromText(text);
  if (take.ok()) CHECK(proto::ToText(*take) == text);
  const std::string_view name = proto::HaveNameOf(text);
  CHECK(name.empty() || (name.size() == proto::kHaveNameLetters && text.find(name) != text.npos));
  const auto have = server::OpenHave(HaveSecret(), text, kHaveNowMs);
  if (have) CHECK(text == SampleHave());
}

std::vector<Bytes> HaveTextSeeds() {
  const std::string have = SampleHave();
  return {ToBytes(have), ToBytes(proto::ToText({std::string(proto::HaveNameOf(have)), 30}))};
}

}  // namespace

const Target kHaveTextTarget = {"have_text", RunHaveText, HaveTextSeeds};

}  // namespace ferry::fuzz
