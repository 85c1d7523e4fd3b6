// The outbox's file: opened, told apart from others, and brought to the present schema. Internal to
// the room.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/crypto/secret.h"
#include "common/sys/random.h"
#include "pipeline/sqlite/sealed/vfs.h"
#include "pipeline/sqlite/sqlite.h"

namespace ferry::store {

struct Database {
  std::unique_ptr<sqlite::SealedVfs> vfs;  // lives longer than `db`
  sqlite3* db = nullptr;
};
// With a key the file is sealed; a plain outbox is written anew first. `db` is to be closed by the
// caller, after an error too. A file of someone else is left as it is. kWrongKey.
Status OpenDatabase(const std::string& path, sys::Random& random,
                    const std::optional<crypto::Secret32>& key, Database* out);

}  // namespace ferry::store
