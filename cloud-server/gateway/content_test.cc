// What lets a device fetch content, and what takes that away: tokens, limits, blocking, keys.
#include "cloud-server/gateway/gateway_fixture.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

TEST_F(GatewayTest, ContentNeedsItsToken) {
  auto device = Ready("phone");
  const Bytes body = ToBytes("sealed bytes");
  const std::string name = crypto::Sha256Hex(body);
  ASSERT_TRUE(blobs_->PutBytes(name, body).ok());
  sys::ContentSource& content = gateway_.content();
  const int64_t now = world_.clock().NowUnixMs();
  const std::string token = MakeContentToken(content_secret_, device->id(), now + 1000);
  EXPECT_EQ(*CheckContentToken(content_secret_, token, now), device->id());
  EXPECT_EQ(CheckContentToken(content_secret_, token, now + 1000).code(), Code::kUnauthenticated);
  for (size_t i = 0; i < token.size(); ++i) {
    std::string bad = token;
    bad[i] = bad[i] == '1' ? '2' : '1';
    EXPECT_EQ(CheckContentToken(content_secret_, bad, now).code(), Code::kUnauthenticated) << bad;
  }
  const auto opened = content.Open("/content/" + name, "Bearer " + token);
  EXPECT_EQ(opened->size, body.size());
  Bytes read(body.size());
  EXPECT_EQ(*opened->file->ReadAt(0, read), body.size());
  EXPECT_EQ(gateway_.content().use().transfers, 1);
  EXPECT_EQ(gateway_.content().use().bytes, static_cast<int64_t>(body.size()));
  EXPECT_EQ(gateway_.content().use().sent_on, 0);
  EXPECT_EQ(content.Open("/content/" + name, token).code(), Code::kUnauthenticated);
  EXPECT_EQ(content.Open("/content/" + name, "").code(), Code::kUnauthenticated);
  EXPECT_EQ(*content.Elsewhere("/content/" + name, "Bearer " + token), "") << "a folder is here";
  EXPECT_EQ(content.Elsewhere("/content/" + name, "").code(), Code::kUnauthenticated);
  const std::string nobody = MakeContentToken(content_secret_, "nobody", now + 1000);
  EXPECT_EQ(content.Open("/content/" + name, "Bearer " + nobody).code(), Code::kUnauthenticated);
  for (const std::string& path :
       {std::string("/"), std::string("/content/"), std::string("/content/../ferry.db"),
        "/content/" + std::string(64, '0')}) {
    EXPECT_EQ(content.Open(path, "Bearer " + token).code(), Code::kNotFound) << path;
  }
}

// Each holds a connection of the server, of which there are so many for all devices.
TEST_F(GatewayTest, TransfersOfADeviceAreLimited) {
  auto device = Ready("phone"), other = Ready("other");
  const Bytes body = ToBytes("sealed bytes");
  ASSERT_TRUE(blobs_->PutBytes(crypto::Sha256Hex(body), body).ok());
  const auto open = [&](const TestDevice& of) {
    const int64_t expires_ms = world_.clock().NowUnixMs() + 1000;
    return gateway_.content().Open(
        "/content/" + crypto::Sha256Hex(body),
        "Bearer " + MakeContentToken(content_secret_, of.id(), expires_ms));
  };
  std::vector<sys::Content> held;
  for (int i = 0; i < kMaxTransfersOfDevice; ++i) {
    auto content = open(*device);
    ASSERT_TRUE(content.ok()) << content.status().ToString();
    held.push_back(std::move(*content));
  }
  EXPECT_EQ(open(*device).code(), Code::kUnavailable);
  EXPECT_TRUE(open(*other).ok());
  held.pop_back();
  EXPECT_TRUE(open(*device).ok());
}

