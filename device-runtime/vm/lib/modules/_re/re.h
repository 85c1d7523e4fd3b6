// What the files of the module re share: patterns, matches, and the texts they run on.
#pragma once

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/regex/match.h"

namespace ferry::vm {

extern const RecordType kRePattern, kReMatch;

// The values of a Pattern.
enum PatternValue : uint32_t {
  kPatternText,
  kPatternFlags,
  kPatternGroups,
  kPatternIndex,    // dict: name -> group
  kPatternProgram,  // bytes
  kPatternNames,    // tuple: name of each group or None
  kPatternValues,
};
// The values of a Match.
enum MatchValue : uint32_t {
  kMatchString,
  kMatchPattern,
  kMatchPos,
  kMatchEnd,
  kMatchMarks,  // bytes: two int32 a group, byte offsets or -1
  kMatchLast,   // number of the group that closed last, 0: none
  kMatchValues,
};

// What a method runs on: text, where to begin, and code point places of byte offsets.
struct ReText {
  Value string;
  bool bytes = false, wide = false;
  std::string_view all;
  size_t start = 0, end = 0;    // bytes
  int64_t pos = 0, endpos = 0;  // code points
  // The last place asked for: the next one is often near.
  mutable size_t known_byte = 0;
  mutable int64_t known_place = 0;

  regex::Subject subject() const { return {all.substr(0, end), wide}; }
  int64_t PlaceOf(int64_t offset) const;  // -1 stays
  Value Slice(Vm& vm, int64_t from, int64_t to) const;
};
// Checks that `string` suits the pattern; pos and endpos as given or Empty.
bool OpenText(Vm& vm, Record* pattern, Value string, Value pos, Value endpos, ReText* out);
// The whole string, for matches that exist.
ReText WholeText(Value string);

const uint32_t* ProgramOf(Record* pattern);
Value NewMatch(Vm& vm, Value pattern, const ReText& text, const regex::Matcher& matcher);
// Two marks of a group of a match.
void MarksOf(Record* match, uint32_t group, int64_t* start, int64_t* end);

// The pattern for `pattern` (text, bytes or a Pattern) and flags, from the cache if it is there.
Value CompilePattern(Vm& vm, Value pattern, int64_t flags);
// re.error with its attributes; empty.
Value RaiseReError(Vm& vm, std::string_view message, Value pattern, int64_t place);
bool AddReProperties(Vm& vm, Class* cls, std::span<const BuiltinRow> rows);
bool InstallReMatch(Vm& vm);
bool InstallRePattern(Vm& vm);

// The operations behind methods and functions of the module. `string` and others are kept.
Value ReMatchOnce(Vm& vm, Value pattern, Value string, Value pos, Value endpos,
                  regex::Anchor anchor);
Value ReFindAll(Vm& vm, Value pattern, Value string, Value pos, Value endpos);
Value ReFindIter(Vm& vm, Value pattern, Value string, Value pos, Value endpos);
Value ReSplit(Vm& vm, Value pattern, Value string, int64_t most);
Value ReSub(Vm& vm, Value pattern, Value replacement, Value string, int64_t most, bool counted);

// A replacement text: a list of str (or bytes) pieces and ints (groups).
Value ParseTemplate(Vm& vm, Record* pattern, Value text);
// Appends the pieces to the list of pieces `out`.
bool ExpandTemplate(Vm& vm, Value pieces, const ReText& text, Value match, List* out);
Value JoinPieces(Vm& vm, List* pieces, bool bytes);

}  // namespace ferry::vm
