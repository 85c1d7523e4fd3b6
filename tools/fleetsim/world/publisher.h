// Offline keys, and what they signed so far.
#pragma once

#include <map>
#include <string>

#include "common/sys/sim/filesystem.h"
#include "common/trust/builder.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

class Publisher {
 public:
  explicit Publisher(Sim& sim);
  Status PutRoot();
  // Seals, signs and uploads a version; fills in its entry and path.
  Status Publish(uint8_t version);

  trust::Root root;
  Bytes root_document;
  trust::Targets targets;  // all that offline keys sign now

 private:
  Sim& sim_;
  sys::SimFileSystem disk_;
  trust::SigningKey root_key_, targets_key_;
  std::map<uint8_t, crypto::Sha256Digest> plain_;
  int64_t counter_ = 0;
};

}  // namespace ferry::fleetsim
