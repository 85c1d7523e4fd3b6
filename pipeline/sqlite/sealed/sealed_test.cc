#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "common/sys/random.h"
#include "pipeline/sqlite/sealed/page.h"
#include "pipeline/sqlite/sealed/vfs.h"
#include "pipeline/sqlite/sqlite.h"

namespace ferry::sqlite {
namespace {

namespace fs = std::filesystem;

crypto::Secret32 KeyOf(uint8_t byte) {
  return crypto::Secret32::From(Bytes(32, byte), "key").value();
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class SealedTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ferry-sealed-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "a b?c%d.db";  // what a URI would read otherwise
  }
  void TearDown() override { fs::remove_all(folder_); }

  struct Connection {
    std::unique_ptr<SealedVfs> vfs;
    sqlite3* db = nullptr;
    ~Connection() { sqlite3_close_v2(db); }
  };

  std::unique_ptr<Connection> Open(const std::string& path, bool fresh = false) {
    auto out = std::make_unique<Connection>();
    out->vfs = std::make_unique<SealedVfs>(KeyOf(1));
    EXPECT_TRUE(OpenPrivate(path, &out->db, out->vfs->name()).ok());
    if (fresh) {
      EXPECT_TRUE(ReservePageEnds(out->db).ok());
      EXPECT_TRUE(Execute(out->db, "PRAGMA journal_mode = MEMORY").ok());
    }
    const Status status = Execute(
        out->db, "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL; PRAGMA synchronous=FULL");
    if (!status.ok()) ADD_FAILURE() << status.ToString();
    return out;
  }

  static int64_t Number(sqlite3* db, const char* sql) {
    Statement statement;
    const Status prepared = statement.Prepare(db, sql);
    if (!prepared.ok()) {
      ADD_FAILURE() << prepared.ToString();
      return -1;
    }
    const auto row = statement.Step();
    return row.ok() && *row ? statement.Int(0) : -1;
  }

  static std::string Text(sqlite3* db, const char* sql) {
    Statement statement;
    const Status prepared = statement.Prepare(db, sql);
    if (!prepared.ok()) return prepared.ToString();
    const auto row = statement.Step();
    return row.ok() && *row ? statement.Text(0) : row.status().ToString();
  }

  // Neither file nor log has the text, or anything of SQLite's own layout.
  void ExpectHidden(const std::string& path, std::string_view text) {
    for (const char* ending : {"", "-wal", "-shm", "-journal", ".sealing"}) {
      const std::string bytes = Slurp(path + ending);
      EXPECT_EQ(bytes.find(text), std::string::npos) << ending;
      EXPECT_EQ(bytes.find("CREATE TABLE"), std::string::npos) << ending;
    }
  }

