// The store in a database of PostgreSQL, for one server or several.
//
// A Write is a SERIALIZABLE transaction: bodies were made for one writer at a time and look before
// they write, which at any lower level would let two of them pass that no order lets pass. Locks
// that each body names instead would be one more thing to forget. What the database refuses to put
// in an order (a clash) is repeated; from the second clash on the body runs alone, behind a lock
// that all writers share otherwise, so that it comes to an end however many write the same row. A
// key that is there already is looked at once more alone too, for beside others PostgreSQL may
// report a clash as that. Lists of rows in one statement look at so much that the database sees
// clashes everywhere: who writes the counts of releases takes turns (WriteInTurn), so that two
// nodes together are not slower than one.
//
// A Read is REPEATABLE READ and READ ONLY: one state of the database, and in nobody's way.
//
// A connection that is lost before COMMIT is sent repeats the body on another. One that is lost
// after it leaves the outcome open: the transaction's number, known from its beginning, is looked
// up (pg_xact_status). It counts when it is committed, the body is repeated when it is not; where
// that cannot be learnt in kLockTimeoutMs, Write fails with kUnavailable and says so. So what was
// acknowledged is stored, once. A server that had to recover, or a standby that took over, may give
// the number of a transaction that was not on its disk to another one: there (server_life tells)
// "committed" is no answer, and Write fails as well.
//
// An address may name several hosts. Only one that takes writes is taken, the first that does and
// is not behind: a primary that was given up, and comes back without having heard that a standby
// took over, is on an older timeline than that. A server that hangs (its machine acknowledges what
// is sent and nothing comes back, also to a newcomer) is given up like one that is away.
//
// Poolers that hand a connection on between transactions are fine for none of this: statements are
// prepared once a connection.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cloud-server/store/facts.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

struct PostgresOptions {
  size_t connections = 16;  // at most, of this process
  // For tests of what happens when connections are cut: hears each step of a Write.
  enum class Step { kBegun, kCommits, kCommitSent };
  std::function<void(Step, int socket)> probe;
};

// Connects, once, and brings the schema up to date. kInvalidArgument for what is no address,
// those of PostgresConnection::Open and MigratePostgres. Errors show the address without its
// password.
Result<std::unique_ptr<Store>> OpenPostgresStore(const std::string& url,
                                                 PostgresOptions options = {});
// Reads what is published and changes nothing, not even the schema.
Result<StoreFacts> InspectPostgresStore(const std::string& url);

}  // namespace ferry::server
