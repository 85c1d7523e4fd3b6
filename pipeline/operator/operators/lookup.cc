#include "pipeline/operator/fields.h"
#include "pipeline/operator/operators/make.h"
#include "pipeline/operator/table_reader.h"

namespace ferry::operators {
namespace {

// Puts the table's row with the key made of the row's fields under "as". A row without a partner
// passes with null there, or not at all where the lookup is "inner".
class Lookup : public Operator {
 public:
  Lookup(const TableReader* tables, std::string table, const std::vector<std::string>& key,
         std::string as, bool inner)
      : tables_(tables), table_(std::move(table)), key_(key), as_(std::move(as)), inner_(inner) {}

  Status Push(const Row& row, std::vector<Row>* out) override {
    if (tables_ == nullptr)
      return Status::Of(Code::kUnavailable, "there are no tables here to look up {} in", table_);
    key_.Read(row);
    Json found;
    if (!key_.has_null()) {
      FERRY_ASSIGN_OR_RETURN(found,
                             tables_->Get(table_, key_.ToCanonical()).Context("table {}", table_));
    }
    if (found.is_null() && inner_) return OkStatus();
    Row next = row;
    next.fields[as_] = std::move(found);
    out->push_back(std::move(next));
    return OkStatus();
  }

 private:
  const TableReader* tables_;
  std::string table_;
  KeyFields key_;
  std::string as_;
  bool inner_;
};

}  // namespace

Result<std::unique_ptr<Operator>> MakeLookup(const Json& spec, const Surroundings& around) {
  FERRY_TRY(CheckMembers(spec, {"op", "table", "key", "as", "inner"}));
  FERRY_ASSIGN_OR_RETURN(std::string table, GetString(spec, "table"));
  FERRY_TRY(event::CheckName("table", table));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> key, ReadKeyNames(spec));
  if (key.empty()) return Status(Code::kMalformed, "key is empty");
  FERRY_ASSIGN_OR_RETURN(std::string as, GetStringOr(spec, "as", table));
  FERRY_ASSIGN_OR_RETURN(const bool inner, GetBoolOr(spec, "inner", false));
  return std::unique_ptr<Operator>(
      std::make_unique<Lookup>(around.tables, std::move(table), key, std::move(as), inner));
}

}  // namespace ferry::operators
