// One artefact from the server to a plain file: download, ask for its key, open.
#pragma once

#include <memory>
#include <string>

#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/download.h"

namespace ferry::agent {

class Fetch {
 public:
  struct Want {
    std::string path;  // as targets metadata names it
    trust::TargetEntry entry;
    std::string release;
    std::string to;       // the plain file, made anew
    std::string base;     // plain base package of a delta; empty otherwise
    bool sealed = false;  // at rest; Parts::at_rest has a key then
  };
  // `on_pulled` when the sealed bytes are whole; `done` once, with the plain file in place and
  // checked, or with the error (then there is no plain file). Both may drop this object.
  using OnPulled = std::function<void(uint64_t bytes)>;
  using OnDone = std::function<void(Status)>;
  Fetch(const Parts& parts, Want want, OnPulled on_pulled, OnDone done);

  // kDiskFull when sealed and plain file do not both fit, before a byte moves.
  void Start();
  // "mirror A gave wrong bytes", or empty: what a report says when the sealed bytes are whole.
  std::string AboutMirrors() const;

 private:
  std::string SealedPath() const;
  std::string OpenedPath() const;  // until it is whole
  Status Prepare() const;
  void AskKey();
  Status Open(const proto::Envelope& answer);
  void OnOpened(const Status& status);
  void Finish(const Status& status);

  const Parts& parts_;
  Want want_;
  OnPulled on_pulled_;
  OnDone done_;
  std::unique_ptr<Download> download_;
  Alive alive_;
};

// Removes sealed files of artefacts other than `keep` (SHA-256 in hexadecimal) that lie about.
void SweepDownloads(const Parts& parts, const std::vector<std::string>& keep);

}  // namespace ferry::agent
