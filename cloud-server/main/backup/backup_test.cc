#include "cloud-server/main/backup/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "cloud-server/main/backup/folder_lock.h"
#include "cloud-server/main/node.h"
#include "cloud-server/registry/test_publisher.h"

namespace ferry::server {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A server with one published package and rows of one device.
class BackupTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ferry-backup-XXXXXX";
    folder_ = mkdtemp(name);
    ASSERT_TRUE(MakeHome(fs_, At("srv"), {}, sys::SystemRandom()).ok());
    ASSERT_NO_FATAL_FAILURE(Start());
    const AdminOptions& admin = node_->admin_options();
    TestServer desk;  // its content is copied into the server's
    desk.secrets = home_->secrets;
    desk.clock.now_ms = sys::SystemClock().NowUnixMs();
    TestPublisher publisher(desk);
    const std::string path = publisher.Add("1.0.0", 1, "package one");
    content_ = ToHex(publisher.targets.entries.at(path).sha256);
    ASSERT_TRUE(desk.blobs->CopyTo(content_, "/copy").ok());
    ASSERT_TRUE(admin.blobs->PutBytes(content_, *sys::ReadFile(desk.fs, "/copy")).ok());
    ASSERT_TRUE(admin.registry->PutRoot(publisher.RootDocument()).ok());
    const auto published = admin.registry->Publish(publisher.Make());
    ASSERT_TRUE(published.ok()) << published.status().ToString();
    ASSERT_TRUE(admin.store
                    ->Write([&](Transaction& tx) -> Status {
                      DeviceRow device;
                      device.id = "d1";
                      return tx.devices().Put(device);
                    })
                    .ok());
    AddRow(1);
  }
  void TearDown() override {
    node_.reset();
    (void)fs_.RemoveTree(folder_);
  }

  std::string At(const std::string& name) const { return sys::JoinPath(folder_, name); }
  std::string Sealed(const std::string& root) const {
    return sys::JoinPath(root, BlobPath("content", content_));
  }
  void Start() {
    auto home = OpenHome(fs_, At("srv"));
    ASSERT_TRUE(home.ok()) << home.status().ToString();
    home_ = std::make_unique<ServerHome>(std::move(*home));
    auto node = Node::Start(*home_, {});
    ASSERT_TRUE(node.ok()) << node.status().ToString();
    node_ = std::move(*node);
  }
  void AddRow(uint64_t seq) {
    EXPECT_TRUE(node_->admin_options()
                    .store
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_TRY(AsStatus(tx.records().Add({"d1", "aa", seq, "s", 1, 1, "{}"})));
                      return tx.intake().PutMark("d1", "aa", seq);
                    })
                    .ok());
  }
  uint64_t Rows() {
    uint64_t mark = 0;
    EXPECT_TRUE(node_->admin_options()
                    .store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(mark, tx.intake().Mark("d1", "aa"));
                      return OkStatus();
                    })
                    .ok());
    return mark;
  }
  int64_t Version(const std::string& role) {
    return node_->admin_options().registry->Metadata(role, 0)->version;
  }
  Result<BackupDone> Backup() { return MakeBackup(At("srv"), At("backup"), now_ms_, nullptr); }
  Result<RestoreDone> Restore(const std::string& to, bool replace) {
    return RestoreBackup(At("backup"), At(to), replace, now_ms_, nullptr);
  }
  std::vector<std::string> Problems(const std::string& of = "srv", bool deep = true) {
    const auto problems = CheckHome(At(of), deep, now_ms_);
    EXPECT_TRUE(problems.ok()) << problems.status().ToString();
    return problems.ok() ? *problems : std::vector<std::string>{"no check"};
  }
  void Flip(const std::string& path) {
    Bytes bytes = *sys::ReadFile(fs_, path);
    bytes[bytes.size() / 2] ^= 1;
    const int permissions = fs_.Stat(path)->permissions;
    ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, bytes, permissions).ok());
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  std::string folder_, content_;
  const int64_t now_ms_ = sys::SystemClock().NowUnixMs();
  std::unique_ptr<ServerHome> home_;
  std::unique_ptr<Node> node_;
};

