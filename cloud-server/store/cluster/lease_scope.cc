#include "cloud-server/store/store.h"

namespace ferry::server {
namespace {

thread_local const LeaseScope* t_lease = nullptr;

}  // namespace

LeaseScope::LeaseScope(std::string name, int64_t number)
    : name_(std::move(name)), number_(number), outer_(t_lease) {
  t_lease = this;
}

LeaseScope::~LeaseScope() {
  t_lease = outer_;
}

Status LeaseScope::Check(Transaction& tx) {
  for (const LeaseScope* scope = t_lease; scope != nullptr; scope = scope->outer_)
    FERRY_TRY(tx.leases().Check(scope->name_, scope->number_));
  return OkStatus();
}

}  // namespace ferry::server
