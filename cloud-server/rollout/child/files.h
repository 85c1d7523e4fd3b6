// What of the disk a child process may touch, by the kernel's Landlock where it has it. Linux.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// A set of rules that is made before fork and taken on after it, for making it allocates.
class FileRules {
 public:
  FileRules() = default;
  ~FileRules();
  FileRules(FileRules&& other) noexcept { std::swap(rules_, other.rules_); }
  FileRules& operator=(FileRules&& other) noexcept {
    std::swap(rules_, other.rules_);
    return *this;
  }

  // The paths may be read and executed, with what lies under them, and so may the system's own
  // programs, libraries and /proc; nothing can be written, and no TCP port be bound or connected to
  // where the kernel can refuse it. Paths that are not there are left out. A kernel without
  // Landlock gives rules that hold nothing: see holds(). kIo.
  static Result<FileRules> Make(const std::vector<std::string>& readable);
  // Whether the kernel keeps to the rules.
  bool holds() const { return rules_ >= 0; }
  // Takes the rules on for this process and all that it becomes; it must have given up what a
  // set-user-ID program would add. False: it failed, and errno says why. Safe between fork and
  // exec.
  bool TakeOn() const;

 private:
  int rules_ = -1;
};

}  // namespace ferry::server
