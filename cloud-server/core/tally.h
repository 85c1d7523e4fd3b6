// Counts of members as increments.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/core/rows.h"

namespace ferry::server {

// Adds (by = 1) or takes away (by = -1) one member in every slice that it is in.
void CountMember(Tallies& tallies, const MemberRow& member, int64_t by);
// Adds what differs: `before` null for a new member.
void CountChange(Tallies& tallies, const MemberRow* before, const MemberRow& after);
void AddTallies(Tallies& sum, const Tallies& more);
// A recount does not know of members that have left, as who was held back and joined: when the
// first of them all came stays as it was kept.
void KeepFirst(const Tallies& kept, Tallies& counted);

// The slices that a member counts in, by the profile it was offered with.
std::vector<std::string> SlicesOfMember(const MemberRow& member);

// Under which keys it is counted: its slices, and its cell.
std::vector<TallyKey> KeysOfMember(const MemberRow& member);
// Whether a key's slice is a cell.
bool IsCell(const std::string& slice);
// The slices of a cell that lies in one of `stopped`; empty for any other.
std::vector<std::string> SlicesLeftOut(const std::string& slice,
                                       const std::vector<std::string>& stopped);

// Whether one of the slices was stopped alone.
bool IsStopped(const ReleaseRow& release, const std::vector<std::string>& slices);

// Slices overlap. A member therefore counts in its cell too, which is named by all of its slices at
// once, and no member is in two. What the members of `stopped` slices add is taken from every other
// slice by their cells; the slices stay, for their order matters to the gates. Cells are left out.
Tallies WithoutSlices(const Tallies& tallies, const std::vector<std::string>& stopped);

// Of the whole release, by slice, the control cohort left out.
std::vector<SliceRow> SlicesOf(const Tallies& tallies);
// Of everyone who was offered the release (the control cohort: of those that are held back).
Counts TotalOf(const Tallies& tallies, bool control = false);
// Of those that were first offered at `stage`.
Counts TotalOfStage(const Tallies& tallies, int64_t stage, bool control = false);

}  // namespace ferry::server
