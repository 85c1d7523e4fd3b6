// Device sessions: what is said, answered, refused and counted.
#include "cloud-server/gateway/gateway_fixture.h"
#include "cloud-server/have/text.h"

namespace ferry::server {
namespace {

TEST_F(GatewayTest, EnrolsAndLogsInOnOneConnection) {
  auto device = Ready("phone");
  EXPECT_EQ(gateway_.sessions(), 1u);
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(device->id()));
                    EXPECT_EQ(row.app_version, "1.4.0");
                    EXPECT_EQ(row.operator_tags, std::vector<std::string>{"lab"});
                    EXPECT_TRUE(row.tags.empty());
                    EXPECT_EQ(row.seal_public, ToBytes(device->seal.public_key()));
                    FERRY_ASSIGN_OR_RETURN(const JoinTokenRow token,
                                           tx.access().JoinToken(crypto::Sha256Hex(secret_)));
                    EXPECT_EQ(token.uses_left, 1);
                    return OkStatus();
                  })
                  .ok());
}

// Its runtime says its own version always; that alone is no profile.
TEST_F(GatewayTest, ADeviceWithoutAProfileKeepsTheLastOne) {
  auto device = Ready("phone");
  const auto log_in = [&](const proto::Profile& profile) {
    device->Connect();
    proto::Envelope auth = device->Auth(device->Ask(device->Hello()).challenge().nonce());
    *auth.mutable_auth()->mutable_profile() = profile;
    EXPECT_TRUE(device->Ask(auth).has_welcome());
    DeviceRow row;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(row, tx.devices().Get(device->id()));
                      return OkStatus();
                    })
                    .ok());
    return row;
  };
  proto::Profile full;
  full.set_os("linux");
  full.set_app_version("2.0.0");
  full.set_device_class("high");
  full.add_tags("beta");
  (*full.mutable_extra())["region"] = "eu";
  full.set_runtime_version("1.0.0");
  const DeviceRow told = log_in(full);
  EXPECT_EQ(told.os, "linux");

  proto::Profile bare;
  bare.set_runtime_version("1.1.0");
  const DeviceRow kept = log_in(bare);
  EXPECT_EQ(kept.os, "linux");
  EXPECT_EQ(kept.app_version, "2.0.0");
  EXPECT_EQ(kept.device_class, "high");
  EXPECT_EQ(kept.tags, std::vector<std::string>{"beta"});
  EXPECT_EQ(kept.extra, told.extra);
  EXPECT_EQ(kept.runtime_version, "1.1.0");
  EXPECT_EQ(log_in(proto::Profile()).runtime_version, "1.1.0");

  // Enrolling again is no other way to lose it.
  device->Connect();
  proto::Envelope enroll = device->EnrollMessage(secret_);
  enroll.mutable_enroll()->clear_profile();
  EXPECT_TRUE(device->Ask(enroll).has_enrolled());
  EXPECT_EQ(log_in(bare).tags, std::vector<std::string>{"beta"});

  // One attribute is a profile: what it leaves out is gone.
  proto::Profile other;
  other.set_os("android");
  const DeviceRow changed = log_in(other);
  EXPECT_EQ(changed.os, "android");
  EXPECT_EQ(changed.device_class, "");
  EXPECT_TRUE(changed.tags.empty());
}

