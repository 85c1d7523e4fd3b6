#include "cloud-server/store/cluster/nodes.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_DATABASE_MS "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"

class Nodes : public NodeRepository {
 public:
  explicit Nodes(Connection& sql) : sql_(sql) {}

  Status Arrive(const NodeRow& row) override {
    if (is_alone()) return OkStatus();
    FERRY_TRY(sql_.Run("DELETE FROM node WHERE host = ?1 AND name <> ?2", {row.host, row.name}));
    return Beat(row);
  }

  Status Beat(const NodeRow& row) override {
    if (is_alone()) return OkStatus();
    FERRY_TRY(
        sql_.Run("INSERT INTO node (name, host, version, schema, started_ms, heard_ms) "
                 "VALUES (?1, ?2, ?3, ?4, ?5, " FERRY_DATABASE_MS
                 ") ON CONFLICT (name) DO UPDATE SET host = ?2, heard_ms = " FERRY_DATABASE_MS,
                 {row.name, row.host, row.version, row.schema, row.started_ms}));
    return sql_.Run("DELETE FROM node WHERE heard_ms < " FERRY_DATABASE_MS " - ?1",
                    {kNodeForgottenMs});
  }

  Status Leave(const std::string& name) override {
    return is_alone() ? OkStatus() : sql_.Run("DELETE FROM node WHERE name = ?1", {name});
  }

  Result<std::vector<NodeRow>> All() override {
    std::vector<NodeRow> all;
    if (is_alone()) return all;
    FERRY_TRY(sql_.Query("SELECT name, host, version, schema, started_ms, " FERRY_DATABASE_MS
                         " - heard_ms FROM node ORDER BY host, name",
                         {}, [&](Row& row) {
                           NodeRow& node = all.emplace_back();
                           node.name = row.NextText();
                           node.host = row.NextText();
                           node.version = row.NextText();
                           node.schema = row.NextInt();
                           node.started_ms = row.NextInt();
                           node.silent_ms = row.NextInt();
                           return OkStatus();
                         }));
    return all;
  }

  Result<int64_t> OldestServed() override {
    int64_t oldest = 0;
    if (is_alone()) return oldest;
    FERRY_TRY(
        sql_.Query("SELECT max(COALESCE(serves, number)) FROM ferry_schema", {}, [&](Row& row) {
          oldest = row.NextInt();
          return OkStatus();
        }));
    return oldest;
  }

 private:
  bool is_alone() const { return sql_.dialect() == Connection::Dialect::kSqlite; }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<NodeRepository> MakeNodeRepository(Connection& sql) {
  return std::make_unique<Nodes>(sql);
}

}  // namespace ferry::server
