// Databases that lie sealed on the disk: a layer under SQLite that seals each page on its way to
// the file or to the write-ahead log, and opens it on its way back. Source: own; the way in is
// SQLite's VFS (https://www.sqlite.org/vfs.html), formats of file and log as in
// https://www.sqlite.org/fileformat2.html.
//
// On the disk all is ciphertext but for: a file's first 16 bytes (what it is, and a check of the
// key), the log's header, and of the log's frames the page number and the database's size. The
// shared memory beside it holds page numbers alone. Rollback journals are refused: only WAL mode
// is sealed; what SQLite wants to keep beside the file is to be in memory (temp_store).
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "common/crypto/secret.h"

namespace ferry::sqlite {

// One database. It lives longer than the connection that was opened through it; any thread, with
// its connection.
class SealedVfs {
 public:
  explicit SealedVfs(const crypto::Secret32& key);
  ~SealedVfs();
  const char* name() const;  // for sqlite3_open_v2

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class FileKind { kNew, kPlain, kSealed, kOther };
// What lies at `path`. kIo.
Result<FileKind> KindOf(const std::string& path);
// Ok when the sealed file at `path` is of this key, else kWrongKey.
Status CheckKey(const std::string& path, const std::optional<crypto::Secret32>& key);
// Makes an empty sealed database where there is nothing, or an empty file, in one step: after a cut
// it is whole or not there. Of several processes that do so at once one makes it.
Status MakeFile(const std::string& path, const crypto::Secret32& key);
// Writes the plain database anew, sealed, and puts it in the plain one's place in one step; its log
// goes. Not while anybody has it open. After a cut it is the one or the other.
Status SealFile(const std::string& path, const crypto::Secret32& key);

}  // namespace ferry::sqlite
