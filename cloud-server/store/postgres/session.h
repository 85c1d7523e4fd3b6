// A connection with its repositories, and transactions on it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cloud-server/store/postgres/postgres_connection.h"
#include "cloud-server/store/postgres/postgres_store.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// How one transaction that writes ended.
struct WriteOutcome {
  Status status;
  PostgresConnection::Trouble trouble = PostgresConnection::Trouble::kNone;
  // COMMIT was sent and nothing was heard of it: whether this transaction (its number there) is
  // committed is to be asked. Empty otherwise.
  std::string unknown;
  std::string life;  // of the server, in which the transaction has that number
  int process = 0;   // of the server, that ran it
};

class PostgresSession {
 public:
  explicit PostgresSession(std::unique_ptr<PostgresConnection> connection);

  // Which other transactions that write may run at the same time.
  enum class Beside { kAll, kOutOfTurn, kNone };
  WriteOutcome Write(const Store::Body& body, Beside beside, const PostgresOptions& options);
  Status Read(const Store::Body& body);
  // Ask of the connection, with its troubles cleared before.
  Result<std::string> Ask(const std::string& sql);
  bool lost() const { return connection_->trouble() == PostgresConnection::Trouble::kLost; }
  int64_t timeline() const { return connection_->timeline(); }
  PostgresConnection& connection() { return *connection_; }

 private:
  void RollBack();
  Result<std::string> Begin(Beside beside);  // the transaction's number

  const std::unique_ptr<PostgresConnection> connection_;
  const std::unique_ptr<Transaction> transaction_;
  std::string life_;  // from the first Write on; a connection does not outlive its server
};

}  // namespace ferry::server
