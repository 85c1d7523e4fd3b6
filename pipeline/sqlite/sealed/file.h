// A file of a sealed database, under SQLite. Internal to the room.
#pragma once

#include <sqlite3.h>

#include "pipeline/sqlite/sealed/page.h"

namespace ferry::sqlite {

// SQLite allocates it; the file of the layer below lies right behind.
struct SealedFile {
  enum class Kind { kDatabase, kLog, kJournal };

  sqlite3_file base;
  PageSealer* sealer;
  Kind kind;

  sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

const sqlite3_io_methods* SealedMethods();

}  // namespace ferry::sqlite
