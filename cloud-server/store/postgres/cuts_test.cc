// Connections that are cut at each step of a change: what was acknowledged is stored, once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <thread>

#include "cloud-server/store/postgres/pool.h"
#include "cloud-server/store/store_fixture.h"

namespace ferry::server {
namespace {

using Step = PostgresOptions::Step;

// Breaks the connection under libpq; what was sent before reaches the server.
void Cut(int socket) {
  ::shutdown(socket, SHUT_RDWR);
}

// Waits for the answer and takes it away.
void Swallow(int socket) {
  pollfd one{socket, POLLIN, 0};
  EXPECT_EQ(::poll(&one, 1, 10'000), 1);
  char bytes[4096];
  while (::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
  }
}

class CutsTest : public StoreTest {
 protected:
  // Opens the store anew; the first `times` steps of that kind are handled by `how`.
  void OpenWith(Step step, int times, std::function<void(int)> how) {
    PostgresOptions options;
    options.probe = [=, left = std::make_shared<int>(times)](Step now, int socket) {
      if (now == step && (*left)-- > 0) how(socket);
    };
    store_.reset();
    store_ = *OpenAgain(options);
  }
  // Adds one to a counter; how often the body ran.
  int CountOne(Code expected = Code::kOk) {
    int runs = 0;
    const Status done = store_->Write([&](Transaction& tx) -> Status {
      ++runs;
      FERRY_ASSIGN_OR_RETURN(const auto value, tx.access().Setting("n"));
      return tx.access().PutSetting("n", std::to_string(std::stoll(value.value_or("0")) + 1));
    });
    EXPECT_EQ(done.code(), expected) << done.ToString();
    return runs;
  }
  std::string Now() {
    std::string now;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      now = tx.access().Setting("n").value().value_or("0");
                      return OkStatus();
                    })
                    .ok());
    return now;
  }
  Status EndOthers() {
    return (*PostgresConnection::Open(url_))
        ->Script(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
            "current_database() AND pid <> pg_backend_pid()");
  }
};
INSTANTIATE_TEST_SUITE_P(All, CutsTest, testing::Values(StorePlace::kPostgres), NameOfPlace);

TEST_P(CutsTest, BeforeTheBodyItIsRunAgain) {
  OpenWith(Step::kBegun, 2, Cut);
  EXPECT_EQ(CountOne(), 3);
  EXPECT_EQ(Now(), "1");
}

TEST_P(CutsTest, BeforeCommitItIsRunAgain) {
  OpenWith(Step::kCommits, 1, Cut);
  EXPECT_EQ(CountOne(), 2);
  EXPECT_EQ(Now(), "1");
}

TEST_P(CutsTest, WhenTheAnswerToCommitIsLostItIsLookedUp) {
  OpenWith(Step::kCommitSent, 1, [](int socket) {
    Swallow(socket);
    Cut(socket);
  });
  EXPECT_EQ(CountOne(), 1) << "it was committed";
  EXPECT_EQ(Now(), "1");
}

// As a server is that had to recover, or a standby that took over: what the number says there may
// be said of another transaction.
TEST_P(CutsTest, AnotherLifeOfTheServerIsNotBelieved) {
  const auto end_of_life = [this](int socket) {
    Swallow(socket);
    Cut(socket);
    EXPECT_TRUE((*PostgresConnection::Open(url_))->Script("TRUNCATE server_life").ok());
  };
  OpenWith(Step::kCommitSent, 1, end_of_life);
  EXPECT_EQ(CountOne(Code::kUnavailable), 1);
  EXPECT_EQ(CountOne(), 1) << "in the new life all goes on";
  EXPECT_EQ(Now(), "2");
}

TEST_P(CutsTest, WhatDidNotCommitInAnotherLifeIsRunAgain) {
  OpenWith(Step::kCommits, 1, [this](int socket) {
    Cut(socket);
    EXPECT_TRUE((*PostgresConnection::Open(url_))->Script("TRUNCATE server_life").ok());
  });
  EXPECT_EQ(CountOne(), 2);
  EXPECT_EQ(Now(), "1");
}

TEST_P(CutsTest, AnyMomentAroundCommit) {
  OpenWith(Step::kCommitSent, 1'000, [n = std::make_shared<int>(0)](int socket) {
    if (*n % 3 != 0) ::usleep(static_cast<useconds_t>(50 * (*n % 20)));
    if (++*n % 2 == 0) Cut(socket);
  });
  constexpr int kRounds = 60;
  for (int i = 0; i < kRounds; ++i) CountOne();
  EXPECT_EQ(Now(), std::to_string(kRounds));
}

