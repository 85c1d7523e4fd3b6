#include "policy/target/groups.h"
#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

// group("staff"), group("staff", "testers"): in one of these groups.
class Group : public Predicate {
 public:
  std::string_view name() const override { return "group"; }
  Form form() const override { return Form::kCall; }

  Status Check(const Condition& condition) const override {
    for (const std::string& group : condition.values)
      if (Status status = CheckGroupName(group); !status.ok())
        return Status(Code::kBadRule, status.message());
    return OkStatus();
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    Outcome out{Truth::kFalse, ""};
    for (const std::string& group : condition.values) {
      Membership one = MembershipOf(group, device);
      if (one.truth == Truth::kTrue) return {Truth::kTrue, std::move(one.found)};
      if (one.truth == Truth::kUnknown) out.truth = Truth::kUnknown;
      out.found += (out.found.empty() ? "" : "; ") + one.found;
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Predicate> MakeGroup() {
  return std::make_unique<Group>();
}

}  // namespace ferry::target
