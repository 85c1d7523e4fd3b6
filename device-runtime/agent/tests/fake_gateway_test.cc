#include <algorithm>

#include "common/crypto/hash.h"
#include "common/package/artefact.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/proto/envelope.h"
#include "common/trust/envelope.h"
#include "device-runtime/agent/tests/fixture.h"
#include "pipeline/tunnel/server.h"

namespace ferry::agent {
namespace {

constexpr int64_t kYearMs = 365 * int64_t{86'400'000};
constexpr char kSecret[] = "0123456789abcdef0123456789abcdef";

std::string Text(ByteView bytes) {
  return std::string(AsText(bytes));
}

}  // namespace

FakeGateway::FakeGateway(sys::SimWorld& world)
    : targets_key(trust::SigningKey::Generate(world.random())),
      director_key(trust::SigningKey::Generate(world.random())),
      snapshot_key(trust::SigningKey::Generate(world.random())),
      timestamp_key(trust::SigningKey::Generate(world.random())),
      root_key(trust::SigningKey::Generate(world.random())),
      personal_key(trust::SigningKey::Generate(world.random())),
      world_(world) {
  root.expires_ms = world.clock().NowUnixMs() + kYearMs;
  root.AddKey(root.root, root_key.public_key());
  root.AddKey(root.targets, targets_key.public_key());
  root.AddKey(root.snapshot, snapshot_key.public_key());
  root.AddKey(root.timestamp, timestamp_key.public_key());
  root.AddKey(root.director, director_key.public_key());
  root.escrow = crypto::AgreementKey::Generate(world.random()).public_key();
  const trust::SigningKey signers[] = {root_key};
  root_document = trust::SignRoot(root, signers).value();
  roots = {root_document};
  EXPECT_TRUE(disk.MakeDirectories("/content").ok());
  Sign();
}

trust::JoinToken FakeGateway::Token() const {
  trust::JoinToken token;
  token.tenant = "default";
  token.host = kServer.host;
  token.port = kServer.port;
  token.authority = "sha256:" + std::string(64, '0');
  token.root_sha256 = crypto::Sha256(root_document);
  token.secret = ToBytes(kSecret);
  return token;
}

void FakeGateway::AddEntry(const std::string& path, const trust::TargetEntry& entry,
                           const crypto::Secret32& key, const std::string& file) {
  ASSERT_TRUE(disk.Rename(file, "/content/" + ToHex(entry.sha256)).ok());
  targets.entries[path] = entry;
  keys.insert_or_assign(path, key);
}

void FakeGateway::Publish(const std::string& version, int64_t counter, const std::string& behaviour,
                          const std::string& base, const std::string& fallback) {
  package::Manifest manifest;
  manifest.name = publishing;
  manifest.requires_ = requires_;
  manifest.version = version;
  Bytes weights(20'000);
  sys::SeededRandom(7).Fill(weights);
  weights[100] = static_cast<uint8_t>(counter);
  const Bytes plain =
      package::WritePackage(manifest, {{"behaviour", AsBytes(behaviour)}, {"weights", weights}})
          .value();
  packages[publishing + "/" + version] = plain;
  trust::TargetEntry entry;
  entry.package = publishing;
  entry.version = version;
  entry.release_counter = counter;
  entry.plain_sha256 = crypto::Sha256(plain);
  entry.plain_length = plain.size();
  if (!fallback.empty()) {
    entry.fallback =
        trust::Fallback{fallback, crypto::Sha256(packages[publishing + "/" + fallback])};
  }
  const auto add = [&](const std::string& path, const package::SealedArtefact& sealed) {
    entry.length = sealed.length;
    entry.sha256 = sealed.sha256;
    AddEntry(path, entry, sealed.content_key, "/content/new");
  };
  if (!requires_.empty()) entry.requires_json = WriteJson(requires_);
  add(trust::FullPath(publishing, version),
      package::SealArtefact(disk, "/content/new", plain, world_.random()).value());
  entry.requires_json.clear();
  if (base.empty()) return;
  entry.kind = trust::ArtefactKind::kDelta;
  entry.base_version = base;
  entry.base_sha256 = crypto::Sha256(packages[publishing + "/" + base]);
  add(trust::DeltaPath(publishing, version, base),
      package::SealDelta(disk, "/content/new", packages[publishing + "/" + base], plain,
                         world_.random())
          .value());
}

trust::MadeDelta FakeGateway::MakeDelta(const std::string& version, const std::string& base) {
  const Bytes& from = packages[publishing + "/" + base];
  const auto sealed = package::SealDelta(disk, "/content/new", from,
                                         packages[publishing + "/" + version], world_.random())
                          .value();
  const trust::MadeDelta out{base, crypto::Sha256(from), sealed.length, sealed.sha256};
  const std::string path = trust::MadeDeltaPath(publishing, version, base);
  made[path] = trust::MadeEntryOf(targets.entries.at(trust::FullPath(publishing, version)), out);
  keys.insert_or_assign(path, sealed.content_key);
  EXPECT_TRUE(disk.Rename("/content/new", "/content/" + ToHex(sealed.sha256)).ok());
  return out;
}

void FakeGateway::PublishExclusive(const std::string& version, const std::string& name,
                                   ByteView content) {
  const auto sealed = package::SealArtefact(disk, "/content/new", content, world_.random()).value();
  trust::TargetEntry entry = targets.entries[trust::FullPath(publishing, version)];
  entry.kind = trust::ArtefactKind::kExclusive;
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  entry.plain_length = content.size();
  entry.plain_sha256 = crypto::Sha256(content);
  entry.fallback.reset();
  entry.requires_json.clear();
  AddEntry(trust::ExclusivePath(publishing, version, name), entry, sealed.content_key,
           "/content/new");
}

void FakeGateway::Delegate(const std::string& pattern, uint64_t max_bytes) {
  targets.personal =
      trust::MakePersonalDelegation(personal_key.public_key(), {pattern}, max_bytes).value();
  Sign();
}

void FakeGateway::PutPersonal(const std::string& name, ByteView content) {
  const auto sealed = package::SealArtefact(disk, "/content/new", content, world_.random()).value();
  trust::TargetEntry entry = trust::PersonalEntry(publishing);
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  entry.plain_length = content.size();
  entry.plain_sha256 = crypto::Sha256(content);
  const std::string path = trust::PersonalPath(publishing, name);
  ASSERT_TRUE(disk.Rename("/content/new", "/content/" + ToHex(entry.sha256)).ok());
  personal.entries[path] = entry;
  keys.insert_or_assign(path, sealed.content_key);
}

void FakeGateway::WantPersonal() {
  personal.device = device;
  personal.expires_ms = world_.clock().NowUnixMs() + kYearMs;
  ++personal.version;
  personal_document = trust::SignPersonal(personal, personal_key).value();
  desired.personal = trust::MetaOf(personal_document, personal.version);
  desired.device = device;
  desired.counter = ++assignment.counter;
  desired.expires_ms = world_.clock().NowUnixMs() + kYearMs;
  assignment_document = trust::SignDesired(desired, director_key).value();
  Wake();
}

void FakeGateway::Sign(int64_t timestamp_life_ms, int64_t targets_life_ms) {
  const int64_t now_ms = world_.clock().NowUnixMs();
  targets.version = version_ + 1;
  targets.expires_ms = now_ms + targets_life_ms;
  const trust::SigningKey signers[] = {targets_key};
  documents = trust::SignSpread(targets, root, signers, documents, 0).value();
  if (targets.bins) targets.bins = trust::ReadTargets(documents)->bins;
  targets_document = documents.top;
  SignOnline(timestamp_life_ms);
}

void FakeGateway::SignOnline(int64_t timestamp_life_ms) {
  trust::TargetsDocuments named = documents;
  named.top = targets_document;
  const trust::MetaFile top = trust::MetaOf(targets_document, targets.version);
  NameOnline(targets.bins ? trust::MetaOfAll(named).value()
                          : decltype(trust::Snapshot::files){{"targets.json", top}},
             timestamp_life_ms);
}

void FakeGateway::NameOnline(decltype(trust::Snapshot::files) files, int64_t timestamp_life_ms) {
  const int64_t now_ms = world_.clock().NowUnixMs();
  ++version_;
  // As a server does it: what a snapshot named is named by the next.
  const auto before = trust::ParseEnvelope(snapshot);
  if (before.ok()) {
    const auto old = trust::SnapshotFromJson(before->signed_part);
    if (old.ok()) files.insert(old->files.begin(), old->files.end());
  }
  snapshot =
      trust::SignSnapshot(std::move(files), version_, now_ms + kYearMs, snapshot_key).value();
  timestamp =
      trust::SignTimestamp(snapshot, version_, version_, now_ms + timestamp_life_ms, timestamp_key)
          .value();
}

void FakeGateway::Assign(const std::string& version, trust::Action action,
                         std::vector<std::string> exclusive) {
  assignment.device = device;
  ++assignment.counter;
  assignment.epoch = assignment.counter;
  assignment.release = "release-" + version;
  assignment.action = action;
  assignment.targets.clear();
  for (const auto& [path, entry] : targets.entries) {
    if (entry.version == version && entry.kind != trust::ArtefactKind::kExclusive) {
      assignment.targets.push_back(path);
    }
  }
  assignment.exclusive = std::move(exclusive);
  assignment.expires_ms = world_.clock().NowUnixMs() + kYearMs;
  assignment_document = trust::SignAssignment(assignment, director_key).value();
  Wake();
}

void FakeGateway::RotateKeys() {
  trust::Root next = root;
  const auto replace = [&](trust::RoleKeys& role, trust::SigningKey& key) {
    key = trust::SigningKey::Generate(world_.random());
    for (const std::string& id : role.key_ids) next.keys.erase(id);
    role.key_ids.clear();
    next.AddKey(role, key.public_key());
  };
  replace(next.director, director_key);
  replace(next.snapshot, snapshot_key);
  replace(next.timestamp, timestamp_key);
  const trust::SigningKey signers[] = {root_key};
  roots.push_back(trust::SignNextRoot(root, next, signers).value());
  root = trust::ParseSelfSignedRoot(roots.back()).value();
  Sign();
  if (assignment_document.empty()) return;
  assignment_document = trust::SignAssignment(assignment, director_key).value();
}

trust::DesiredPackage FakeGateway::Run(const std::string& package, const std::string& version,
                                       const std::string& release, int64_t attempt) const {
  trust::DesiredPackage wish;
  wish.version = version;
  wish.release = release;
  wish.attempt = attempt;
  for (const auto& [path, entry] : targets.entries) {
    if (entry.package != package || entry.version != version) continue;
    (entry.kind == trust::ArtefactKind::kExclusive ? wish.files : wish.targets).push_back(path);
  }
  return wish;
}

void FakeGateway::Want(const std::string& package, const trust::DesiredPackage& wish) {
  desired.device = device;
  desired.counter = ++assignment.counter;
  desired.packages[package] = wish;
  desired.expires_ms = world_.clock().NowUnixMs() + kYearMs;
  assignment_document = trust::SignDesired(desired, director_key).value();
  Wake();
}

void FakeGateway::Wake() {
  WakeWith(static_cast<uint64_t>(assignment.counter));
}

void FakeGateway::WakeForRoot() {
  WakeWith(0);
}

void FakeGateway::AskForKeys() {
  proto::Envelope envelope;
  envelope.mutable_ask_keys();
  SendToAll(envelope);
}

void FakeGateway::AskErase(uint64_t request) {
  proto::Envelope envelope;
  envelope.mutable_ask_erase()->set_request(request);
  SendToAll(envelope);
}

void FakeGateway::WakeWith(uint64_t epoch) {
  if (!push) return;
  proto::Envelope envelope;
  envelope.mutable_wake()->set_epoch(epoch);
  SendToAll(envelope);
}

void FakeGateway::SendToAll(const proto::Envelope& envelope) {
  for (auto& session : sessions_) {
    if (session->ready && session->channel) {
      (void)session->channel->Send(proto::EncodeEnvelope(envelope).value());
    }
  }
}

void FakeGateway::Accept(std::unique_ptr<sys::FrameChannel> channel) {
  sessions_.push_back(std::make_unique<Session>());
  Session* session = sessions_.back().get();
  session->channel = std::move(channel);
  session->channel->Start({.on_frame = [this, session](ByteView f) { OnFrame(session, f); },
                           .on_close = [session](const Status&) { session->ready = false; }});
}

void FakeGateway::OnFrame(Session* session, ByteView frame) {
  proto::Envelope in, out;
  ASSERT_TRUE(proto::DecodeEnvelope(frame, &in).ok());
  if (!bend || !bend(in, &out)) Handle(in, session, &out);
  if (out.body_case() == proto::Envelope::BODY_NOT_SET) return;
  Bytes answer = proto::EncodeEnvelope(out).value();
  if (damage) damage(&answer);
  (void)session->channel->Send(answer);
}

void FakeGateway::Handle(const proto::Envelope& in, Session* session, proto::Envelope* out) {
  switch (in.body_case()) {
    case proto::Envelope::kEnroll: {
      const proto::Enroll& enroll = in.enroll();
      const Bytes message =
          proto::EnrollMessage(enroll.tenant(), crypto::Sha256(AsBytes(kSecret)),
                               AsBytes(enroll.identity_public()), AsBytes(enroll.seal_public()));
      if (enroll.join_secret() != kSecret ||
          !crypto::Verify(AsBytes(enroll.identity_public()), message, AsBytes(enroll.proof()))) {
        out->mutable_error()->set_code(static_cast<int>(Code::kUnauthenticated));
        out->mutable_error()->set_fatal(true);
        return;
      }
      identity_public = ToBytes(enroll.identity_public());
      seal_public = ToBytes(enroll.seal_public());
      device = proto::DeviceIdOf(crypto::Sha256(identity_public));
      out->mutable_enrolled()->set_device_id(device);
      return;
    }
    case proto::Envelope::kHello:
      if (in.hello().device_id() != device) {
        out->mutable_error()->set_code(static_cast<int>(Code::kNotFound));
        out->mutable_error()->set_fatal(true);
        return;
      }
      session->nonce.resize(proto::kNonceBytes);
      world_.random().Fill(session->nonce);
      out->mutable_challenge()->set_nonce(Text(session->nonce));
      return;
    case proto::Envelope::kAuth:
      if (!crypto::Verify(identity_public, proto::AuthMessage(device, session->nonce),
                          AsBytes(in.auth().signature()))) {
        out->mutable_error()->set_code(static_cast<int>(Code::kUnauthenticated));
        out->mutable_error()->set_fatal(true);
        return;
      }
      push = in.auth().push();
      reads_desired = in.auth().desired();
      reads_when = in.auth().when();
      session->ready = true;
      out->mutable_welcome()->set_epoch(static_cast<uint64_t>(assignment.counter));
      out->mutable_welcome()->set_content_token("letmein");
      out->mutable_welcome()->set_erase(erases);
      out->mutable_welcome()->set_have_text(have_text);
      for (const std::string& mirror : mirrors) out->mutable_welcome()->add_mirrors(mirror);
      if (says_root) out->mutable_welcome()->set_root_version(roots.size());
      out->mutable_welcome()->set_server_time_ms(world_.clock().NowUnixMs() + clock_off_ms);
      return;
    case proto::Envelope::kEraseData:
      erased.push_back(in.erase_data());
      out->mutable_data_erased()->set_number(in.erase_data().number());
      out->mutable_data_erased()->set_receipt(R"({"records":4})");
      return;
    case proto::Envelope::kNewKeys: {
      const proto::NewKeys& keys = in.new_keys();
      const Bytes message = proto::NewKeysMessage(device, AsBytes(keys.identity_public()),
                                                  AsBytes(keys.seal_public()));
      EXPECT_TRUE(AsText(identity_public) == keys.identity_public() ||
                  crypto::Verify(identity_public, message, AsBytes(keys.by_present())));
      EXPECT_TRUE(crypto::Verify(AsBytes(keys.identity_public()), message, AsBytes(keys.by_new())));
      identity_public = ToBytes(keys.identity_public());
      seal_public = ToBytes(keys.seal_public());
      out->mutable_keys_taken()->set_identity_public(keys.identity_public());
      return;
    }
    case proto::Envelope::kPoll: {
      have.assign(in.poll().have().begin(), in.poll().have().end());
      if (in.poll().has_personal_version()) personal_version = in.poll().personal_version();
      const bool newer = in.poll().have_epoch() < static_cast<uint64_t>(assignment.counter);
      out->mutable_assignment()->set_signed_json(newer ? Text(assignment_document) : "");
      out->mutable_assignment()->set_have_text(have_text);
      ++polls;
      return;
    }
    case proto::Envelope::kMetadataRequest: {
      const std::string& role = in.metadata_request().role();
      out->mutable_metadata()->set_role(role);
      const uint64_t version = in.metadata_request().version();
      if (role == "root" && version >= 1 && version <= roots.size()) {
        out->mutable_metadata()->set_signed_json(Text(roots[version - 1]));
      }
      if (role == "timestamp") out->mutable_metadata()->set_signed_json(Text(timestamp));
      if (role == "snapshot") out->mutable_metadata()->set_signed_json(Text(snapshot));
      if (role == "personal" && version == static_cast<uint64_t>(personal.version))
        out->mutable_metadata()->set_signed_json(Text(personal_document));
      if (const auto bin = documents.bins.find(role); bin != documents.bins.end()) {
        bins_asked.push_back(role);
        out->mutable_metadata()->set_signed_json(Text(bin->second));
      }
      if (role == "targets") out->mutable_metadata()->set_signed_json(Text(targets_document));
      return;
    }
    case proto::Envelope::kKeyRequest: {
      const std::string& path = in.key_request().target_path();
      const trust::TargetEntry& entry = personal.entries.contains(path) ? personal.entries[path]
                                        : made.contains(path)           ? made.at(path)
                                                                        : targets.entries[path];
      const auto wrapped =
          package::WrapForDevice(seal_public, {"default", in.key_request().release_id(), device},
                                 entry, keys.at(path), world_.random());
      out->mutable_wrapped_key()->set_target_path(path);
      out->mutable_wrapped_key()->set_enc(Text(wrapped->enc));
      out->mutable_wrapped_key()->set_sealed(Text(wrapped->sealed));
      return;
    }
    case proto::Envelope::kReport:
      if (reports.empty() || in.report().seq() > reports.back().seq()) {
        reports.push_back(in.report());
      }
      out->mutable_report_ack()->set_seq(in.report().seq());
      return;
    case proto::Envelope::kTunnelBatch: {
      auto batch = tunnel::DecodeBatch(in.tunnel_batch());
      ASSERT_TRUE(batch.ok()) << batch.status().ToString();
      const std::string outbox = Text(batch->outbox_id);
      auto& stored = records[outbox];
      const auto admitted = tunnel::Admit(std::move(*batch), stored.size());
      for (const auto& record : admitted.fresh) stored.emplace(record.seq, record.json);
      *out->mutable_tunnel_ack() = tunnel::MakeAck(AsBytes(outbox), admitted.acknowledge);
      return;
    }
    case proto::Envelope::kPing:
      out->mutable_pong()->set_value(in.ping().value());
      return;
    default:
      ADD_FAILURE() << "message " << in.body_case();
  }
}

Result<sys::Content> FakeGateway::Open(const std::string& path, const std::string& authorization) {
  if (authorization != "Bearer letmein") return Status(Code::kUnauthenticated, "no content token");
  FERRY_ASSIGN_OR_RETURN(auto file, disk.OpenForRead(path));
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  bytes_served += size;
  return sys::Content{std::move(file), size};
}

int FakeGateway::Count(Step step, const std::string& version) const {
  return static_cast<int>(
      std::count_if(reports.begin(), reports.end(), [&](const proto::Report& report) {
        return report.step() == static_cast<int>(step) &&
               (version.empty() || report.version() == version);
      }));
}

int FakeGateway::CountOf(const std::string& package, Step step) const {
  return static_cast<int>(
      std::count_if(reports.begin(), reports.end(), [&](const proto::Report& report) {
        return report.package() == package && report.step() == static_cast<int>(step);
      }));
}

const proto::Report* FakeGateway::Last(const std::string& package) const {
  for (auto report = reports.rbegin(); report != reports.rend(); ++report)
    if (report->package() == package) return &*report;
  return nullptr;
}

bool FakeGateway::Reported(Step step, const std::string& version) const {
  return Count(step, version) > 0;
}

const proto::Report* FakeGateway::Failure() const {
  for (auto report = reports.rbegin(); report != reports.rend(); ++report) {
    if (report->step() == proto::Report::FAILED) return &*report;
  }
  return nullptr;
}

}  // namespace ferry::agent
