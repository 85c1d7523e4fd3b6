// A store for tests of other rooms: in memory, or on PostgreSQL when FERRY_TEST_STORE=postgres, as
// ctest runs rooms with the option ON_POSTGRES a second time.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "cloud-server/store/postgres/scratch_postgres.h"
#include "cloud-server/store/sqlite/sqlite_store.h"

namespace ferry::server {

// Removes its database at its end.
class ScratchStore : public Store {
 public:
  ScratchStore(ScratchPostgres& scratch, std::string url, std::unique_ptr<Store> store)
      : scratch_(scratch), url_(std::move(url)), store_(std::move(store)) {}
  ~ScratchStore() override {
    store_.reset();
    const Status removed = scratch_.Remove(url_);
    if (!removed.ok()) std::fprintf(stderr, "%s\n", removed.ToString().c_str());
  }
  Status Write(const Body& body) override { return store_->Write(body); }
  Status WriteInTurn(const Body& body) override { return store_->WriteInTurn(body); }
  Status Read(const Body& body) override { return store_->Read(body); }
  int64_t schema_version() override { return store_->schema_version(); }
  Result<StoreSizes> Sizes() override { return store_->Sizes(); }
  Status Shrink(int64_t bytes) override { return store_->Shrink(bytes); }

 private:
  ScratchPostgres& scratch_;
  const std::string url_;
  std::unique_ptr<Store> store_;
};

inline Result<std::unique_ptr<Store>> OpenTestStore() {
  const char* where = std::getenv("FERRY_TEST_STORE");
  if (where == nullptr || std::string_view(where) != "postgres") return OpenMemoryStore();
  const Result<ScratchPostgres*> scratch = ScratchPostgres::Get();
  if (scratch.code() == Code::kUnsupported) {
    // Once, for all tests of the program; ctest takes the status for skipped.
    std::fprintf(stderr, "SKIPPED: %s\n", scratch.status().ToString().c_str());
    std::exit(77);
  }
  FERRY_TRY(scratch);
  FERRY_ASSIGN_OR_RETURN(std::string url, (*scratch)->NewDatabase());
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenPostgresStore(url));
  return std::unique_ptr<Store>(
      std::make_unique<ScratchStore>(**scratch, std::move(url), std::move(store)));
}

}  // namespace ferry::server
