#include <set>

#include "policy/requires/requires.h"

namespace ferry::requires_ {
namespace {

// Of packages that all wait for another one of them: walks from one to the next until one comes
// again.
std::string SpellCycle(const std::map<std::string, std::set<std::string>>& waiting) {
  std::vector<std::string> walk;
  std::set<std::string> seen;
  std::string at = waiting.begin()->first;
  while (seen.insert(at).second) {
    walk.push_back(at);
    at = *waiting.at(at).begin();
  }
  std::string out;
  bool inside = false;
  for (const std::string& name : walk) {
    inside = inside || name == at;
    if (inside) out += name + " needs ";
  }
  return out + at;
}

}  // namespace

Result<std::vector<std::string>> DependencyOrder(const std::map<std::string, Requires>& packages) {
  std::map<std::string, std::set<std::string>> waiting;  // what each still waits for
  std::map<std::string, std::vector<std::string>> needed_by;
  std::set<std::string> ready;
  for (const auto& [name, needs] : packages) {
    std::set<std::string> needed;
    for (const auto& [other, range] : needs.packages) {
      if (!packages.contains(other)) continue;
      needed.insert(other);
      needed_by[other].push_back(name);
    }
    if (needed.empty())
      ready.insert(name);
    else
      waiting[name] = std::move(needed);
  }
  std::vector<std::string> order;
  while (!ready.empty()) {
    const std::string name = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(name);
    for (const std::string& other : needed_by[name]) {
      waiting[other].erase(name);
      if (!waiting[other].empty()) continue;
      waiting.erase(other);
      ready.insert(other);
    }
  }
  if (waiting.empty()) return order;
  return Status::Of(Code::kInvalidArgument, "packages need each other: {}", SpellCycle(waiting));
}

}  // namespace ferry::requires_
