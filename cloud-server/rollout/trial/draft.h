// A version that nobody published yet: a published one with other texts in place of some of its
// files. It is tried here, and signed elsewhere: the server has no key for it.
// ---- draft.cc
#pragma once

#include <map>
#include <string>

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

inline constexpr size_t kMaxDraftFiles = 64;
inline constexpr size_t kMaxDraftBytes = 4 << 20;  // of all texts together
// A draft that takes longer is ended: a person waits for it.
inline constexpr int64_t kDraftTimeoutMs = 20'000;
inline constexpr int kMaxDraftsAtOnce = 2;

struct Draft {
  std::string package;
  std::string base;                          // the published version that it begins with
  std::string version;                       // its own; empty: that of the base
  std::map<std::string, std::string> files;  // texts by path; "task.json" is the task's description
  // Recorded cases in place of the base's, an array; null: those of the base.
  Json cases;
};

// kInvalidArgument and kLimitExceeded name the member: "files: task.py: ..", "version: ..".
Status CheckDraft(const Draft& draft);

// Writes the draft as a plain package, made of the base's. Scripts stay source; whoever loads it
// compiles them. What the base's script declares (rules, streams) stays as it was. The draft has
// passed CheckDraft; kMalformed for a "task.json" that is none.
Status WriteDraft(sys::FileSystem& fs, const std::string& base_file, const Draft& draft,
                  const std::string& to);

}  // namespace ferry::server
