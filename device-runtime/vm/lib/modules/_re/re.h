// What the files of the module re share: patterns, matches, and the texts they run on.
#pragma once

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/regex/match.h"

namespace ferry::vm {

extern const RecordType kRePattern;

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

  // ---- re_text.cc ----
  // The code point at a byte offset; -1 stays.
  int64_t PlaceOf(int64_t offset) const;
  // The text between two byte offsets. Empty: there is no memory.
  Value Slice(Vm& vm, int64_t from, int64_t to) const;
};
// Empty, false and nullptr mean that a function failed.

// ---- re.cc ----
bool InstallRePattern(Vm& vm);

// ---- re_text.cc ----
// Checks that `string` suits the pattern; pos and endpos as given or Empty.
bool OpenText(Vm& vm, Record* pattern, Value string, Value pos, Value endpos, ReText* out);
// The whole string, for matches that exist. Cannot fail.
ReText WholeText(Value string);
// The program of the pattern, inside its bytes object.
const uint32_t* ProgramOf(Record* pattern);
// The pattern for `pattern` (text, bytes or a Pattern) and flags, from the cache if it is there.
Value CompilePattern(Vm& vm, Value pattern, int64_t flags);
// Raises re.error with its attributes. Empty.
Value RaiseReError(Vm& vm, std::string_view message, Value pattern, int64_t place);
bool AddReProperties(Vm& vm, Class* cls, std::span<const BuiltinRow> rows);

// ---- re_match.cc ----
extern const RecordType kReMatch;
// The Match of what the matcher has found.
Value NewMatch(Vm& vm, Value pattern, const ReText& text, const regex::Matcher& matcher);
// The two marks of a group of a match.
void MarksOf(Record* match, uint32_t group, int64_t* start, int64_t* end);
bool InstallReMatch(Vm& vm);

// ---- re_search.cc ----
// The operations behind methods and functions of the module. `string` and others are kept by the
// caller. Scripts run in a replacement that is a function, and in an __index__ of pos and endpos.
Value ReMatchOnce(Vm& vm, Value pattern, Value string, Value pos, Value endpos,
                  regex::Anchor anchor);
Value ReFindAll(Vm& vm, Value pattern, Value string, Value pos, Value endpos);
Value ReFindIter(Vm& vm, Value pattern, Value string, Value pos, Value endpos);
Value ReSplit(Vm& vm, Value pattern, Value string, int64_t most);
Value ReSub(Vm& vm, Value pattern, Value replacement, Value string, int64_t most, bool counted);
// The pieces of a list, all str or (`bytes`) all bytes, as one.
Value JoinPieces(Vm& vm, List* pieces, bool bytes);

// ---- re_template.cc ----
// A replacement text: a list of str (or bytes) pieces and ints (groups).
Value ParseTemplate(Vm& vm, Record* pattern, Value text);
// Appends the pieces to the list of pieces `out`.
bool ExpandTemplate(Vm& vm, Value pieces, const ReText& text, Value match, List* out);

}  // namespace ferry::vm