TEST_F(GatewayTest, TheMachineIsKeptAndItsSpaceRounded) {
  DeviceRow row;
  const int64_t mib = int64_t{1} << 20;
  proto::Profile profile;
  profile.set_memory_bytes(4096 * mib);
  profile.set_free_bytes(1000 * mib);
  profile.add_isa("x86_64");
  profile.set_measured_class("mid");
  ASSERT_TRUE(CheckProfile(profile).ok());
  EXPECT_TRUE(PutProfile(profile, &row));
  EXPECT_EQ(row.memory_bytes, 4096 * mib);
  EXPECT_EQ(row.free_bytes, 960 * mib);
  EXPECT_EQ(row.isa, std::vector<std::string>{"x86_64"});
  EXPECT_EQ(row.measured_class, "mid");
  EXPECT_FALSE(PutProfile(profile, &row));
  // A step up changes nothing, two do; less space is believed at once.
  for (const auto& [said_mib, kept_mib] :
       {std::pair{1023, 960}, {1024, 960}, {1151, 960}, {1152, 1152}, {1151, 1024}, {959, 896}}) {
    profile.set_free_bytes(said_mib * mib);
    const bool changed = row.free_bytes != kept_mib * mib;
    EXPECT_EQ(PutProfile(profile, &row), changed) << said_mib;
    EXPECT_EQ(row.free_bytes, kept_mib * mib) << said_mib;
  }
  for (const int64_t bytes : {int64_t{0}, int64_t{15}, int64_t{16}, INT64_MAX}) {
    EXPECT_LE(RoundedSpace(bytes), bytes);
    EXPECT_GE(RoundedSpace(bytes), bytes / 8 * 7);
  }
  // A device of the first release says nothing of it, and none of it is an attribute of the app.
  row.os = "linux";
  proto::Profile machine;
  machine.set_free_bytes(0);
  EXPECT_TRUE(PutProfile(machine, &row));
  EXPECT_EQ(row.os, "linux");
  EXPECT_EQ(row.free_bytes, 0);
  EXPECT_FALSE(PutProfile(proto::Profile(), &row));
  EXPECT_EQ(row.memory_bytes, 4096 * mib);
  // Users change with the app's profile.
  (*machine.mutable_user())["plan"] = "pro";
  EXPECT_TRUE(PutProfile(machine, &row));
  EXPECT_EQ(row.user.at("plan"), "pro");
  EXPECT_EQ(row.os, "");

  profile.set_memory_bytes(-1);
  EXPECT_EQ(CheckProfile(profile).code(), Code::kInvalidArgument);
  profile.set_memory_bytes(1);
  for (int k = 0; k <= kMaxProfileEntries; ++k) (*profile.mutable_user())[std::to_string(k)] = "x";
  EXPECT_EQ(CheckProfile(profile).code(), Code::kLimitExceeded);
  profile.clear_user();
  profile.add_isa(std::string(kMaxProfileText + 1, 'x'));
  EXPECT_EQ(CheckProfile(profile).code(), Code::kLimitExceeded);
}

TEST_F(GatewayTest, EnrollingAgainTakesNoSecondUse) {
  TestDevice device(world_, net_, "phone");
  for (int i = 0; i < 3; ++i) {
    device.Connect();
    EXPECT_EQ(device.Ask(device.EnrollMessage(secret_)).enrolled().device_id(), device.id());
  }
  device.Connect();
  ExpectRefused(device, device.Ask(device.EnrollMessage(secret_, "other")), Code::kUnauthenticated);
  Ready("second");
  TestDevice third(world_, net_, "third");
  third.Connect();
  ExpectRefused(third, third.Ask(third.EnrollMessage(secret_)), Code::kUnauthenticated);
}

TEST_F(GatewayTest, BadEnrolmentsAreRefused) {
  TestDevice device(world_, net_, "phone");
  auto refused = [&](proto::Envelope message, Code code) {
    device.Connect();
    ExpectRefused(device, device.Ask(message), code);
  };
  refused(device.EnrollMessage(Bytes(32, 8)), Code::kUnauthenticated);
  refused(device.EnrollMessage(secret_, "other"), Code::kUnauthenticated);
  proto::Envelope message = device.EnrollMessage(secret_);
  (*message.mutable_enroll()->mutable_seal_public())[0] ^= 1;
  refused(message, Code::kBadSignature);
  message = device.EnrollMessage(secret_);
  message.mutable_enroll()->set_identity_public("short");
  refused(message, Code::kMalformed);
  message = device.EnrollMessage(secret_);
  message.mutable_enroll()->mutable_profile()->set_os(std::string(kMaxProfileText + 1, 'x'));
  refused(message, Code::kLimitExceeded);
  world_.JumpWallClock(2'000'000);
  refused(device.EnrollMessage(secret_), Code::kUnauthenticated);
}

