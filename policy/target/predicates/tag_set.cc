#include <algorithm>

#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

// A tag says where something belongs, from the left: "eu/de/berlin" is in "eu/de", "eu/den" is not.
bool IsBelow(std::string_view tag, std::string_view wanted) {
  if (tag.substr(0, wanted.size()) != wanted) return false;
  return tag.size() == wanted.size() || tag[wanted.size()] == '/';
}

// name("beta"), name("beta", "staff"): one of these is, or is above a tag, in one of the sets.
class TagSet : public Predicate {
 public:
  TagSet(std::string_view name, std::string_view none, std::vector<TagsOf> sets)
      : name_(name), none_(none), sets_(std::move(sets)) {}
  std::string_view name() const override { return name_; }
  Form form() const override { return Form::kCall; }
  Status Check(const Condition&) const override { return OkStatus(); }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view salt) const override {
    return {Decide(condition, device, salt), Found(device)};
  }

  Truth Decide(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    return ToTruth(std::any_of(sets_.begin(), sets_.end(), [&](TagsOf set) {
      return std::any_of(
          condition.values.begin(), condition.values.end(), [&](const std::string& wanted) {
            const std::vector<std::string>& tags = device.*set;
            return std::any_of(tags.begin(), tags.end(),
                               [&](const std::string& tag) { return IsBelow(tag, wanted); });
          });
    }));
  }

 private:
  std::string Found(const Attributes& device) const {
    std::string out;
    for (TagsOf set : sets_) {
      for (const std::string& tag : device.*set) out += ' ' + Quote(tag);
    }
    return out.empty() ? std::string(none_) : "tags are" + out;
  }

  std::string_view name_;
  std::string_view none_;
  std::vector<TagsOf> sets_;
};

}  // namespace

std::unique_ptr<Predicate> MakeTagSet(std::string_view name, std::string_view none,
                                      std::vector<TagsOf> sets) {
  return std::make_unique<TagSet>(name, none, std::move(sets));
}

}  // namespace ferry::target