// COMMIT goes nowhere and the server has not noticed: its transaction is ended, then run again.
TEST_P(CutsTest, ATransactionThatHangsIsEnded) {
  int kept = -1;
  OpenWith(Step::kCommits, 1, [&](int socket) {
    int pair[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    kept = ::dup(socket);  // the server sees an open line
    ::dup2(pair[0], socket);
    ::close(pair[0]);
    ::close(pair[1]);
  });
  EXPECT_EQ(CountOne(), 2);
  EXPECT_EQ(Now(), "1");
  ::close(kept);
}

TEST_P(CutsTest, WhatTheServerEndsIsRunAgain) {
  CountOne();
  ASSERT_TRUE(EndOthers().ok());  // idle ones
  CountOne();
  ASSERT_TRUE(EndOthers().ok());
  EXPECT_EQ(Now(), "2");
  int runs = 0;
  const Status done = store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.access().PutSetting("n", "9"));
    if (++runs == 1) FERRY_TRY(EndOthers());
    return OkStatus();
  });
  EXPECT_TRUE(done.ok()) << done.ToString();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(Now(), "9");
}

TEST_P(CutsTest, WhoIsNotLetInTriesAgain) {
  CountOne();
  const std::string name = url_.substr(url_.find("@/") + 2, url_.find('?') - url_.find("@/") - 2);
  ASSERT_TRUE(scratch_->Tell("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false").ok());
  ASSERT_TRUE(
      scratch_
          ->Tell("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name +
                 "'")
          .ok());
  std::thread later([&] {
    ::usleep(300'000);
    EXPECT_TRUE(scratch_->Tell("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true").ok());
  });
  EXPECT_EQ(CountOne(), 1);
  later.join();
  EXPECT_EQ(Now(), "2");
}

TEST_P(CutsTest, OfSeveralHostsTheOneThatAnswersIsTaken) {
  std::string url = url_;
  url.insert(url.find("host=") + 5, "%2Fnowhere,");
  const auto store = OpenPostgresStore(url);
  EXPECT_TRUE(store.ok()) << store.status().ToString();
}

// A server that hangs takes connections and says nothing, so that who tries it waits for seconds.
class SilentHost {
 public:
  SilentHost() : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    EXPECT_NE(::mkdtemp(folder_), nullptr);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    fmt::format_to_n(name.sun_path, sizeof name.sun_path - 1, "{}/.s.PGSQL.5432", folder_);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::fcntl(socket_, F_SETFL, O_NONBLOCK), 0);
  }
  ~SilentHost() {
    ::close(socket_);
    std::filesystem::remove_all(folder_);
  }
  std::string InAddress() const { return fmt::format("%2Ftmp%2F{}", folder_ + 5); }
  // Since the last call.
  int CountCallers() {
    int callers = 0;
    for (int one = 0; (one = ::accept(socket_, nullptr, nullptr)) >= 0; ++callers) ::close(one);
    return callers;
  }

 private:
  char folder_[32] = "/tmp/ferry-silent-XXXXXX";
  const int socket_;
};

TEST_P(CutsTest, ANewConnectionGoesWhereTheLastOneWent) {
  SilentHost silent;
  std::string url = url_;
  url.insert(url.find("host=") + 5, silent.InAddress() + ",");
  PostgresPool pool(url + "&connect_timeout=2", 2);
  ASSERT_TRUE(pool.Try().ok());
  EXPECT_GT(silent.CountCallers(), 0) << "it is asked at first: it might be the primary";
  const auto one = pool.Take(), other = pool.Take();
  EXPECT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(silent.CountCallers(), 0);
}

TEST_P(CutsTest, WhoIsAlwaysCutGivesUp) {
  OpenWith(Step::kCommits, 1'000, Cut);
  EXPECT_GT(CountOne(Code::kUnavailable), 2);
  OpenWith(Step::kCommits, 0, Cut);
  EXPECT_EQ(Now(), "0");
}

}  // namespace
}  // namespace ferry::server