TEST_F(GatewayTest, AWrongSignatureAndAReplayAreRefused) {
  auto device = Ready("phone");
  device->Connect();
  const std::string nonce = device->Ask(device->Hello()).challenge().nonce();
  EXPECT_EQ(nonce.size(), 32u);
  const proto::Envelope old_auth = device->Auth(nonce);
  ASSERT_TRUE(device->Ask(old_auth).has_welcome());
  device->Connect();
  const std::string second = device->Ask(device->Hello()).challenge().nonce();
  EXPECT_NE(second, nonce);
  ExpectRefused(*device, device->Ask(old_auth), Code::kUnauthenticated);
  TestDevice stranger(world_, net_, "stranger");
  stranger.Connect();
  ExpectRefused(stranger, stranger.Ask(stranger.Hello()), Code::kNotFound);
}

TEST_F(GatewayTest, BlockedDevicesStayOut) {
  auto device = Ready("phone");
  ASSERT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device->id()));
                    row.blocked = true;
                    return tx.devices().Put(row);
                  })
                  .ok());
  device->Connect();
  ExpectRefused(*device, device->LogIn(), Code::kBlocked);
}

TEST_F(GatewayTest, BlockingEndsAnOpenSession) {
  auto device = Ready("phone");
  proto::Envelope report;
  report.mutable_report()->set_seq(1);
  report.mutable_report()->set_step(proto::Report::TASK_FAILED);
  ASSERT_TRUE(device->Ask(report).has_report_ack());
  ASSERT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device->id()));
                    row.blocked = true;
                    return tx.devices().Put(row);
                  })
                  .ok());
  report.mutable_report()->set_seq(2);
  ExpectRefused(*device, device->Ask(report), Code::kBlocked);
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto rows,
                                           tx.reports().OfDevice(device->id(), 10));
                    EXPECT_EQ(rows.size(), 1u);
                    return OkStatus();
                  })
                  .ok());
}

// The ids of a start and of the one before it, as Auth says them; what is noted of the device then.
TEST_F(GatewayTest, RestoredAndCopiedStatesAreNamed) {
  auto device = Ready("phone");
  const auto state_after = [&](char start, char before) {
    device->Connect();
    proto::Envelope auth = device->Auth(device->Ask(device->Hello()).challenge().nonce());
    auth.mutable_auth()->set_start_id(std::string(16, start));
    if (before != 0) auth.mutable_auth()->set_previous_start_id(std::string(16, before));
    EXPECT_TRUE(device->Ask(auth).has_welcome());
    std::string state;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(const auto noted, tx.devices().State(device->id()));
                      if (noted) state = noted->state;
                      return OkStatus();
                    })
                    .ok());
    return state;
  };
  EXPECT_EQ(state_after('a', 0), "");
  EXPECT_EQ(state_after('b', 'a'), "");
  EXPECT_EQ(state_after('b', 'a'), "");  // the same start, on another line
  EXPECT_EQ(state_after('d', 'c'), "");  // c never came here: nothing is wrong with the device
  EXPECT_EQ(state_after('e', 'b'), "restored");
  EXPECT_EQ(state_after('f', 'e'), "restored");  // noted, with its time
  EXPECT_EQ(state_after('d', 'c'), "copied");    // the process of then lives
}

TEST_F(GatewayTest, NothingWorksBeforeTheWelcome) {
  TestDevice device(world_, net_, "phone");
  proto::Envelope poll;
  poll.mutable_poll();
  proto::Envelope words;
  words.mutable_error()->set_text(std::string(1'000'000, 'x'));
  device.Connect();
  ExpectRefused(device, device.Ask(words), Code::kFailedPrecondition);
  device.Connect();
  ExpectRefused(device, device.Ask(poll), Code::kFailedPrecondition);
  device.Connect();
  ExpectRefused(device, device.Ask(device.Auth(std::string(32, 'n'))), Code::kFailedPrecondition);
  device.Connect();
  proto::Envelope hello = device.Hello();
  hello.mutable_hello()->set_protocol(99);
  ExpectRefused(device, device.Ask(hello), Code::kUnsupported);
}

