// A device and a small honest gateway in one simulated world, for tests of this room. What the
// gateway sends can be bent by each test.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/package/wrap.h"
#include "common/proto/wire.pb.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/network.h"
#include "common/sys/sim/world.h"
#include "common/trust/builder.h"
#include "common/trust/documents/bins/spread.h"
#include "device-runtime/agent/agent.h"
#include "device-runtime/agent/state/journal.h"
#include "device-runtime/agent/state/slots.h"
#include "device-runtime/agent/state/trust_store.h"
#include "device-runtime/task/files/exclusive_files.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/flow/definition.h"

namespace ferry::agent {

inline const sys::Endpoint kServer{"server", 7443};
inline constexpr char kState[] = "/data/ferry";

// How a package of a test behaves: the content of its file "behaviour".
//   "good", "load" (does not load), "probe" (probe fails), "raise" (every event fails),
//   "rule" (loads, and has a rule that no matcher takes)
// Trailing text after a blank is ignored.
class FakeRunner : public PackageRunner {
 public:
  FakeRunner(std::string behaviour, std::string version,
             std::shared_ptr<const task::ExclusiveFiles> exclusive)
      : behaviour_(std::move(behaviour)),
        version_(std::move(version)),
        exclusive_(std::move(exclusive)) {}
  Status Probe() override;
  std::shared_ptr<const flow::Definition> definition() const override;
  task::EventOutcome Run(const flow::Start& start) override;
  task::HostStats stats() const override { return stats_; }
  Result<Bytes> ReadFile(std::string_view name) override;

 private:
  std::string behaviour_;
  std::string version_;
  std::shared_ptr<const task::ExclusiveFiles> exclusive_;
  task::HostStats stats_;
};
RunnerLoader FakeLoader(sys::FileSystem& fs);

// Keeps content keys and signed metadata, answers devices, remembers what they sent.
class FakeGateway : public sys::ContentSource {
 public:
  explicit FakeGateway(sys::SimWorld& world);

  trust::JoinToken Token() const;
  // Publishes a package version: full, a delta from `base` (when not empty), and the fallback.
  void Publish(const std::string& version, int64_t counter, const std::string& behaviour,
               const std::string& base = "", const std::string& fallback = "");
  // Seals the delta between two published versions as a server makes it: named by no targets.
  trust::MadeDelta MakeDelta(const std::string& version, const std::string& base);
  void PublishExclusive(const std::string& version, const std::string& name, ByteView content);
  // Targets delegate personal files of `pattern` to personal_key.
  void Delegate(const std::string& pattern, uint64_t max_bytes = 1 << 20);
  // In the next document about the device's own files, for WantPersonal.
  void PutPersonal(const std::string& name, ByteView content);
  // Signs that document one version up, binds it in the desired state and wakes the device.
  void WantPersonal();
  // The next root, with fresh keys of director, snapshot and timestamp; all that they sign is
  // signed anew. Wakes nobody.
  void RotateKeys();
  // Signs targets, snapshot and timestamp anew.
  void Sign(int64_t timestamp_life_ms = int64_t{86'400'000},
            int64_t targets_life_ms = 366 * int64_t{86'400'000});
  // Snapshot and timestamp alone: what needs no offline key.
  void SignOnline(int64_t timestamp_life_ms = int64_t{86'400'000});
  // The same of a thief: the snapshot names what `files` says.
  void NameOnline(decltype(trust::Snapshot::files) files,
                  int64_t timestamp_life_ms = int64_t{86'400'000});
  // Gives `device` the version and wakes it.
  void Assign(const std::string& version, trust::Action action = trust::Action::kInstall,
              std::vector<std::string> exclusive = {});
  // Says in the next desired-state document what becomes of `package` and wakes the device; other
  // packages stay in the document as they are.
  void Want(const std::string& package, const trust::DesiredPackage& wish);
  // A wish with all artefacts of a published version.
  trust::DesiredPackage Run(const std::string& package, const std::string& version,
                            const std::string& release, int64_t attempt = 1) const;
  void Wake();
  void WakeForRoot();
  void AskForKeys();  // who has a line
  void AskErase(uint64_t request);
  void Accept(std::unique_ptr<sys::FrameChannel> channel);
  Result<sys::Content> Open(const std::string& path, const std::string& authorization) override;
  Result<std::string> Elsewhere(const std::string& path, const std::string&) override {
    return elsewhere.empty() ? "" : elsewhere + path + "?signature=1";
  }

  bool Reported(Step step, const std::string& version) const;
  int Count(Step step, const std::string& version) const;
  // The last report of a package, or null.
  const proto::Report* Last(const std::string& package) const;
  int CountOf(const std::string& package, Step step) const;
  const proto::Report* Failure() const;  // the last FAILED, or null

