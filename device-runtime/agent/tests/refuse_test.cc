// Bad input: each is refused by name, reported, and leaves the running version running.
#include "common/crypto/hash.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

// A device that runs 1.0.0; 2.0.0 is published but not assigned yet.
class Refuse : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Sign();
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
    f.gateway.reports.clear();
    f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
    f.gateway.Sign();
  }

  // The assignment of 2.0.0 ends in one FAILED with this code, and 1.0.0 goes on.
  void ExpectRefused(Code code, const std::string& text) {
    ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
    const proto::Report* report = f.gateway.Failure();
    EXPECT_EQ(report->error_code(), static_cast<int>(code)) << report->error_text();
    EXPECT_NE(report->error_text().find(text), std::string::npos) << report->error_text();
    EXPECT_EQ(f.Version(), "1.0.0");
    EXPECT_EQ(f.LastErrorName(), InfoOf(code).name);
    f.Event();
    f.world.RunFor(60'000);
    ASSERT_FALSE(f.outcomes.empty());
    EXPECT_EQ(f.outcomes.back().outcome.result["version"], "1.0.0");
    EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 1) << "reported once";
    // And after a restart too.
    f.Kill();
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    EXPECT_EQ(f.Version(), "1.0.0");
  }

  std::string SealedFile(const std::string& path) {
    return "/content/" + ToHex(f.gateway.targets.entries[path].sha256);
  }

  Fixture f;
};

TEST_F(Refuse, FlippedByteInContent) {
  ASSERT_TRUE(f.gateway.disk.Corrupt(SealedFile("digits/2.0.0/full"), 5000, 0x10).ok());
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kCorruptContent, "digits/2.0.0/full");
}

TEST_F(Refuse, FlippedByteThatGoesAwayIsFetchedOnceMore) {
  const std::string file = SealedFile("digits/2.0.0/full");
  ASSERT_TRUE(f.gateway.disk.Corrupt(file, 5000, 0x10).ok());
  const uint64_t before = f.gateway.bytes_served;
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.Until([&] { return f.gateway.bytes_served > before; }));
  ASSERT_TRUE(f.gateway.disk.Corrupt(file, 5000, 0x10).ok());
  // The first copy may have been read before or after the repair; both end well.
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
}