TEST_F(GatewayTest, SilentStrangersAreCut) {
  TestDevice device(world_, net_, "phone");
  device.Connect();
  world_.RunFor(kAuthTimeoutMs + 1'000);
  EXPECT_FALSE(device.closed.ok());
  EXPECT_EQ(gateway_.sessions(), 0u);
}

TEST_F(GatewayTest, RequestsAreAnswered) {
  auto device = Ready("phone");
  proto::Envelope message;
  message.mutable_ping()->set_value(42);
  EXPECT_EQ(device->Ask(message).pong().value(), 42u);
  message.mutable_poll()->set_have_epoch(0);
  EXPECT_EQ(device->Ask(message).assignment().signed_json(), "");
  message.mutable_metadata_request()->set_role("root");
  const proto::Envelope metadata = device->Ask(message);
  ASSERT_TRUE(metadata.has_metadata()) << metadata.error().text();
  EXPECT_EQ(metadata.metadata().role(), "root");
  EXPECT_EQ(metadata.metadata().signed_json(), "");
  message.mutable_key_request()->set_target_path("digits/1.0.0/full");
  const proto::Envelope refused = device->Ask(message);
  EXPECT_NE(refused.error().code(), 0);
  EXPECT_FALSE(refused.error().fatal());
  EXPECT_TRUE(device->closed.ok());
}

TEST_F(GatewayTest, ReportsAreStoredOnceAndAcknowledged) {
  auto device = Ready("phone");
  proto::Envelope message;
  proto::Report* report = message.mutable_report();
  report->set_seq(1);
  report->set_step(proto::Report::TASK_FAILED);
  report->set_error_text("boom");
  EXPECT_EQ(device->Ask(message).report_ack().seq(), 1u);
  EXPECT_EQ(device->Ask(message).report_ack().seq(), 1u);
  report->set_seq(2);
  report->set_step(static_cast<proto::Report::Step>(99));  // can never be stored: passed over
  EXPECT_EQ(device->Ask(message).report_ack().seq(), 2u);
  report->set_step(proto::Report::TASK_FAILED);
  const std::string long_name(kMaxReportText + 1, 'x');
  for (std::string* name : {report->mutable_release_id(), report->mutable_package(),
                            report->mutable_version(), report->mutable_previous_version()}) {
    report->set_seq(report->seq() + 1);
    *name = long_name;
    EXPECT_EQ(device->Ask(message).report_ack().seq(), report->seq());
    name->clear();
  }
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto rows,
                                           tx.reports().OfDevice(device->id(), 10));
                    EXPECT_EQ(rows.size(), 1u);
                    EXPECT_EQ(rows.at(0).step, "task_failed");
                    return OkStatus();
                  })
                  .ok());
}

TEST_F(GatewayTest, ADeviceDoesNotFillTheLog) {
  auto device = Ready("phone");
  proto::Envelope says, report;
  says.mutable_error()->set_code(1);
  says.mutable_error()->set_text("no");
  report.mutable_report()->set_seq(1);  // of no step
  SetLogLevel(LogLevel::kInfo);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 200; ++i) {
    device->Say(says);
    device->Say(report);
    world_.RunFor(10);
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
  EXPECT_NE(log.find(device->id()), std::string::npos) << log;
}

