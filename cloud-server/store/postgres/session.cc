#include "cloud-server/store/postgres/session.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

using Step = PostgresOptions::Step;

// LOCK comes before the first statement that looks, for what that sees is fixed from then on: who
// waited to be alone would see what was before. The transaction's number is asked for at once, so
// that it is known when the answer to COMMIT is not.
constexpr const char* kBeginBeside =
    "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE cluster IN ROW SHARE MODE; "
    "SELECT pg_current_xact_id()";
// Against itself and against who is alone.
constexpr const char* kBeginInTurn =
    "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE cluster IN SHARE UPDATE EXCLUSIVE MODE; "
    "SELECT pg_current_xact_id()";
constexpr const char* kBeginAlone =
    "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE cluster IN EXCLUSIVE MODE; "
    "SELECT pg_current_xact_id()";

// Whoever comes first after a start that had to recover finds no name, and gives it one.
constexpr const char* kLife =
    "INSERT INTO server_life (token) SELECT gen_random_uuid()::TEXT "
    "WHERE NOT EXISTS (SELECT 1 FROM server_life) ON CONFLICT DO NOTHING; "
    "SELECT token FROM server_life";

const char* BeginOf(PostgresSession::Beside beside) {
  switch (beside) {
    case PostgresSession::Beside::kAll:
      return kBeginBeside;
    case PostgresSession::Beside::kOutOfTurn:
      return kBeginInTurn;
    case PostgresSession::Beside::kNone:
      break;
  }
  return kBeginAlone;
}

}  // namespace

PostgresSession::PostgresSession(std::unique_ptr<PostgresConnection> connection)
    : connection_(std::move(connection)), transaction_(MakeTransaction(*connection_)) {}

void PostgresSession::RollBack() {
  const Status ignored = connection_->Script("ROLLBACK");  // without a connection it is that anyway
}

Result<std::string> PostgresSession::Begin(Beside beside) {
  if (life_.empty()) {
    FERRY_ASSIGN_OR_RETURN(life_, connection_->Ask(kLife));
  }
  return connection_->Ask(BeginOf(beside));
}

WriteOutcome PostgresSession::Write(const Store::Body& body, Beside beside,
                                    const PostgresOptions& options) {
  WriteOutcome outcome;
  outcome.process = connection_->process();
  connection_->ClearTrouble();
  const Result<std::string> number = Begin(beside);
  outcome.status = number.status();
  if (number.ok()) {
    if (options.probe) options.probe(Step::kBegun, connection_->socket());
    outcome.status = body(*transaction_);
    // A body that passes over a statement that failed has no transaction any more.
    if (outcome.status.ok()) outcome.status = connection_->failure();
  }
  if (!outcome.status.ok()) {
    outcome.trouble = connection_->trouble();
    RollBack();
    return outcome;
  }
  if (options.probe) options.probe(Step::kCommits, connection_->socket());
  outcome.status = AsStatus(connection_->Ask("COMMIT", [&](int socket) {
    if (options.probe) options.probe(Step::kCommitSent, socket);
  }));
  outcome.trouble = connection_->trouble();
  if (outcome.trouble == PostgresConnection::Trouble::kLost) {
    outcome.unknown = *number;
    outcome.life = life_;
  }
  if (!outcome.status.ok()) RollBack();
  return outcome;
}

Status PostgresSession::Read(const Store::Body& body) {
  connection_->ClearTrouble();
  FERRY_TRY(connection_->Script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  Status status = body(*transaction_);
  if (status.ok()) status = connection_->failure();
  if (status.ok()) return connection_->Script("COMMIT");
  RollBack();
  return status;
}

Result<std::string> PostgresSession::Ask(const std::string& sql) {
  connection_->ClearTrouble();
  return connection_->Ask(sql);
}

}  // namespace ferry::server
