// What a child process may touch, by the kernel's Landlock where it has it. Linux.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// A set of rules that is made before fork and taken on after it, for making it allocates.
class Confinement {
 public:
  Confinement() = default;
  ~Confinement();
  Confinement(Confinement&& other) noexcept : rules_(other.rules_) { other.rules_ = -1; }
  Confinement& operator=(Confinement&&) = delete;

  // The paths may be read and executed, with what lies under them, and so may the system's own
  // programs, libraries and /proc; nothing can be written, and no TCP port be bound or connected to
  // where the kernel can refuse it. Paths that are not there are left out. A kernel without
  // Landlock gives rules that hold nothing: see holds(). kIo.
  static Result<Confinement> Make(const std::vector<std::string>& readable);
  // Whether the kernel keeps to the rules.
  bool holds() const { return rules_ >= 0; }
  // Takes the rules on for this process and all that it becomes, and gives up for ever what a
  // set-user-ID program would add. False: it failed. Safe between fork and exec.
  bool TakeOn() const;

 private:
  int rules_ = -1;
};

}  // namespace ferry::server