TEST_F(GatewayTest, TimesOfReportsCanBeCountedWith) {
  auto device = Ready("phone");
  proto::Envelope message;
  proto::Report* report = message.mutable_report();
  report->set_step(proto::Report::WOKEN);
  for (const int64_t time_ms : {INT64_MIN, int64_t{5}, INT64_MAX}) {
    report->set_seq(report->seq() + 1);
    report->set_time_ms(time_ms);
    EXPECT_EQ(device->Ask(message).report_ack().seq(), report->seq());
  }
  std::vector<int64_t> stored;
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto rows,
                                           tx.reports().OfDevice(device->id(), 10));
                    for (const ReportRow& row : rows) stored.push_back(row.time_ms);
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(stored, (std::vector<int64_t>{kMaxReportTimeMs, 5, 0})) << "newest first";
}

TEST_F(GatewayTest, MeasurementsAreTakenWithinTheirLimits) {
  auto device = Ready("phone");
  proto::Envelope message;
  proto::Report* report = message.mutable_report();
  report->set_seq(1);
  report->set_step(proto::Report::MEASURED);
  report->set_package("digits");
  report->set_version("1.0.0");
  (*report->mutable_metrics())["latency_ms"] = 12.5;
  (*report->mutable_metrics())["queue"] = -3;
  EXPECT_EQ(device->Ask(message).report_ack().seq(), 1u);
  const auto bad = [&](const std::string& name, double value) {
    proto::Envelope more = message;
    more.mutable_report()->set_seq(2);
    (*more.mutable_report()->mutable_metrics())[name] = value;
    EXPECT_EQ(device->Ask(more).report_ack().seq(), 2u);
  };
  bad("latency_ms", HUGE_VAL);
  bad("latency_ms", NAN);
  bad("", 1);
  bad(std::string(proto::kMaxMetricName + 1, 'x'), 1);
  for (int i = 0; i < proto::kMaxMetricsInReport; ++i)
    (*report->mutable_metrics())["m" + std::to_string(i)] = i;
  bad("queue", 1);
  ASSERT_TRUE(
      store_
          ->Read([&](Transaction& tx) -> Status {
            FERRY_ASSIGN_OR_RETURN(const auto rows, tx.reports().OfDevice(device->id(), 10));
            EXPECT_EQ(rows.size(), 1u);
            EXPECT_EQ(rows.at(0).step, "measured");
            const std::map<std::string, double> sent = {{"latency_ms", 12.5}, {"queue", -3}};
            EXPECT_EQ(rows.at(0).metrics, sent);
            return OkStatus();
          })
          .ok());
}

TEST_F(GatewayTest, BatchesAreStoredOnce) {
  auto device = Ready("phone");
  proto::Envelope message;
  proto::TunnelBatch* batch = message.mutable_tunnel_batch();
  batch->set_outbox_id(std::string(16, 'o'));
  batch->set_first_seq(1);
  proto::Record* record = batch->add_records();
  record->set_stream("s");
  record->set_json("{}");
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 1u);
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 1u);
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto counts, tx.records().Counts());
                    EXPECT_EQ(counts.at(0).rows, 1);
                    return OkStatus();
                  })
                  .ok());
  record->set_json("{broken");
  batch->set_first_seq(2);
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 2u);  // stored as refused, and passed
}

// Devices of the first release do not say what was acknowledged to them.
TEST_F(GatewayTest, AnOldDeviceGoesOnAfterTheServerWasRestored) {
  auto device = Ready("phone");
  proto::Envelope message;
  proto::TunnelBatch* batch = message.mutable_tunnel_batch();
  batch->set_outbox_id(std::string(16, 'o'));
  batch->set_first_seq(101);
  proto::Record* record = batch->add_records();
  record->set_stream("s");
  record->set_json("{}");
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 101u);
  // A gap within the line is none that the device has forgotten.
  batch->set_first_seq(110);
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 101u);
  batch->set_first_seq(102);
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 102u);
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto losses, tx.intake().Losses("", 10));
                    EXPECT_EQ(losses.size(), 1u);
                    EXPECT_EQ(losses.at(0).first_seq, 1u);
                    EXPECT_EQ(losses.at(0).last_seq, 100u);
                    return OkStatus();
                  })
                  .ok());
}