TEST_F(BackupTest, OfAServerThatIsWrittenToAllTheTime) {
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> last = 1;
  std::thread writer([&] {
    for (uint64_t seq = 2; !stop; ++seq) {
      AddRow(seq);
      last = seq;
    }
  });
  uint64_t before = 0;
  for (int i = 0; i < 5; ++i) {
    before = last;
    const auto done = Backup();
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    if (done.ok()) {
      EXPECT_THAT(done->problems, IsEmpty());
    }
  }
  stop = true;
  writer.join();
  EXPECT_THAT(Problems(), IsEmpty()) << "of the running server";
  ASSERT_TRUE(Restore("other", false).ok());
  EXPECT_THAT(Problems("other"), IsEmpty());
  EXPECT_EQ(fs_.Stat(At("backup"))->permissions, 0700);
  EXPECT_EQ(fs_.Stat(At("backup/ferry.db"))->permissions, 0600);
  EXPECT_EQ(fs_.Stat(At("backup/keys/escrow.key"))->permissions, 0600);
  EXPECT_EQ(fs_.Stat(At("other/keys/escrow.key"))->permissions, 0600);
  EXPECT_FALSE(sys::Exists(fs_, At("backup.partial")));
  EXPECT_FALSE(sys::Exists(fs_, At("backup.replaced")));
  const uint64_t after = last;
  node_.reset();
  ASSERT_TRUE(Restore("srv", true).ok());
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_GE(Rows(), before);
  EXPECT_LE(Rows(), after);
}

TEST_F(BackupTest, ContentIsTakenOverFromTheBackupBefore) {
  ASSERT_TRUE(Backup().ok());
  const auto inode = [&] {
    struct stat info {};
    EXPECT_EQ(::stat(Sealed(At("backup")).c_str(), &info), 0);
    return info.st_ino;
  };
  const auto first = inode();
  auto second = Backup();
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(second->taken_over, 1u);
  EXPECT_EQ(inode(), first);
  // A damaged one is not.
  Flip(Sealed(At("backup")));
  second = Backup();
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(second->taken_over, 0u);
  EXPECT_THAT(second->problems, IsEmpty());
  EXPECT_TRUE(Restore("other", false).ok());
}

TEST_F(BackupTest, LeavesAloneWhatIsNoBackup) {
  ASSERT_TRUE(fs_.MakeDirectories(At("backup/papers")).ok());
  EXPECT_EQ(Backup().code(), Code::kAlreadyExists);
  EXPECT_TRUE(sys::Exists(fs_, At("backup/papers")));
  for (const char* inside : {"srv", "srv/backup", "srv/../srv/keys"})
    EXPECT_EQ(MakeBackup(At("srv"), At(inside), now_ms_, nullptr).code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeBackup(At("srv"), folder_, now_ms_, nullptr).code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeBackup(At("nothing"), At("b"), now_ms_, nullptr).code(), Code::kNotFound);
}

TEST_F(BackupTest, NamesContentThatIsDamaged) {
  Flip(Sealed(At("srv")));
  const auto done = Backup();
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_THAT(done->problems, Contains(HasSubstr(content_)));
  EXPECT_TRUE(Restore("other", false).ok()) << "the rest of it is whole";
  EXPECT_THAT(Problems("other"), ElementsAre(HasSubstr("there is no content/")));
}

TEST_F(BackupTest, RestoresOnlyWhereNothingIsLost) {
  ASSERT_TRUE(Backup().ok());
  AddRow(2);
  const int64_t timestamp = Version("timestamp");
  {
    const auto lock = FolderLock::TakeHome(At("srv"), "ferry-server run", 1);  // as `run` holds it
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(Restore("srv", true).code(), Code::kFailedPrecondition);
  }
  EXPECT_EQ(Restore("srv", false).code(), Code::kAlreadyExists);
  node_.reset();
  std::filesystem::permissions(At("srv"), std::filesystem::perms::owner_all);
  const auto done = Restore("srv", true);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_TRUE(sys::Exists(fs_, done->replaced + "/server.json"));
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Rows(), 1u);
  EXPECT_GT(Version("timestamp"), timestamp);
  std::optional<std::string> note;
  ASSERT_TRUE(node_->admin_options()
                  .store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(note, tx.access().Setting(kRestoredSetting));
                    return OkStatus();
                  })
                  .ok());
  EXPECT_THAT(note.value_or(""), HasSubstr("backup_ms"));
}