// At once: not when the device speaks next, and whether it takes wake-ups or not.
TEST_F(GatewayTest, BlockingCutsTheLineAndTheContentTokenAtOnce) {
  const Bytes body = ToBytes("sealed bytes");
  const std::string path = "/content/" + crypto::Sha256Hex(body);
  ASSERT_TRUE(blobs_->PutBytes(crypto::Sha256Hex(body), body).ok());
  for (const bool push : {true, false}) {
    auto device = std::make_unique<TestDevice>(world_, net_, push ? "pushed" : "polls");
    device->Connect();
    ASSERT_TRUE(device->Ask(device->EnrollMessage(secret_)).has_enrolled());
    const proto::Envelope welcome = device->LogIn(push);
    const std::string bearer = "Bearer " + welcome.welcome().content_token();
    const auto under_way = gateway_.content().Open(path, bearer);
    ASSERT_TRUE(under_way.ok()) << under_way.status().ToString();
    uint8_t byte[1];
    EXPECT_TRUE(under_way->file->ReadAt(0, byte).ok());
    Block(device->id(), true);
    EXPECT_EQ(gateway_.content().Open(path, bearer).code(), Code::kBlocked);
    const proto::Envelope told = device->Next();
    ExpectRefused(*device, told, Code::kBlocked);
    // A transfer that has begun ends within a second.
    world_.RunFor(kBlockedLookMs);
    EXPECT_EQ(under_way->file->ReadAt(1, byte).code(), Code::kBlocked);
    device->Connect();
    ExpectRefused(*device, device->LogIn(push), Code::kBlocked);
    Block(device->id(), false);
    device->Connect();
    EXPECT_TRUE(device->LogIn(push).has_welcome());
    EXPECT_TRUE(gateway_.content().Open(path, bearer).ok());
  }
}

// Only who was asked and has both keys gets new ones.
TEST_F(GatewayTest, NewKeysAreTakenFromWhoWasAskedAndHoldsBoth) {
  const auto ready = Ready("phone", true);
  TestDevice& device = *ready;
  const std::string id = device.id();
  const auto next = crypto::SigningKey::Generate(world_.random());
  const auto next_seal = crypto::AgreementKey::Generate(world_.random());
  const auto put = [](std::string* to, ByteView from) { to->assign(AsText(from)); };
  const auto log_in = [&](const crypto::SigningKey& key, bool knows) {
    device.Connect();
    const std::string nonce = device.Ask(device.Hello()).challenge().nonce();
    proto::Envelope auth = device.Auth(nonce);
    put(auth.mutable_auth()->mutable_signature(), key.Sign(proto::AuthMessage(id, AsBytes(nonce))));
    auth.mutable_auth()->set_new_keys(knows);
    return static_cast<Code>(device.Ask(auth).error().code());
  };
  const auto say = [&](const crypto::SigningKey& present, const crypto::SigningKey& fresh) {
    const Bytes text = proto::NewKeysMessage(id, next.public_key(), next_seal.public_key());
    proto::Envelope out;
    put(out.mutable_new_keys()->mutable_identity_public(), next.public_key());
    put(out.mutable_new_keys()->mutable_seal_public(), next_seal.public_key());
    put(out.mutable_new_keys()->mutable_by_present(), present.Sign(text));
    put(out.mutable_new_keys()->mutable_by_new(), fresh.Sign(text));
    return static_cast<Code>(device.Ask(out).error().code());
  };
  EXPECT_EQ(say(device.identity, next), Code::kFailedPrecondition) << "not asked";
  ASSERT_TRUE(store_
                  ->Write([](Transaction& tx) {
                    return AsStatus(tx.devices().AskForKeys("default", "", 9, 7));
                  })
                  .ok());
  ASSERT_EQ(log_in(device.identity, false), Code::kOk);
  EXPECT_TRUE(device.Next().body_case() == 0) << "an older runtime is not asked";
  ASSERT_EQ(log_in(device.identity, true), Code::kOk);
  EXPECT_TRUE(device.Next().has_ask_keys());
  EXPECT_EQ(say(next, next), Code::kBadSignature);
  EXPECT_EQ(say(device.identity, device.identity), Code::kBadSignature);
  EXPECT_EQ(say(device.identity, next), Code::kOk);
  EXPECT_EQ(say(device.identity, next), Code::kOk) << "said again";
  EXPECT_EQ(log_in(device.identity, true), Code::kUnauthenticated);
  EXPECT_EQ(log_in(next, true), Code::kOk);
}