TEST_F(Refuse, MoreBytesThanSigned) {
  const std::string file = SealedFile("digits/2.0.0/full");
  {
    auto out = f.gateway.disk.OpenForWrite(file, sys::WriteMode::kAppend).value();
    ASSERT_TRUE(out->Append(Bytes(100'000)).ok());
    ASSERT_TRUE(out->Close().ok());
  }
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kCorruptContent, "more than the signed");
}

TEST_F(Refuse, WrongSignatureOfTargets) {
  const trust::SigningKey thief[] = {trust::SigningKey::Generate(f.world.random())};
  f.gateway.targets_document = trust::SignTargets(f.gateway.targets, thief).value();
  f.gateway.snapshot =
      trust::SignSnapshot(f.gateway.targets_document, f.gateway.targets.version, 99,
                          f.world.clock().NowUnixMs() + 1'000'000, f.gateway.snapshot_key)
          .value();
  f.gateway.timestamp =
      trust::SignTimestamp(f.gateway.snapshot, 99, 99, f.world.clock().NowUnixMs() + 1'000'000,
                           f.gateway.timestamp_key)
          .value();
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kBadSignature, "targets");
}

TEST_F(Refuse, WrongSignatureOfTheAssignment) {
  const auto thief = trust::SigningKey::Generate(f.world.random());
  f.gateway.Assign("2.0.0");
  f.gateway.assignment_document = trust::SignAssignment(f.gateway.assignment, thief).value();
  ExpectRefused(Code::kBadSignature, "assignment");
}

TEST_F(Refuse, AssignmentOfAnotherDevice) {
  f.gateway.Assign("2.0.0");
  f.gateway.assignment.device = "00000000000000000000000000000000";
  f.gateway.assignment_document =
      trust::SignAssignment(f.gateway.assignment, f.gateway.director_key).value();
  ExpectRefused(Code::kWrongDevice, "00000000000000000000000000000000");
}

TEST_F(Refuse, ExpiredTimestamp) {
  f.gateway.Sign(1'000);
  f.world.RunFor(5'000);
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kExpired, "timestamp");
  // The server puts it right: the same assignment is carried out.
  f.gateway.Sign();
  f.gateway.Wake();
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
}

TEST_F(Refuse, OlderMetadataReplayed) {
  const Bytes timestamp = f.gateway.timestamp;
  const Bytes snapshot = f.gateway.snapshot;
  const Bytes targets = f.gateway.targets_document;
  f.gateway.Sign();
  f.gateway.Sign();
  f.gateway.Assign("none", trust::Action::kInstall);  // names nothing: only refreshes metadata
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  f.gateway.reports.clear();
  f.gateway.timestamp = timestamp;
  f.gateway.snapshot = snapshot;
  f.gateway.targets_document = targets;
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kVersionRollback, "timestamp");
}

TEST_F(Refuse, OlderAssignmentReplayed) {
  const Bytes old = f.gateway.assignment_document;
  f.gateway.Assign("none");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  f.gateway.reports.clear();
  f.gateway.Assign("2.0.0");
  f.gateway.assignment_document = old;
  ExpectRefused(Code::kVersionRollback, "assignment");
}

TEST_F(Refuse, TargetThatOfflineKeysDidNotSign) {
  f.gateway.Assign("2.0.0");
  f.gateway.assignment.targets = {"digits/6.6.6/full"};
  f.gateway.assignment_document =
      trust::SignAssignment(f.gateway.assignment, f.gateway.director_key).value();
  ExpectRefused(Code::kNotAuthorizedTarget, "digits/6.6.6/full");
}

// A package that is not installed has no counters: it must not lend that to another one.
TEST_F(Refuse, OlderVersionBehindAnotherPackage) {
  trust::TargetEntry other = f.gateway.targets.entries["digits/1.0.0/full"];
  other.package = "other";
  other.length *= 1000;  // the smallest artefact is taken
  other.plain_sha256.fill(1);
  f.gateway.targets.entries["other/1.0.0/full"] = other;
  f.gateway.Sign();
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  f.gateway.Assign("none");
  f.gateway.assignment.targets = {"other/1.0.0/full", "digits/1.0.0/full"};
  f.gateway.assignment_document =
      trust::SignAssignment(f.gateway.assignment, f.gateway.director_key).value();
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kNotAuthorizedTarget));
  EXPECT_EQ(f.Version(), "2.0.0");
}

TEST_F(Refuse, KeyWrappedForAnotherDevice) {
  const auto other = crypto::AgreementKey::Generate(f.world.random());
  f.gateway.seal_public = Bytes(other.public_key().begin(), other.public_key().end());
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kWrongKey, "digits/2.0.0/full");
}

TEST_F(Refuse, ContentKeyOfAnotherArtefact) {
  f.gateway.keys.insert_or_assign("digits/2.0.0/full", f.gateway.keys.at("digits/1.0.0/full"));
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kWrongKey, "digits/2.0.0/full");
}

TEST_F(Refuse, ServerRefusesTheKey) {
  f.gateway.bend = [](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_key_request()) return false;
    answer->mutable_error()->set_code(static_cast<int>(Code::kPermissionDenied));
    answer->mutable_error()->set_text("device is blocked");
    return true;
  };
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kPermissionDenied, "device is blocked");
}

TEST_F(Refuse, FullDisk) {
  f.disk.SetCapacity(120'000);
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kDiskFull, "needs");
}

TEST_F(Refuse, DiskThatFillsUpWhileWriting) {
  f.disk.SetFault([](const char* what, const std::string& path) {
    const bool hit = std::string_view(what) == "append" && path.ends_with(".plain");
    return hit ? Status::Of(Code::kDiskFull, "{}: no space left", path) : OkStatus();
  });
  f.gateway.Assign("2.0.0");
  ExpectRefused(Code::kDiskFull, ".plain");
  const auto left = f.disk.List(std::string(kState) + "/packages/digits/b");
  EXPECT_TRUE(!left.ok() || left->empty()) << "leaves no part behind";
}

