// The log of who did what, and databases of every schema that was released.
#include "cloud-server/store/audit.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "cloud-server/store/sqlite/database.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "cloud-server/store/store_fixture.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

#define ASSERT_DONE(expression)                    \
  do {                                             \
    const Status result = AsStatus(expression);    \
    ASSERT_TRUE(result.ok()) << result.ToString(); \
  } while (0)

AuditEntry EntryAt(int64_t time_ms, const std::string& target) {
  AuditEntry entry;
  entry.time_ms = time_ms;
  entry.user = "vera";
  entry.action = "POST /api/v1/releases/{id}/start";
  entry.target = target;
  entry.package = "digits";
  entry.outcome = "done";
  return entry;
}

class AuditTest : public StoreTest {
 protected:
  void Add(int count) {
    ASSERT_DONE(store_->Write([&](Transaction& tx) -> Status {
      for (int i = 0; i < count; ++i)
        FERRY_TRY(AsStatus(tx.audit().Append(EntryAt(++time_ms_, "r" + std::to_string(i)))));
      return OkStatus();
    }));
  }
  void Tamper(const std::string& sql) {
    if (url_.empty()) {
      ASSERT_DONE(
          (*Database::Open(folder_ + "/ferry.db", Database::Mode::kReadWrite))->Script(sql));
    } else {
      ASSERT_DONE((*PostgresConnection::Open(url_))->Script(sql));
    }
  }
  AuditCheck Check(const AuditHead& kept = {}) {
    const Result<AuditCheck> check = CheckAudit(*store_, kept);
    EXPECT_TRUE(check.ok()) << check.status().ToString();
    return check.ok() ? *check : AuditCheck{};
  }
  std::vector<AuditRow> Rows() {
    std::vector<AuditRow> rows;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(rows, tx.audit().List({}, 10'000));
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }
  int64_t time_ms_ = 1000;
};
INSTANTIATE_TEST_SUITE_P(All, AuditTest, testing::Values(StorePlace::kFile, StorePlace::kPostgres),
                         NameOfPlace);

class AuditFileTest : public AuditTest {};
INSTANTIATE_TEST_SUITE_P(All, AuditFileTest, testing::Values(StorePlace::kFile), NameOfPlace);

TEST_P(AuditTest, EveryChangeOfARowIsFound) {
  EXPECT_EQ(Check().broken_seq, 0);
  Add(2500);  // more than one page of the walk
  const AuditCheck whole = Check();
  EXPECT_EQ(whole.broken_seq, 0) << whole.broken;
  EXPECT_EQ(whole.rows, 2500);
  const char* const changes[] = {"time_ms = 1",   "\"user\" = 'x'", "source = 'x'",
                                 "action = 'x'",  "target = 'x'",   "package = 'x'",
                                 "outcome = 'x'", "reason = 'x'",   "hash = prev_hash"};
  for (const char* change : changes) {
    const AuditRow before = Rows().at(1233);
    Tamper(fmt::format("UPDATE audit SET {} WHERE seq = 1234", change));
    EXPECT_EQ(Check().broken_seq, 1234) << change;
    const AuditEntry& entry = before.entry;
    Tamper(
        fmt::format("UPDATE audit SET time_ms = {}, \"user\" = '{}', source = '{}', action = '{}', "
                    "target = '{}', "
                    "package = '{}', outcome = '{}', reason = '{}', hash = '{}' WHERE seq = 1234",
                    entry.time_ms, entry.user, entry.source, entry.action, entry.target,
                    entry.package, entry.outcome, entry.reason, before.hash));
    ASSERT_EQ(Check().broken_seq, 0) << change;
  }
  Tamper("DELETE FROM audit WHERE seq = 1700");
  EXPECT_EQ(Check().broken_seq, 1700);
}

TEST_P(AuditTest, WhatWasCutOffAtAnEndIsFound) {
  Add(10);
  const AuditHead head = Check().head;
  Tamper("DELETE FROM audit WHERE seq > 7");
  EXPECT_EQ(Check().broken_seq, 0) << "nothing in the rest says so";
  EXPECT_EQ(Check(head).broken_seq, 8) << "but a head that was kept does";
  Add(5);
  EXPECT_EQ(Check(head).broken_seq, 10);
  Tamper("DELETE FROM audit WHERE seq < 3");
  EXPECT_EQ(Check().broken_seq, 3) << "no cut says that those are gone";
}

TEST_P(AuditTest, RetentionCutsTheStartAndAnchorsTheRest) {
  Add(20);
  const auto cut = [&](int64_t before_ms, size_t limit) {
    int64_t gone = -1;
    EXPECT_TRUE(store_
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(gone, tx.audit().Cut(before_ms, ++time_ms_, limit));
                      return OkStatus();
                    })
                    .ok());
    return gone;
  };
  EXPECT_EQ(cut(1, 100), 0);
  EXPECT_EQ(Rows().size(), 20u);
  EXPECT_EQ(cut(1011, 4), 4);
  EXPECT_EQ(cut(1011, 100), 6);
  const AuditCheck check = Check();
  EXPECT_EQ(check.broken_seq, 0) << check.broken;
  EXPECT_EQ(check.first_seq, 11);
  EXPECT_EQ(check.head.seq, 22);
  // The anchor may lie in what is cut next; the new one holds.
  EXPECT_EQ(cut(INT64_MAX, 100), 11);
  EXPECT_EQ(Check().broken_seq, 0) << Check().broken;
  EXPECT_EQ(Rows().size(), 2u) << "the newest stays";
  Tamper("DELETE FROM audit WHERE seq = 22");
  EXPECT_EQ(Check().broken_seq, 23);
}