TEST_F(BackupTest, ADamagedBackupIsNotRestored) {
  ASSERT_TRUE(Backup().ok());
  for (const std::string& path :
       {At("backup/ferry.db"), At("backup/keys/director.key"), Sealed(At("backup"))}) {
    Flip(path);
    const auto refused = Restore("other", false);
    EXPECT_EQ(refused.code(), Code::kCorruptContent) << path;
    EXPECT_THAT(refused.status().message(), HasSubstr(path.substr(path.rfind('/') + 1)));
    Flip(path);
  }
  ASSERT_TRUE(fs_.Remove(At("backup/ca.key")).ok());
  EXPECT_THAT(Restore("other", false).status().message(), HasSubstr("ca.key is missing"));
  EXPECT_FALSE(sys::Exists(fs_, At("other")));
  EXPECT_FALSE(sys::Exists(fs_, At("other.partial")));
}

TEST_F(BackupTest, AManifestThatLeadsElsewhereIsRefused) {
  ASSERT_TRUE(Backup().ok());
  const std::string path = At("backup/manifest.jsonl");
  const Bytes whole = *sys::ReadFile(fs_, path);
  const std::string text(AsText(whole));
  const auto restore = [&](const std::string& manifest) {
    EXPECT_TRUE(sys::WriteFileAtomically(fs_, path, AsBytes(manifest)).ok());
    return Restore("other", false).code();
  };
  for (const char* bad : {"../srv/ca.key", "/etc/passwd", "keys/../../x", "", "manifest.jsonl"}) {
    std::string changed = text;
    changed.replace(changed.find("\"ca.key\""), 8, fmt::format("\"{}\"", bad));
    EXPECT_EQ(restore(changed), Code::kMalformed) << bad;
  }
  EXPECT_EQ(restore(text.substr(0, text.rfind('{'))), Code::kTruncatedContent);
  EXPECT_EQ(restore(text.substr(0, text.size() - 1)), Code::kTruncatedContent);
  std::string newer = text;
  newer.replace(newer.find("\"format\":1"), 10, "\"format\":2");
  EXPECT_EQ(restore(newer), Code::kUnsupported);
  EXPECT_EQ(restore(text), Code::kOk);
}

TEST_F(BackupTest, CheckNamesWhatIsWrong) {
  EXPECT_THAT(Problems(), IsEmpty());
  Flip(Sealed(At("srv")));
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("has SHA-256")));
  EXPECT_THAT(Problems("srv", false), IsEmpty()) << "only looked whether it is there";
  Flip(Sealed(At("srv")));
  node_.reset();
  ASSERT_TRUE(fs_.Rename(At("srv/keys/escrow.key"), At("escrow")).ok());
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("escrow.key")));
  ASSERT_TRUE(fs_.Rename(At("escrow"), At("srv/keys/escrow.key")).ok());
  // Keys of another server.
  ASSERT_TRUE(MakeHome(fs_, At("stranger"), {}, sys::SystemRandom()).ok());
  ASSERT_TRUE(fs_.Rename(At("srv/keys"), At("keys")).ok());
  ASSERT_TRUE(fs_.Rename(At("stranger/keys"), At("srv/keys")).ok());
  EXPECT_THAT(Problems(), Contains(HasSubstr("does not name this server's key")));
  EXPECT_THAT(Problems(), Contains(HasSubstr("content key: ")));
  ASSERT_TRUE(fs_.RemoveTree(At("srv/keys")).ok());
  ASSERT_TRUE(fs_.Rename(At("keys"), At("srv/keys")).ok());
  const auto later = CheckHome(At("srv"), true, now_ms_ + 400 * trust::kDayMs);
  ASSERT_TRUE(later.ok());
  EXPECT_THAT(*later, Contains(HasSubstr("root version 1 expired")));
  EXPECT_THAT(*later, Contains(HasSubstr("targets version 1 expired")));
  Bytes database = *sys::ReadFile(fs_, At("srv/ferry.db"));
  std::fill_n(database.begin() + static_cast<ptrdiff_t>(database.size() / 2), 4096, 0xff);
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, At("srv/ferry.db"), database).ok());
  EXPECT_THAT(Problems(), testing::Not(IsEmpty()));
  EXPECT_EQ(CheckHome(At("nothing"), true, now_ms_).code(), Code::kNotFound);
}

}  // namespace
}  // namespace ferry::server