TEST_F(Refuse, ScriptWithASyntaxError) {
  f.gateway.Publish("2.1.0", 3, "load", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("2.1.0");
  ExpectRefused(Code::kScriptSyntax, "task.py:3");
}

TEST_F(Refuse, ProbeThatFails) {
  f.gateway.Publish("2.1.0", 3, "probe", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("2.1.0");
  ExpectRefused(Code::kProbeFailed, "expected 2, got 3");
  // Told to go back, the device is there already.
  f.gateway.Assign("1.0.0", trust::Action::kRollback);
  ASSERT_TRUE(f.UntilStep(Step::kRolledBack, "1.0.0"));
}

TEST_F(Refuse, DefinitionThatTheSetDoesNotTake) {
  f.gateway.Publish("2.1.0", 3, "rule", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("2.1.0");
  ExpectRefused(Code::kMalformed, "without steps");
  EXPECT_EQ(f.gateway.Count(Step::kConfirmed, "2.1.0"), 0);
}

TEST(RefuseFirst, DefinitionThatTheSetDoesNotTake) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "rule");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.Version(), "");
  f.gateway.Publish("1.1.0", 2, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.1.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.1.0"));
  EXPECT_EQ(f.Version(), "1.1.0");
}

TEST_F(Refuse, AnswerNobodyAskedFor) {
  f.gateway.bend = [](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_poll()) return false;
    answer->mutable_metadata()->set_role("root");
    return true;
  };
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.Until([&] { return f.LastErrorName() == "malformed"; }));
  f.gateway.bend = nullptr;
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
}

// A gateway gone mad: bytes of its answers change at random. Nothing of it crashes, and what runs
// goes on.
TEST_F(Refuse, DamagedAnswersOfAllKinds) {
  sys::SeededRandom random(21);
  bool mad = true;
  f.gateway.damage = [&](Bytes* frame) {
    if (!mad || random.Below(4) != 0) return;
    for (int k = 0; k < 3; ++k) {
      (*frame)[random.Below(frame->size())] = static_cast<uint8_t>(random.Next64());
    }
  };
  for (int i = 0; i < 300; ++i) {
    f.gateway.Assign("2.0.0");
    f.world.RunFor(2'000);
    if (f.Version() != "1.0.0") break;
  }
  EXPECT_TRUE(f.Version() == "1.0.0" || f.Version() == "2.0.0");
  mad = false;
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
}

// Dials end as the TLS dialer ends them when the certificate is not of the pinned authority.
class UntrustedDialer : public sys::Dialer {
 public:
  explicit UntrustedDialer(sys::Executor& executor) : executor_(executor) {}
  void Dial(const sys::Endpoint&, OnDial done) override {
    executor_.Post([done] {
      done(Status(Code::kUntrustedServer, "server:7443: certificate of another authority"));
    });
  }
  void Fetch(const sys::Endpoint&, const std::string&, uint64_t, const std::string&, OnData, OnDone,
             OnMoved) override {}

 private:
  sys::Executor& executor_;
};

TEST_F(Refuse, WrongCertificateAuthority) {
  f.Kill();
  f.wrap_dialer = [this](std::unique_ptr<sys::Dialer>) {
    return std::make_unique<UntrustedDialer>(*f.executor);
  };
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.LastErrorName() == "untrusted_server"; }));
  EXPECT_FALSE(f.agent->connected());
  EXPECT_EQ(f.Version(), "1.0.0");
  f.Event();
  f.world.RunFor(1'000);
  EXPECT_EQ(f.outcomes.back().outcome.result["version"], "1.0.0");
  EXPECT_EQ(f.agent->StatusJson()["mode"], "local_only");
}

TEST(RefuseJoin, RootThatIsNotThePinnedOne) {
  Fixture f;
  f.token.root_sha256[0] ^= 1;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kCorruptContent));
  EXPECT_EQ(f.Version(), "");
}

TEST(RefuseJoin, WrongSecret) {
  Fixture f;
  f.token.secret = Bytes(32, 1);
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.LastErrorName() == "unauthenticated"; }));
  EXPECT_EQ(f.agent->StatusJson()["mode"], "enrolling");
}

TEST(RefuseJoin, WithoutIdentityAndToken) {
  sys::SimFileSystem disk;
  sys::SeededRandom random(1);
  EXPECT_EQ(OpenIdentity(disk, kState, std::nullopt, random).code(), Code::kNotFound);
}

}  // namespace
}  // namespace ferry::agent