// A device whose records cannot be taken still hears what it shall run, or nothing could mend it.
TEST_F(GatewayTest, PollsAreAnsweredBeforeBatchesAndDespiteThem) {
  auto device = Ready("phone");
  proto::Envelope message, poll;
  proto::TunnelBatch* batch = message.mutable_tunnel_batch();
  batch->set_outbox_id(std::string(16, 'o'));
  batch->set_first_seq(1);
  proto::Record* record = batch->add_records();
  record->set_stream("s");
  record->set_json("{}");
  poll.mutable_poll();
  net_.SetLine({.min_delay_ms = 5, .max_delay_ms = 5});  // both come at once
  device->Say(message);
  device->Say(poll);
  EXPECT_TRUE(device->Next().has_assignment());
  EXPECT_EQ(device->Next().tunnel_ack().up_to_seq(), 1u);
  batch->set_first_seq(0);  // no batch at all: not acknowledged, and the line stays
  device->Say(message);
  EXPECT_TRUE(device->Next().body_case() == proto::Envelope::BODY_NOT_SET);
  EXPECT_TRUE(device->Ask(poll).has_assignment());
  batch->set_first_seq(2);
  device->Say(message);  // too soon after the failure
  world_.RunFor(kBatchPauseMs);
  EXPECT_TRUE(device->heard.empty());
  EXPECT_EQ(device->Ask(message).tunnel_ack().up_to_seq(), 2u);
}

TEST_F(GatewayTest, EachAnswerAboutReleasesHasATextThatItIsKnownAgainBy) {
  auto device = Ready("phone");
  proto::Envelope poll;
  poll.mutable_poll();
  const std::string first = device->Ask(poll).assignment().have_text();
  const std::string second = device->Ask(poll).assignment().have_text();
  const std::string third = device->LogInAgain().welcome().have_text();
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  const auto have = OpenHave(content_secret_, first, world_.clock().NowUnixMs());
  ASSERT_TRUE(have.has_value());
  EXPECT_EQ(have->device, device->id());
  EXPECT_EQ(OpenHave(content_secret_, second, world_.clock().NowUnixMs()), have);
  EXPECT_EQ(OpenHave(content_secret_, third, world_.clock().NowUnixMs()), have);
}

