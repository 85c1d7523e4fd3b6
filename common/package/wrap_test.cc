#include "common/package/wrap.h"

#include "common/package/test_fixture.h"

namespace ferry::package {
namespace {

struct Keys {
  sys::SeededRandom random{1};
  crypto::AgreementKey escrow = crypto::AgreementKey::Generate(random);
  crypto::AgreementKey device = crypto::AgreementKey::Generate(random);
  crypto::AgreementKey other = crypto::AgreementKey::Generate(random);
  crypto::Secret32 content = crypto::Secret32::Generate(random);
  WrapContext context{"default", "r1", "d1"};
  trust::TargetEntry entry;

  Keys() {
    entry.package = "digits";
    entry.version = "1.0.0";
    entry.release_counter = 1;
  }
};

bool Same(const crypto::Secret32& a, const crypto::Secret32& b) {
  return crypto::ConstantTimeEqual(a.bytes(), b.bytes());
}

TEST(WrapTest, EscrowRoundTripsAndBindsTheEntry) {
  Keys keys;
  const auto wrapped =
      WrapForEscrow(keys.escrow.public_key(), keys.entry, keys.content, keys.random);
  ASSERT_TRUE(wrapped.ok());
  EXPECT_EQ(wrapped->enc.size() + wrapped->sealed.size(), 80u);
  EXPECT_TRUE(Same(*UnwrapEscrow(keys.escrow, keys.entry, *wrapped), keys.content));
  EXPECT_EQ(UnwrapEscrow(keys.other, keys.entry, *wrapped).code(), Code::kWrongKey);
  keys.entry.plain_length = 1;
  EXPECT_EQ(UnwrapEscrow(keys.escrow, keys.entry, *wrapped).status().ToString().substr(0, 43),
            "wrong_key: the escrowed key of digits 1.0.0");
}

TEST(WrapTest, AWrapOpensForItsDeviceReleaseAndEntryOnly) {
  Keys keys;
  const auto wrapped =
      WrapForDevice(keys.device.public_key(), keys.context, keys.entry, keys.content, keys.random);
  ASSERT_TRUE(wrapped.ok());
  const auto open = [&](const crypto::AgreementKey& key, const WrapContext& context,
                        const trust::TargetEntry& entry, const WrappedKey& what) {
    return UnwrapOnDevice(key, context, entry, what).code();
  };
  EXPECT_TRUE(Same(*UnwrapOnDevice(keys.device, keys.context, keys.entry, *wrapped), keys.content));
  EXPECT_EQ(open(keys.other, keys.context, keys.entry, *wrapped), Code::kWrongKey);
  EXPECT_EQ(open(keys.device, {"default", "r2", "d1"}, keys.entry, *wrapped), Code::kWrongKey);
  EXPECT_EQ(open(keys.device, {"default", "r1", "d2"}, keys.entry, *wrapped), Code::kWrongKey);
  EXPECT_EQ(open(keys.device, {"other", "r1", "d1"}, keys.entry, *wrapped), Code::kWrongKey);
  trust::TargetEntry other = keys.entry;
  other.version = "2.0.0";
  EXPECT_EQ(open(keys.device, keys.context, other, *wrapped), Code::kWrongKey);
  for (size_t at = 0; at < 80; ++at) {
    WrappedKey bad = *wrapped;
    (at < 32 ? bad.enc[at] : bad.sealed[at - 32]) ^= 1;
    EXPECT_FALSE(UnwrapOnDevice(keys.device, keys.context, keys.entry, bad).ok()) << at;
  }
  EXPECT_FALSE(UnwrapOnDevice(keys.device, keys.context, keys.entry, {}).ok());
}

TEST(WrapTest, NamesCannotSlideIntoEachOther) {
  Keys keys;
  EXPECT_EQ(WrapForDevice(keys.device.public_key(), {"a|b", "c", "d"}, keys.entry, keys.content,
                          keys.random)
                .code(),
            Code::kInvalidArgument);
  const Bytes zero(32, 0);
  EXPECT_FALSE(WrapForDevice(zero, keys.context, keys.entry, keys.content, keys.random).ok());
}

}  // namespace
}  // namespace ferry::package
