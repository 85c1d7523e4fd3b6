// A filter made ready for a whole fleet: the same answers as target::TruthOf, in a fraction of the
// time, since conditions are asked once for each content of the part that they read (parts.h).
// ---- matcher.cc
#pragma once

#include <optional>
#include <vector>

#include "cloud-server/fleet/devices.h"
#include "policy/target/bucket.h"
#include "policy/target/rule.h"

namespace ferry::server::fleet {

// For one look at the fleet: the codes of devices must not be given anew meanwhile. One thread.
class Matcher {
 public:
  explicit Matcher(const target::Rule& filter);
  target::Truth TruthOf(const Device& device) { return Judge(&root_, Face(device), device); }
  bool Matches(const Device& device) { return TruthOf(device) == target::Truth::kTrue; }
  // The device behind the face is looked at where that does not tell.
  bool Matches(const Devices& devices, size_t i) {
    return Judge(&root_, devices.faces[i], *devices.all[i]) == target::Truth::kTrue;
  }

 private:
  // What is known of a condition for each code of a part; kOpen where it was not asked yet.
  struct Known {
    static constexpr signed char kOpen = -1;
    size_t part = 0;
    std::vector<signed char> truths;
  };
  struct Step {
    const target::Node* node = nullptr;
    std::vector<Step> children;
    // Of percent(..), which the id alone decides.
    std::optional<target::Share> share;
    bool text = false;     // text(..), whose parts are asked one after another
    bool blocked = false;  // blocked == .., which the face knows
    signed char of_blocked[2] = {Known::kOpen, Known::kOpen};
    std::vector<Known> known;  // of the condition; empty: it is asked for each device
  };

  static Step Prepare(const target::Node& node);
  static target::Truth Judge(Step* step, const Face& face, const Device& device);
  static target::Truth JudgeCondition(Step* step, const Face& face, const Device& device);

  const target::Rule filter_;  // shares its nodes
  Step root_;
};

}  // namespace ferry::server::fleet
