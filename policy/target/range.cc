#include "policy/target/range.h"

#include <algorithm>
#include <limits>

namespace ferry::target {
namespace {

using Bounds = std::vector<VersionBound>;
using BoundKind = VersionBound::Kind;

Status BadRange(std::string_view range, std::string_view why) {
  return Status::Of(Code::kMalformed, "\"{}\" is no range of versions: {}",
                    range.substr(0, kMaxRangeBytes), why);
}

// A version of a term: its first `given` numbers, the rest is open.
struct Partial {
  Version version;
  int given = 3;
};

bool IsOpen(std::string_view part) {
  return part == "x" || part == "X" || part == "*";
}

Result<Partial> ParsePartial(std::string_view text) {
  Partial out;
  std::string_view kept = text;
  out.given = 0;
  size_t at = 0;
  while (out.given < 3) {
    const size_t end = std::min(text.find_first_of(".-+", at), text.size());
    if (IsOpen(text.substr(at, end - at))) {
      // "1.x.3" and "1.x-rc" would say two things.
      const std::string_view after = text.substr(end);
      const bool good = after.empty() || after == ".x" || after == ".X" || after == ".*" ||
                        after == ".x.x" || after == ".*.*";
      if (!good) return Status::Of(Code::kMalformed, "\"{}\" goes on after an open number", text);
      kept = at == 0 ? "" : text.substr(0, at - 1);
      break;
    }
    ++out.given;
    if (end == text.size() || text[end] != '.') break;
    at = end + 1;
  }
  if (kept.empty() && out.given == 0) return out;
  FERRY_ASSIGN_OR_RETURN(out.version, ParseVersion(kept));
  if (out.given < 3 && !out.version.pre.empty())
    return Status::Of(Code::kMalformed, "\"{}\" has a pre-release without three numbers", text);
  return out;
}

// The first version past all that agree with the first `numbers` numbers.
Result<Version> Next(const Version& version, int numbers) {
  Version out;
  const uint64_t given[3] = {version.major, version.minor, version.patch};
  uint64_t* const fields[3] = {&out.major, &out.minor, &out.patch};
  for (int k = 0; k < numbers; ++k) *fields[k] = given[k];
  uint64_t& last = *fields[numbers - 1];
  if (last == std::numeric_limits<uint64_t>::max())
    return Status(Code::kMalformed, "a number is too large for a range");
  ++last;
  return out;
}

// [version, first version past its first `numbers` numbers); no upper bound for 0.
Status AddSpan(const Version& from, int numbers, Bounds* out) {
  out->push_back({BoundKind::kAtLeast, from});
  if (numbers == 0) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(Version past, Next(from, numbers));
  out->push_back({BoundKind::kBelow, std::move(past)});
  return OkStatus();
}

// How many leading numbers "^" keeps: up to the first that is not zero, among those that are given.
int CaretNumbers(const Partial& partial) {
  if (partial.version.major > 0 || partial.given < 2) return std::min(partial.given, 1);
  if (partial.version.minor > 0 || partial.given < 3) return 2;
  return 3;
}

Status AddComparison(std::string_view op, const Partial& partial, Bounds* out) {
  const Version& version = partial.version;
  if (partial.given == 3) {
    const BoundKind kind = op == ">"    ? BoundKind::kAbove
                           : op == ">=" ? BoundKind::kAtLeast
                           : op == "<"  ? BoundKind::kBelow
                           : op == "<=" ? BoundKind::kAtMost
                                        : BoundKind::kExactly;
    out->push_back({kind, version});
    return OkStatus();
  }
  if (op.empty() || op == "=") return AddSpan(version, partial.given, out);
  if (op == ">=") return AddSpan(version, 0, out);
  if (op == "<") {
    out->push_back({BoundKind::kBelow, version});
    return OkStatus();
  }
  // ">1.2" begins past all of 1.2, "<=1.2" ends there; past "*" there is nothing.
  if (partial.given == 0) {
    if (op == "<=") return AddSpan(Version(), 0, out);
    return Status(Code::kMalformed, "nothing is above every version");
  }
  FERRY_ASSIGN_OR_RETURN(Version past, Next(version, partial.given));
  out->push_back({op == ">" ? BoundKind::kAtLeast : BoundKind::kBelow, std::move(past)});
  return OkStatus();
}

Status AddTerm(std::string_view term, Bounds* out) {
  const size_t digits = std::min(term.find_first_not_of("<>=^~"), term.size());
  const std::string_view op = term.substr(0, digits);
  static constexpr std::string_view kOperators[] = {"", "=", "<", "<=", ">", ">=", "^", "~"};
  if (std::find(std::begin(kOperators), std::end(kOperators), op) == std::end(kOperators))
    return Status::Of(Code::kMalformed, "\"{}\" is no operator", op);
  FERRY_ASSIGN_OR_RETURN(Partial partial, ParsePartial(term.substr(digits)));
  if (op == "^") return AddSpan(partial.version, CaretNumbers(partial), out);
  if (op == "~") return AddSpan(partial.version, std::min(partial.given, 2), out);
  return AddComparison(op, partial, out);
}

bool Keeps(const VersionBound& bound, const Version& version) {
  const std::strong_ordering order = Compare(version, bound.version);
  switch (bound.kind) {
    case BoundKind::kAtLeast:
      return order >= 0;
    case BoundKind::kAbove:
      return order > 0;
    case BoundKind::kAtMost:
      return order <= 0;
    case BoundKind::kBelow:
      return order < 0;
    case BoundKind::kExactly:
      return order == 0;
  }
  return false;
}

bool NamesPreRelease(const VersionBound& bound, const Version& version) {
  return !bound.version.pre.empty() && bound.version.major == version.major &&
         bound.version.minor == version.minor && bound.version.patch == version.patch;
}

// The next word of `rest`, which loses it; empty at the end.
std::string_view TakeWord(std::string_view* rest) {
  rest->remove_prefix(std::min(rest->find_first_not_of(' '), rest->size()));
  const std::string_view word = rest->substr(0, rest->find(' '));
  rest->remove_prefix(word.size());
  return word;
}

}  // namespace

Result<VersionRange> ParseRange(std::string_view text) {
  if (text.size() > kMaxRangeBytes)
    return BadRange(text, fmt::format("longer than {} bytes", kMaxRangeBytes));
  VersionRange out;
  out.alternatives.emplace_back();
  size_t terms = 0;
  std::string_view rest = text;
  for (std::string_view word = TakeWord(&rest); !word.empty(); word = TakeWord(&rest)) {
    if (word == "||") {
      if (out.alternatives.back().empty()) return BadRange(text, "nothing before ||");
      out.alternatives.emplace_back();
      continue;
    }
    if (++terms > kMaxRangeTerms)
      return BadRange(text, fmt::format("more than {} terms", kMaxRangeTerms));
    // A blank after the operator is common: ">= 1.2".
    std::string joined(word);
    if (word.find_first_not_of("<>=^~") == std::string_view::npos) joined += TakeWord(&rest);
    if (Status status = AddTerm(joined, &out.alternatives.back()); !status.ok())
      return BadRange(text, status.message());
  }
  if (out.alternatives.back().empty())
    return BadRange(text, terms == 0 ? "it is empty" : "nothing after ||");
  return out;
}

bool Contains(const VersionRange& range, const Version& version) {
  return std::any_of(
      range.alternatives.begin(), range.alternatives.end(), [&](const Bounds& bounds) {
        const bool all = std::all_of(bounds.begin(), bounds.end(),
                                     [&](const VersionBound& b) { return Keeps(b, version); });
        return all && (version.pre.empty() ||
                       std::any_of(bounds.begin(), bounds.end(), [&](const VersionBound& b) {
                         return NamesPreRelease(b, version);
                       }));
      });
}

}  // namespace ferry::target
