#include "cloud-server/store/move/move.h"

#include <algorithm>

#include "cloud-server/store/move/sides.h"
#include "cloud-server/store/open.h"

namespace ferry::server {
namespace {

class Mover {
 public:
  Mover(MoveSide& source, MoveSide& target, const MoveOptions& options)
      : source_(source), target_(target), options_(options) {}

  Status Compare() {
    FERRY_ASSIGN_OR_RETURN(const std::vector<MoveTable> from, ReadCatalogue(*source_.sql));
    FERRY_ASSIGN_OR_RETURN(const std::vector<MoveTable> to, ReadCatalogue(*target_.sql));
    const bool up = source_.sql->dialect() == Connection::Dialect::kSqlite;
    FERRY_ASSIGN_OR_RETURN(tables_, up ? TablesInBoth(from, to) : TablesInBoth(to, from));
    return OkStatus();
  }

  // Whether the target has the source's rows already, all of them.
  Result<bool> IsThere() {
    for (const MoveTable& table : tables_) {
      FERRY_ASSIGN_OR_RETURN(const TableSum here, SumOf(source_, table));
      FERRY_ASSIGN_OR_RETURN(const TableSum there, SumOf(target_, table));
      if (!(here == there)) return false;
      Note(table, here);
    }
    done_.was_there = true;
    return true;
  }

  Status Copy() {
    StillTriggers triggers(*target_.sql, tables_);
    FERRY_TRY(triggers.Stop());
    // What the schema's steps and the mark put there.
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table)
      FERRY_TRY(target_.sql->Script("DELETE FROM " + Quoted(table->name)));
    for (const MoveTable& table : tables_) {
      if (options_.begun) options_.begun(table.name);
      FERRY_TRY(CopyTable(table).Context("table {}", table.name));
      if (options_.copied) FERRY_TRY(options_.copied(table.name));
    }
    FERRY_ASSIGN_OR_RETURN(const LastNumbers last, ReadLastNumbers(*source_.sql));
    FERRY_TRY(RaiseLastNumbers(*target_.sql, last));
    return triggers.Resume();
  }

  const std::vector<MoveTable>& tables() const { return tables_; }
  MoveDone TakeDone() {
    std::ranges::sort(done_.tables, {}, &MovedTable::name);
    return std::move(done_);
  }

 private:
  void Note(const MoveTable& table, const TableSum& sum) {
    done_.tables.push_back({table.name, sum.rows(), sum.Hex()});
  }

  Status CopyTable(const MoveTable& table) {
    TableSum read;
    RowWriter writer(target_, table);
    FERRY_TRY(ForEachRow(source_, table, [&](const MoveRow& row) {
      read.Add(row);
      return writer.Add(row);
    }));
    FERRY_TRY(writer.Finish());
    FERRY_ASSIGN_OR_RETURN(const TableSum written, SumOf(target_, table));
    if (!(read == written))
      return Status::Of(Code::kCorruptContent,
                        "{} rows with checksum {} are {} rows with checksum {} after the copy",
                        read.rows(), read.Hex(), written.rows(), written.Hex());
    Note(table, read);
    return OkStatus();
  }

  MoveSide& source_;
  MoveSide& target_;
  const MoveOptions& options_;
  std::vector<MoveTable> tables_;
  MoveDone done_;
};

Status HoldsRows(const MoveSide& target, const std::string& table) {
  return Status::Of(Code::kAlreadyExists,
                    "{} holds rows already (table {}): a move needs an empty database, and never "
                    "mixes two servers' rows",
                    target.shown, table);
}

Status SwitchOver(MoveSide& source, const std::string& to, const MoveOptions& options) {
  Status switched = options.committed ? options.committed() : OkStatus();
  if (switched.ok()) switched = MarkMoved(source, to);
  return switched.Context("the rows are in {} now", to);
}

// Into a target that is open and in its transaction.
Result<MoveDone> MoveInto(MoveSide& source, MoveSide& target, const std::string& to,
                          const MoveOptions& options) {
  Mover mover(source, target, options);
  FERRY_TRY(mover.Compare());
  std::string with_rows;
  FERRY_ASSIGN_OR_RETURN(const bool empty, HasNoRows(target, mover.tables(), &with_rows));
  if (!empty) {
    FERRY_ASSIGN_OR_RETURN(const bool there, mover.IsThere());
    if (!there) return HoldsRows(target, with_rows);
    FERRY_TRY(SwitchOver(source, target.shown, options));
    return mover.TakeDone();
  }
  FERRY_TRY(NoteMoveBegun(target, source.shown));
  FERRY_TRY(mover.Copy());
  FERRY_TRY(CommitTarget(target, to));
  FERRY_TRY(SwitchOver(source, target.shown, options));
  return mover.TakeDone();
}

// A file that is there: nothing is written to it.
Result<bool> CheckFile(MoveSide& source, const std::string& to, const MoveOptions& options,
                       MoveDone* done) {
  FERRY_ASSIGN_OR_RETURN(MoveSide file, OpenExistingFile(to));
  Mover mover(source, file, options);
  FERRY_TRY(mover.Compare().Context("{}", to));
  std::string with_rows;
  FERRY_ASSIGN_OR_RETURN(const bool empty, HasNoRows(file, mover.tables(), &with_rows));
  if (empty) return false;
  FERRY_ASSIGN_OR_RETURN(const bool there, mover.IsThere());
  if (!there) return HoldsRows(file, with_rows);
  FERRY_TRY(SwitchOver(source, to, options));
  *done = mover.TakeDone();
  return true;
}

}  // namespace

Result<MoveDone> MoveRows(const std::string& from, const std::string& to,
                          const MoveOptions& options) {
  if (IsPostgres(from) == IsPostgres(to))
    return Status(Code::kInvalidArgument,
                  "a move goes from SQLite to PostgreSQL or back; within one of them, its own "
                  "tools copy rows");
  FERRY_ASSIGN_OR_RETURN(MoveSide source, OpenMoveSource(from));
  if (!IsPostgres(to) && FileIsThere(to)) {
    MoveDone done;
    FERRY_ASSIGN_OR_RETURN(const bool there, CheckFile(source, to, options, &done));
    if (there) return done;
  }
  FERRY_ASSIGN_OR_RETURN(MoveSide target, OpenMoveTarget(to, source.shown));
  Result<MoveDone> done = MoveInto(source, target, to, options);
  if (!done.ok()) DropTarget(target, to);
  return done;
}

Status CopyPostgresRows(const std::string& from, const std::string& to,
                        const MoveOptions& options) {
  FERRY_ASSIGN_OR_RETURN(MoveSide source, OpenMoveView(from));
  FERRY_ASSIGN_OR_RETURN(MoveSide target, OpenMoveTarget(to, source.shown));
  Mover mover(source, target, options);
  Status copied = mover.Compare();
  if (copied.ok()) copied = mover.Copy();
  if (copied.ok()) copied = CommitTarget(target, to);
  if (!copied.ok()) DropTarget(target, to);
  return copied;
}

}  // namespace ferry::server