  // Bends: asked before the honest answer.
  std::function<bool(const proto::Envelope& request, proto::Envelope* answer)> bend;
  std::function<void(Bytes* frame)> damage;  // of what goes out
  std::string publishing = "digits";         // whose versions are published and assigned
  Json requires_ = Json::object();           // of the manifests that are published
  trust::Assignment assignment;
  trust::Desired desired;
  bool reads_desired = false;             // the device said so
  bool reads_when = false;                // that it waits for conditions, too
  std::vector<proto::PackageState> have;  // of its last poll
  Bytes assignment_document;
  trust::PersonalTargets personal;
  Bytes personal_document;
  std::optional<uint64_t> personal_version;  // of the device's last poll
  trust::Targets targets;                    // with `bins` they are spread when they are signed
  trust::TargetsDocuments documents;         // then
  std::vector<std::string> bins_asked;
  Bytes root_document, timestamp, snapshot, targets_document;
  std::map<std::string, Bytes> packages;         // plain, by package/version
  std::map<std::string, crypto::Secret32> keys;  // content keys, by path
  trust::TargetMap made;                         // by path: what MakeDelta made
  std::string device;
  Bytes identity_public, seal_public;
  bool push = false;
  bool erases = true;  // false: an older one, which does not know EraseData
  std::vector<proto::EraseData> erased;
  std::string have_text;  // that it gives from now on
  int polls = 0;
  std::vector<std::string> mirrors;  // that it names
  std::string elsewhere;             // URL below which its content lies too
  bool says_root = true;             // false: a gateway of Ferry 0.1.0
  std::vector<Bytes> roots;          // by version, from 1
  int64_t clock_off_ms = 0;          // what it says of its time less the world's
  std::vector<proto::Report> reports;
  std::map<std::string, std::map<uint64_t, std::string>> records;  // outbox id -> seq -> JSON
  uint64_t bytes_served = 0;
  sys::SimFileSystem disk;  // sealed files
  trust::SigningKey targets_key, director_key, snapshot_key, timestamp_key, root_key, personal_key;
  trust::Root root;

 private:
  struct Session {
    std::unique_ptr<sys::FrameChannel> channel;
    Bytes nonce;
    bool ready = false;
  };
  void OnFrame(Session* session, ByteView frame);
  void Handle(const proto::Envelope& in, Session* session, proto::Envelope* out);
  void WakeWith(uint64_t epoch);
  void SendToAll(const proto::Envelope& envelope);
  void AddEntry(const std::string& path, const trust::TargetEntry& entry,
                const crypto::Secret32& key, const std::string& file);

  sys::SimWorld& world_;
  int64_t version_ = 0;
  std::vector<std::unique_ptr<Session>> sessions_;
};

// World, network, gateway and one device that can be killed and started again.
class Fixture {
 public:
  explicit Fixture(uint64_t seed = 1);
  ~Fixture();

  // Starts the device process on its disk. Join token unless told otherwise.
  Status Start();
  void Kill();  // the process dies; disk and outbox stay
  void Event();
  // Runs until `done`, at most `limit_ms` of virtual time.
  bool Until(const std::function<bool()>& done, int64_t limit_ms = 300'000);
  bool UntilStep(Step step, const std::string& version, int64_t limit_ms = 300'000);
  std::string Version() const;  // that runs; "" for none
  std::string VersionOf(const std::string& package) const;
  // That the package is reported as such, from now on.
  bool UntilReported(const std::string& package, Step step, int64_t limit_ms = 300'000);
  std::string LastErrorName() const;

  sys::SimWorld world;
  sys::SimNetwork network;
  sys::SimFileSystem disk;
  FakeGateway gateway;
  std::unique_ptr<sys::Executor> server_executor;
  AgentOptions options;
  trust::JoinToken token;
  bool give_token = true;  // at a start
  // The key for what lies sealed on the disk, in each byte, at a start; nullopt: none.
  std::optional<uint8_t> at_rest_tag;
  std::unique_ptr<package::AtRest> at_rest;
  std::unique_ptr<store::Outbox> outbox;
  std::function<std::unique_ptr<sys::Dialer>(std::unique_ptr<sys::Dialer>)> wrap_dialer;
  std::vector<TaskOutcome> outcomes;

  std::unique_ptr<sys::Executor> executor, worker;
  std::unique_ptr<task::TaskSet> tasks;
  std::unique_ptr<sys::Dialer> dialer;
  std::unique_ptr<Agent> agent;
};

}  // namespace ferry::agent
