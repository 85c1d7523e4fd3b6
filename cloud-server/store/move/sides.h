// The two databases of a move: opened, looked at, ended. Private to this room.
#pragma once

#include <memory>
#include <string>

#include "cloud-server/store/move/rows.h"

namespace ferry::server {

// With a transaction that sees one state, in which nobody else may write. kFailedPrecondition when
// a server runs on it, or its rows were moved before.
Result<MoveSide> OpenMoveSource(const std::string& place);
// One state of a database of PostgreSQL, in nobody's way.
Result<MoveSide> OpenMoveView(const std::string& place);
// A file is made beside its place, with `PlaceMoved` to put it there; a database of PostgreSQL gets
// this program's schema and the mark of a move that has begun. In a transaction that holds others
// off.
Result<MoveSide> OpenMoveTarget(const std::string& place, const std::string& from);
// Writes down that a move has begun, before the first row.
Status NoteMoveBegun(MoveSide& target, const std::string& from);
// Whether nothing but what the schema's steps put there is in it; otherwise `with_rows` names a
// table that has rows.
Result<bool> HasNoRows(MoveSide& side, const std::vector<MoveTable>& tables,
                       std::string* with_rows);
// Ends the transaction; a new file is synced and put in its place.
Status CommitTarget(MoveSide& side, const std::string& place);
// What is left of an attempt goes; PostgreSQL keeps the mark, a file is removed.
void DropTarget(MoveSide& side, const std::string& place);
// A file that is there already: its rows may be those of a move that ended.
Result<MoveSide> OpenExistingFile(const std::string& place);
// Whether there is a file with something in it.
bool FileIsThere(const std::string& place);
Status MarkMoved(MoveSide& source, const std::string& to);

}  // namespace ferry::server