  fs::path folder_;
  std::string path_;
};

constexpr char kSecret[] = "a very private sentence";

TEST_F(SealedTest, NothingReadableLiesOnTheDisk) {
  auto one = Open(path_, true);
  ASSERT_TRUE(Execute(one->db, "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)").ok());
  ASSERT_TRUE(Execute(one->db, "BEGIN").ok());
  for (int k = 0; k < 2000; ++k) {
    const std::string sql = "INSERT INTO t VALUES (" + std::to_string(k) + ", '" + kSecret + "')";
    ASSERT_TRUE(Execute(one->db, sql.c_str()).ok());
  }
  ASSERT_TRUE(Execute(one->db, "COMMIT").ok());
  EXPECT_GT(fs::file_size(path_ + "-wal"), kPageBytes);
  ExpectHidden(path_, kSecret);
  ASSERT_TRUE(Execute(one->db, "PRAGMA wal_checkpoint(TRUNCATE)").ok());
  EXPECT_GT(fs::file_size(path_), kPageBytes);
  ExpectHidden(path_, kSecret);
  EXPECT_EQ(*KindOf(path_), FileKind::kSealed);
  one.reset();
  one = Open(path_);
  EXPECT_EQ(Number(one->db, "SELECT count(*) FROM t"), 2000);
  EXPECT_EQ(Text(one->db, "SELECT v FROM t WHERE k = 1999"), kSecret);
  EXPECT_EQ(Text(one->db, "PRAGMA integrity_check"), "ok");
}

// The log of a killed process, in which pages came more than once, is read back as it was.
TEST_F(SealedTest, ALogThatWasLeftIsTakenUp) {
  auto one = Open(path_, true);
  ASSERT_TRUE(Execute(one->db,
                      "PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0;"
                      "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)")
                  .ok());
  for (int round = 0; round < 5; ++round) {
    // More pages than the cache has: they are spilled, and written again in the same transaction.
    ASSERT_TRUE(Execute(one->db, "BEGIN").ok());
    for (int k = 0; k < 500; ++k) {
      const std::string sql = "INSERT OR REPLACE INTO t VALUES (" + std::to_string(k * 7 % 500) +
                              ", '" + std::string(100 + round, 'x') + "')";
      ASSERT_TRUE(Execute(one->db, sql.c_str()).ok());
    }
    ASSERT_TRUE(Execute(one->db, "COMMIT").ok());
  }
  const fs::path copy = folder_ / "copy.db";
  fs::copy_file(path_, copy);
  fs::copy_file(path_ + "-wal", copy.string() + "-wal");
  auto two = Open(copy);
  EXPECT_EQ(Number(two->db, "SELECT count(*) FROM t WHERE length(v) = 104"), 500);
  EXPECT_EQ(Text(two->db, "PRAGMA integrity_check"), "ok");
}

// What a power cut leaves of the log: its beginning, whole transactions of it count.
TEST_F(SealedTest, ATornLogEndsAtItsLastWholeCommit) {
  auto one = Open(path_, true);
  ASSERT_TRUE(Execute(one->db, "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(k INTEGER)").ok());
  std::vector<uintmax_t> ends;
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(Execute(one->db, "INSERT INTO t VALUES (1)").ok());
    ends.push_back(fs::file_size(path_ + "-wal"));
  }
  const std::string log = Slurp(path_ + "-wal");
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const std::string copy = folder_ / ("torn-" + std::to_string(round) + ".db");
    fs::copy_file(path_, copy);
    const size_t cut = ends[0] + random() % (log.size() - ends[0]);
    std::string torn = log.substr(0, cut);
    if (round % 2 == 0) torn.append(log.size() - cut, '\0');  // room that was given, not written
    if (round % 3 == 0) torn[cut - 1] ^= 1;
    Spill(copy + "-wal", torn);
    const size_t whole = cut - (round % 3 == 0 ? 1 : 0);
    const auto commits = std::upper_bound(ends.begin(), ends.end(), whole) - ends.begin();
    auto two = Open(copy);
    EXPECT_EQ(Number(two->db, "SELECT count(*) FROM t"), commits) << cut;
  }
}

// The database's own pages may be torn while the log is copied into them: the log still has them.
TEST_F(SealedTest, PagesThatACheckpointToreComeFromTheLog) {
  auto one = Open(path_, true);
  ASSERT_TRUE(Execute(one->db,
                      "CREATE TABLE t(k INTEGER); PRAGMA wal_checkpoint(TRUNCATE);"
                      "PRAGMA wal_autocheckpoint = 0;"
                      "INSERT INTO t VALUES (5); CREATE TABLE u(k INTEGER)")
                  .ok());
  const std::string copy = folder_ / "copy.db";
  std::string pages = Slurp(path_);
  ASSERT_GE(pages.size(), 2 * kPageBytes);
  for (size_t at = kPageBytes / 2; at < kPageBytes; ++at) pages[at] = 'x';
  pages[kPageBytes + 100] ^= 1;
  Spill(copy, pages);
  fs::copy_file(path_ + "-wal", copy + "-wal");
  auto two = Open(copy);
  EXPECT_EQ(Number(two->db, "SELECT k FROM t"), 5);
}

TEST_F(SealedTest, AnotherKeyIsToldFromDamage) {
  Open(path_, true);
  EXPECT_TRUE(CheckKey(path_, KeyOf(1)).ok());
  EXPECT_EQ(CheckKey(path_, KeyOf(2)).code(), Code::kWrongKey);
  EXPECT_EQ(CheckKey(path_, std::nullopt).code(), Code::kWrongKey);
  EXPECT_EQ(*KindOf(folder_ / "none"), FileKind::kNew);
  Spill(folder_ / "other", "something else altogether");
  EXPECT_EQ(*KindOf(folder_ / "other"), FileKind::kOther);
}

TEST_F(SealedTest, ADamagedPageIsAnErrorAndNotContent) {
  {
    auto one = Open(path_, true);
    ASSERT_TRUE(Execute(one->db, "CREATE TABLE t(k INTEGER); INSERT INTO t VALUES (5)").ok());
  }
  const std::string good = Slurp(path_);
  for (size_t at = kPageBytes; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] ^= 0x10;
    Spill(path_, bad);
    fs::remove(path_ + "-wal");
    auto one = Open(path_);
    EXPECT_NE(Text(one->db, "SELECT k FROM t").find("malformed"), std::string::npos) << at;
  }
  // A page in another's place is damage too.
  std::string moved = good + good.substr(kPageBytes, kPageBytes);
  std::copy_n(good.begin(), kPageBytes, moved.begin() + kPageBytes);
  Spill(path_, moved);
  auto one = Open(path_);
  EXPECT_NE(Text(one->db, "SELECT k FROM t").find("malformed"), std::string::npos);
}

