// What must hold whatever happens: one file each under invariants/, one row in list.inc. Each says
// behind which events it looks; large fleets are looked through at the few events that are for it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

constexpr uint32_t Behind(std::initializer_list<EventKind> kinds) {
  uint32_t bits = 0;
  for (const EventKind kind : kinds) bits |= uint32_t{1} << static_cast<uint32_t>(kind);
  return bits;
}

struct Invariant {
  const char* name;
  uint32_t behind;  // of events
  // What is broken, in one sentence; nothing: it holds.
  std::optional<std::string> (*broken)(Sim& sim, const Event& event);
};
const std::vector<const Invariant*>& AllInvariants();

}  // namespace ferry::fleetsim