TEST_P(AuditTest, ARowCommitsWithItsChange) {
  const auto setting = [&] {
    std::optional<std::string> value;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(value, tx.access().Setting("k"));
                      return OkStatus();
                    })
                    .ok());
    return value.value_or("");
  };
  const auto put = [&](const std::string& value, const Status& then) {
    return store_->Write([&](Transaction& tx) -> Status {
      FERRY_TRY(tx.access().PutSetting("k", value));
      return then;
    });
  };
  {
    AuditScope scope(*store_, EntryAt(1, "one"));
    ASSERT_DONE(put("a", OkStatus()));
    EXPECT_EQ(Rows().size(), 1u) << "before the call has ended";
    ASSERT_DONE(put("b", OkStatus()));
    ASSERT_DONE(scope.Finish(OkStatus()));
  }
  EXPECT_EQ(Rows().size(), 1u);
  {
    AuditScope scope(*store_, EntryAt(2, "two"));
    const Status failed = put("c", Status(Code::kIo, "no disk"));
    ASSERT_DONE(scope.Finish(failed));
  }
  EXPECT_EQ(setting(), "b");
  EXPECT_EQ(Rows().back().entry.outcome, "failed");
  {
    AuditScope scope(*store_, EntryAt(3, "three"));
    ASSERT_DONE(scope.Finish(OkStatus()));
  }
  EXPECT_EQ(Rows().back().entry.target, "three");
  {
    // What goes along decides too: then neither the change nor the row is there.
    AuditScope scope(*store_, EntryAt(4, "four"), [](Transaction&) {
      return Status(Code::kFailedPrecondition, "somebody was first");
    });
    EXPECT_EQ(put("d", OkStatus()).code(), Code::kFailedPrecondition);
  }
  EXPECT_EQ(setting(), "b");
  EXPECT_EQ(Rows().size(), 3u);
  // Other threads' writes have nothing to do with it.
  AuditScope scope(*store_, EntryAt(5, "five"));
  std::thread([&] { EXPECT_TRUE(put("e", OkStatus()).ok()); }).join();
  EXPECT_EQ(Rows().size(), 3u);
  EXPECT_EQ(Check().broken_seq, 0);
}

// kill -9 at any moment: a change without its row, or a row without its change, is never seen.
TEST_P(AuditTest, AKillLeavesChangeAndRowOrNeither) {
  store_.reset();
  for (int round = 0; round < 5; ++round) {
    int lines[2];
    ASSERT_EQ(pipe(lines), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(lines[0]);
      const std::unique_ptr<Store> store = *OpenAgain();
      for (int i = 0;; ++i) {
        AuditScope scope(*store, EntryAt(i + 1, "n"));
        const Status done = store->Write([&](Transaction& tx) -> Status {
          FERRY_ASSIGN_OR_RETURN(const auto value, tx.access().Setting("n"));
          return tx.access().PutSetting("n", std::to_string(std::stoi(value.value_or("0")) + 1));
        });
        if (!done.ok() || !scope.Finish(done).ok() || write(lines[1], "x", 1) != 1) _exit(1);
      }
    }
    close(lines[1]);
    char one = 0;
    for (int seen = 0; seen < 3 + round; ++seen) ASSERT_EQ(read(lines[0], &one, 1), 1);
    usleep(700 * round);  // somewhere within the next one
    kill(child, SIGKILL);
    close(lines[0]);
    int how = 0;
    waitpid(child, &how, 0);
    ASSERT_TRUE(WIFSIGNALED(how)) << how;
    // The server may still be busy with what the child sent last.
    if (!url_.empty()) ASSERT_DONE(scratch_->Settle(url_));
    store_ = *OpenAgain();
    const AuditCheck check = Check();
    EXPECT_EQ(check.broken_seq, 0) << check.broken;
    ASSERT_DONE(store_->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const auto value, tx.access().Setting("n"));
      EXPECT_EQ(value.value_or("0"), std::to_string(check.rows));
      return OkStatus();
    }));
    store_.reset();
  }
  store_ = *OpenAgain();
  EXPECT_GE(Check().rows, 3 + 4 + 5 + 6 + 7);
}