// Before its first commit a file is whole: what a power cut leaves of it is that, or nothing.
TEST_F(SealedTest, ANewFileIsThereAsAWhole) {
  ASSERT_TRUE(MakeFile(path_, KeyOf(1)).ok());
  EXPECT_EQ(fs::file_size(path_), kPageBytes);
  EXPECT_EQ(*KindOf(path_), FileKind::kSealed);
  EXPECT_TRUE(CheckKey(path_, KeyOf(1)).ok());
  // Writes go to the log from then on: the file alone, as it was, opens and is empty.
  const std::string made = Slurp(path_);
  auto one = Open(path_);
  ASSERT_TRUE(Execute(one->db, "CREATE TABLE t(k INTEGER); INSERT INTO t VALUES (1)").ok());
  EXPECT_EQ(Slurp(path_), made);
  // Making it again replaces nothing; an empty file is none yet.
  ASSERT_TRUE(MakeFile(path_, KeyOf(1)).ok());
  EXPECT_EQ(Number(one->db, "SELECT count(*) FROM t"), 1);
  const std::string empty = (folder_ / "empty.db").string();
  Spill(empty, "");
  ASSERT_TRUE(MakeFile(empty, KeyOf(1)).ok());
  auto two = Open(empty);
  EXPECT_EQ(Text(two->db, "PRAGMA integrity_check"), "ok");
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_))
    files += entry.path().string().find(".making") != std::string::npos ? 1 : 0;
  EXPECT_EQ(files, 0u);
}

TEST_F(SealedTest, APlainFileIsSealedInPlace) {
  {
    sqlite3* db = nullptr;
    ASSERT_TRUE(OpenPrivate(path_, &db).ok());
    ASSERT_TRUE(Execute(db,
                        "PRAGMA journal_mode = WAL; PRAGMA application_id = 77;"
                        "PRAGMA user_version = 3; CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)")
                    .ok());
    ASSERT_TRUE(Execute(db, "BEGIN").ok());
    for (int k = 0; k < 500; ++k) {
      const std::string sql = "INSERT INTO t VALUES (" + std::to_string(k) + ", '" + kSecret + "')";
      ASSERT_TRUE(Execute(db, sql.c_str()).ok());
    }
    ASSERT_TRUE(Execute(db, "COMMIT").ok());
    sqlite3_close_v2(db);
  }
  EXPECT_EQ(*KindOf(path_), FileKind::kPlain);
  const Status sealed = SealFile(path_, KeyOf(1));
  ASSERT_TRUE(sealed.ok()) << sealed.ToString();
  EXPECT_EQ(*KindOf(path_), FileKind::kSealed);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  ExpectHidden(path_, kSecret);
  auto one = Open(path_);
  EXPECT_EQ(Number(one->db, "SELECT count(*) FROM t"), 500);
  EXPECT_EQ(Number(one->db, "PRAGMA application_id"), 77);
  EXPECT_EQ(Number(one->db, "PRAGMA user_version"), 3);
  ASSERT_TRUE(Execute(one->db, "INSERT INTO t VALUES (500, 'more')").ok());
  EXPECT_EQ(Text(one->db, "PRAGMA integrity_check"), "ok");
}

TEST(PageSealer, NoTwoPagesAreAlike) {
  PageSealer sealer(KeyOf(3));
  const Bytes plain(kPageBytes, 0);
  std::set<Bytes> seen;
  for (int k = 0; k < 100; ++k) {
    Bytes sealed(kPageBytes), opened(kPageBytes);
    ASSERT_TRUE(sealer.Seal(5, 0, plain.data(), sealed.data()));
    EXPECT_TRUE(seen.insert(sealed).second);
    ASSERT_TRUE(sealer.Open(5, 0, sealed.data(), opened.data()));
    EXPECT_EQ(opened, plain);
    EXPECT_FALSE(sealer.Open(6, 0, sealed.data(), opened.data()));
  }
}

TEST(PageSealer, RefusesPagesWithoutRoom) {
  PageSealer sealer(KeyOf(3));
  Bytes plain(kPageBytes, 0), sealed(kPageBytes);
  plain.back() = 1;
  EXPECT_FALSE(sealer.Seal(5, 0, plain.data(), sealed.data()));
}

}  // namespace
}  // namespace ferry::sqlite
