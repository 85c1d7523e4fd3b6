// Walks the metadata chain of the server into the trusted set. Source: TUF specification 1.0,
// section 5.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/agent/parts.h"

namespace ferry::agent {

// Takes up what the trusted root says of the server's addresses and authorities. A root below one
// that was trusted before, on the way up from the pinned one, says what once was and changes
// nothing.
void NoteLine(const Parts& parts);

// Lives as long as its walk; one walk at a time. What was verified before a failure is kept.
class Refresh {
 public:
  using OnDone = std::function<void(Status)>;  // may drop this object
  explicit Refresh(const Parts& parts) : parts_(parts) {}

  // The pinned root when there is none yet, then every newer one.
  void Roots(OnDone done);
  // Timestamp, and snapshot and targets where they changed; needs Roots before. Of targets in bins
  // those bins that hold one of `paths`, which is asked again after each of them: what is needed
  // may show only then. New targets are taken together with their bins, so that what an install
  // under way goes by is never half there.
  using Paths = std::function<std::vector<std::string>(const trust::TrustedSet& set)>;
  void Chain(Paths paths, OnDone done);
  // The document of this device's own files that the desired state names as `wanted`; needs Chain
  // before.
  void Personal(const trust::MetaFile& wanted, OnDone done);

 private:
  using OnDocument = std::function<Status(ByteView document)>;
  void NextRoot(int left);
  // The journal learns of a root that was taken: who counts assignments, and what is in use.
  void NoteRoot();
  void Snapshot();
  void Targets();
  void Bins();
  // Asks for a document and hands it to `take`; then `next`, or the end with an error.
  void Step(const std::string& role, int64_t version, OnDocument take, std::function<void()> next);
  void Finish(const Status& status);
  // The chain must be fresh and not below what was in use (TrustFloor); that it becomes.
  void FinishChain();

  const Parts& parts_;
  OnDone done_;
  Paths paths_;
  std::optional<trust::TrustedSet> next_;  // with new targets or bins
  Alive alive_;
};

}  // namespace ferry::agent