TEST_P(AuditTest, TextsFromOutsideAreCutAndClean) {
  AuditEntry entry = EntryAt(1, std::string(5000, 'x') + "\xff");
  entry.reason = "bad \xff\xfe bytes \x01 and \"quotes\"";
  entry.user = std::string("a\0b", 3);
  ASSERT_DONE(WriteAudit(*store_, entry));
  EXPECT_EQ(Rows().at(0).entry.target.size(), kMaxAuditText);
  EXPECT_EQ(Check().broken_seq, 0) << Check().broken;
}

// Databases of every schema, with rows in the tables that there were.
TEST_P(AuditFileTest, EverySchemaComesUpToDateWithItsRows) {
  for (const Migration& step : AllMigrations()) {
    SCOPED_TRACE(step.name);
    const std::string path = fmt::format("{}/schema{}.db", folder_, step.number);
    {
      const auto old = *Database::Open(path, Database::Mode::kReadWrite);
      ASSERT_DONE(Migrate(*old, step.number));
      EXPECT_EQ(SchemaVersion(*old).value(), step.number);
      ASSERT_DONE(old->Script(
          "INSERT INTO package (name, version, release_counter, "
          "plain_sha256, plain_length, fallback_version, published_ms) VALUES ('digits', '1.0.0', "
          "1, 'aa', 5, '', 1);"
          "INSERT INTO session (token_sha256, name, created_ms, expires_ms) VALUES "
          "('ff', 'somebody', 1, 9);"
          "INSERT INTO setting VALUES ('admin.password', 'hash'), ('admin.started', 'yes');"));
      // From m0010 on the password is the account's.
      if (step.number >= 10)
        ASSERT_DONE(
            old->Script("DELETE FROM setting WHERE key = 'admin.password';"
                        "UPDATE account SET password = 'hash';"));
    }
    const Result<std::unique_ptr<Store>> store = OpenSqliteStore(path);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    EXPECT_EQ((*store)->schema_version(), AllMigrations().back().number);
    ASSERT_DONE((*store)->Write([&](Transaction& tx) -> Status {
      EXPECT_EQ(tx.packages().Get("digits", "1.0.0")->plain_length, 5u);
      EXPECT_EQ(tx.access().Session("ff")->account, kAdminAccount);
      FERRY_ASSIGN_OR_RETURN(const AccountRow admin, tx.accounts().Get(kAdminAccount));
      EXPECT_EQ(admin.role, "admin");
      EXPECT_EQ(admin.password, "hash");
      EXPECT_FALSE(tx.access().Setting("admin.password").value().has_value());
      EXPECT_EQ(tx.access().Setting("admin.started").value(), "yes");
      return AsStatus(tx.audit().Append(EntryAt(1, "x")));
    }));
    const Result<StoreFacts> facts = InspectSqliteStore(path);
    ASSERT_TRUE(facts.ok()) << facts.status().ToString();
    EXPECT_TRUE(facts->problems.empty()) << facts->problems[0];
  }
}

TEST_P(AuditTest, AccountsComeBackAsTheyWere) {
  AccountRow row{"vera", "viewer", {"sums*"}, {"eu"}, "hash", false, 5, 0};
  ApiTokenRow token{"id", "aa", "vera", "ci", "viewer", {"*"}, {}, 1, 2, 0};
  ApprovalRow approval{"ap", "vera", "POST", "/p", "{}", "bb", "digits", 1, 2, "open", "", 0, ""};
  ASSERT_DONE(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.accounts().Put(row));
    FERRY_TRY(tx.accounts().PutToken(token));
    FERRY_TRY(tx.accounts().PutApproval(approval));
    FERRY_TRY(tx.accounts().PutReleaseGroups("r1", {"eu"}));
    return tx.access().PutSession({"cc", "vera", 1, 2, 0, "vera"});
  }));
  ASSERT_DONE(store_->Write([&](Transaction& tx) -> Status {
    AccountRow found = *tx.accounts().Get("vera");
    row.row_version = 1;
    EXPECT_EQ(found, row);
    EXPECT_EQ(*tx.accounts().Token("aa"), token);
    EXPECT_EQ(*tx.accounts().Approval("ap"), approval);
    EXPECT_EQ(tx.accounts().ReleaseGroups("r1").value(), std::vector<std::string>{"eu"});
    EXPECT_FALSE(tx.accounts().ReleaseGroups("r2").value().has_value());
    found.role = "admin";
    FERRY_TRY(tx.accounts().Put(found));
    EXPECT_EQ(tx.accounts().Put(found).code(), Code::kConflict) << "changed meanwhile";
    return OkStatus();
  }));
  ASSERT_DONE(store_->Write([&](Transaction& tx) { return tx.accounts().Remove("vera"); }));
  ASSERT_DONE(store_->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.accounts().Get("vera").code(), Code::kNotFound);
    EXPECT_EQ(tx.accounts().Token("aa").code(), Code::kNotFound);
    EXPECT_EQ(tx.access().Session("cc").code(), Code::kNotFound);
    return OkStatus();
  }));
}

}  // namespace
}  // namespace ferry::server