// The second kind of device knows no retry_after_ms and sends again at once, for ever.
TEST_F(GatewayTest, ADeviceOverItsQuotaIsToldNowAndThenAndServedElse) {
  auto device = Ready("phone");
  const proto::TunnelAck full = device->Ask(BatchOf(1, 2'100, "1")).tunnel_ack();
  EXPECT_EQ(full.up_to_seq(), 2'000u);
  EXPECT_GT(full.retry_after_ms(), 0);
  proto::Envelope poll;
  poll.mutable_poll();
  for (int i = 0; i < 50; ++i) device->Say(BatchOf(2'001, 100, "1"));
  EXPECT_TRUE(device->Ask(poll).has_assignment());
  EXPECT_EQ(device->Next().body_case(), proto::Envelope::BODY_NOT_SET);
  world_.RunFor(kQuotaAnswerMs);
  for (int i = 0; i < 3; ++i) device->Say(BatchOf(2'001, 100, "1"));
  const proto::TunnelAck again = device->Next().tunnel_ack();
  EXPECT_EQ(again.up_to_seq(), 2'000u);
  EXPECT_GT(again.retry_after_ms(), 0);
  EXPECT_EQ(device->Next().body_case(), proto::Envelope::BODY_NOT_SET);
  world_.RunFor(full.retry_after_ms());
  EXPECT_TRUE(device->LogInAgain().has_welcome());
  EXPECT_EQ(device->Ask(BatchOf(2'001, 100, "1")).tunnel_ack().up_to_seq(), 2'100u);
}

TEST_F(GatewayTest, AFastDeviceIsHeldToItsRate) {
  auto device = Ready("phone");
  const std::string json = "\"" + std::string(63 << 10, 'x') + "\"";
  const int64_t begun_ms = world_.clock().NowUnixMs();
  for (uint64_t first = 1; first <= 17; first += 4) {
    device->Say(BatchOf(first, 4, json));
    const proto::Envelope answer = device->Next();
    ASSERT_EQ(answer.tunnel_ack().up_to_seq(), first + 3);
    EXPECT_EQ(answer.tunnel_ack().retry_after_ms(), 0);
  }
  // 1,260 KiB, of which 512 are the burst and the last 252 a debt.
  EXPECT_GE(world_.clock().NowUnixMs() - begun_ms, (1'260 - 512 - 252) * 1000 / 64 - 1'000);
}

TEST_F(GatewayTest, TooManyReportsArePassedOver) {
  auto device = Ready("phone");
  proto::Envelope message, poll;
  poll.mutable_poll();
  message.mutable_report()->set_step(proto::Report::WOKEN);
  for (uint64_t seq = 1; seq <= 100; ++seq) {
    message.mutable_report()->set_seq(seq);
    ASSERT_EQ(device->Ask(message).report_ack().seq(), seq);
  }
  message.mutable_report()->set_seq(101);
  device->Say(message);
  EXPECT_TRUE(device->Ask(poll).has_assignment());
  world_.RunFor(24 * 3'600'000);
  // An acknowledgement of 102 would stand for 101.
  message.mutable_report()->set_seq(102);
  device->Say(message);
  EXPECT_TRUE(device->IsClosed());
}

TEST_F(GatewayTest, WakesThoseWhoWantIt) {
  auto pushed = Ready("pushed", true);
  auto polls = Ready("polls", false);
  bus_->Publish(pushed->id(), 5);
  bus_->Publish(pushed->id(), 5);
  bus_->Publish(polls->id(), 6);
  EXPECT_EQ(pushed->Next().wake().epoch(), 5u);
  world_.RunFor(1'000);
  EXPECT_TRUE(pushed->heard.empty());
  EXPECT_TRUE(polls->heard.empty());
  // Who has asked meanwhile is woken again, also for what it was told.
  proto::Envelope poll;
  poll.mutable_poll();
  ASSERT_TRUE(pushed->Ask(poll).has_assignment());
  bus_->Publish(pushed->id(), 5);
  EXPECT_EQ(pushed->Next().wake().epoch(), 5u);
}

TEST_F(GatewayTest, ANewerConnectionTakesOver) {
  auto device = Ready("phone");
  TestDevice twin(world_, net_, "elsewhere");
  twin.identity = device->identity;
  twin.Connect();
  ASSERT_TRUE(twin.LogIn().has_welcome());
  EXPECT_TRUE(device->IsClosed());
  world_.RunFor(1'000);
  EXPECT_EQ(gateway_.sessions(), 1u);
  EXPECT_TRUE(twin.closed.ok());
}

TEST_F(GatewayTest, FloodsAndNonsenseAreCut) {
  auto device = Ready("phone");
  proto::Envelope message;
  message.mutable_ping()->set_value(1);
  for (int64_t i = 0; i <= kMessageBurst + kMaxMessagesPerSecond; ++i) device->Say(message);
  EXPECT_TRUE(device->IsClosed());
  EXPECT_EQ(device->heard.back().error().code(), static_cast<int>(Code::kLimitExceeded));
  sys::SeededRandom random(5);
  const Bytes good = *proto::EncodeEnvelope(device->EnrollMessage(secret_));
  for (int i = 0; i < 300; ++i) {
    Bytes bad = good;
    for (uint64_t n = 1 + random.Below(4); n > 0; --n) {
      bad[random.Below(bad.size())] = static_cast<uint8_t>(random.Next64());
    }
    bad.resize(bad.size() - random.Below(3));
    device->Connect();
    device->SayBytes(bad);
    world_.RunFor(100);
  }
  world_.RunFor(kAuthTimeoutMs + 1'000);
  EXPECT_LE(gateway_.sessions(), 1u);
}

}  // namespace
}  // namespace ferry::server