// The operator's wish is said to devices that know it, and what both sides removed is in the row,
// in the audit log and in the receipt.
TEST_F(GatewayTest, ErasingIsAskedForAndAnswered) {
  const auto ready = Ready("phone", true);
  TestDevice& device = *ready;
  const std::string id = device.id();
  const auto log_in = [&](bool knows) {
    device.Connect();
    proto::Envelope auth = device.Auth(device.Ask(device.Hello()).challenge().nonce());
    auth.mutable_auth()->set_erase(knows);
    return device.Ask(auth);
  };
  int64_t request = 0;
  ASSERT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(request, tx.erasures().Ask({0, id, "ada", 5}));
                    return AsStatus(tx.records().Add({id, "ab", 1, "s", 1, 1, "\"private\""}));
                  })
                  .ok());
  EXPECT_TRUE(log_in(false).welcome().erase());
  EXPECT_TRUE(device.Next().body_case() == 0) << "an older runtime is not asked";
  EXPECT_TRUE(log_in(true).welcome().erase());
  EXPECT_EQ(device.Next().ask_erase().request(), static_cast<uint64_t>(request));
  const auto say = [&](uint64_t number, int64_t of, const char* receipt) {
    proto::Envelope out;
    out.mutable_erase_data()->set_number(number);
    out.mutable_erase_data()->set_request(static_cast<uint64_t>(of));
    out.mutable_erase_data()->set_receipt(receipt);
    return device.Ask(out);
  };
  EXPECT_EQ(static_cast<Code>(say(1, request, "{").error().code()), Code::kMalformed);
  const proto::Envelope answer = say(1, request, R"({"events":3})");
  ASSERT_TRUE(answer.has_data_erased());
  EXPECT_EQ(answer.data_erased().number(), 1u);
  const auto receipt = ParseJson(answer.data_erased().receipt());
  ASSERT_TRUE(receipt.ok());
  EXPECT_EQ((*receipt)["records"], 1);
  EXPECT_EQ((*receipt)["id"], request);
  // Said again, and of another wish of the app: neither is lost, neither counts twice.
  EXPECT_EQ((*ParseJson(say(1, request, "{}").data_erased().receipt()))["id"], request);
  const auto own = ParseJson(say(2, 0, "{}").data_erased().receipt());
  EXPECT_NE((*own)["id"], request);
  EXPECT_EQ((*ParseJson(say(2, 0, "{}").data_erased().receipt()))["id"], (*own)["id"]);
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto rows,
                                           tx.records().List("", id, 0, 10, nullptr));
                    EXPECT_TRUE(rows.empty());
                    FERRY_ASSIGN_OR_RETURN(const auto list, tx.erasures().List(id, 10));
                    EXPECT_EQ(list.size(), 2u);
                    EXPECT_EQ(list.back().records, 1);
                    EXPECT_EQ(list.back().asked_by, "ada");
                    EXPECT_EQ(list.front().asked_by, "device");
                    FERRY_ASSIGN_OR_RETURN(const auto audit, tx.audit().List({}, 100));
                    EXPECT_TRUE(std::any_of(audit.begin(), audit.end(), [&](const AuditRow& row) {
                      return row.hash == (*receipt)["audit"]["hash"] && row.entry.target == id;
                    }));
                    return OkStatus();
                  })
                  .ok());
  // Each is a row of the audit log, which no device may fill.
  uint64_t taken = 3;
  while (taken < 200 && say(taken, 0, "{}").has_data_erased()) ++taken;
  EXPECT_LE(taken, 101u);
  EXPECT_EQ(static_cast<Code>(say(taken, 0, "{}").error().code()), Code::kQuotaUsed);
  // Whatever it names, a device reaches its own rows alone.
  const auto other = Ready("other", true);
  proto::Envelope foreign;
  foreign.mutable_erase_data()->set_number(9);
  foreign.mutable_erase_data()->set_request(static_cast<uint64_t>(request));
  foreign.mutable_erase_data()->set_receipt("{}");
  EXPECT_NE((*ParseJson(other->Ask(foreign).data_erased().receipt()))["id"], request);
}

TEST_F(GatewayTest, NewRootsAreSaidInTheWelcomeAndWake) {
  auto pushed = Ready("pushed", true);
  auto polls = Ready("polls", false);
  trust::Root root;
  root.expires_ms = world_.clock().NowUnixMs() + 1'000'000;
  const auto key = trust::SigningKey::Generate(world_.random());
  for (trust::RoleKeys* role : {&root.root, &root.targets}) root.AddKey(*role, key.public_key());
  root.AddKey(root.snapshot, secrets_.snapshot.public_key());
  root.AddKey(root.timestamp, secrets_.timestamp.public_key());
  root.AddKey(root.director, secrets_.director.public_key());
  root.escrow = secrets_.escrow.public_key();
  const Bytes first = *trust::SignRoot(root, {&key, 1});
  ASSERT_EQ(*registry_.PutRoot(first), 1);
  ASSERT_EQ(*registry_.PutRoot(*trust::SignNextRoot(root, root, {&key, 1})), 2);
  rollout_.OnNewRoot();
  const proto::Envelope wake = pushed->Next();
  EXPECT_TRUE(wake.has_wake());
  EXPECT_EQ(wake.wake().epoch(), 0u);
  world_.RunFor(1'000);
  EXPECT_TRUE(polls->heard.empty());
  EXPECT_TRUE(polls->closed.ok());
  polls->Connect();
  EXPECT_EQ(polls->LogIn(false).welcome().root_version(), 2u);
}

}  // namespace
}  // namespace ferry::server
