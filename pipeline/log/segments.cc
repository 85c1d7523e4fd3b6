#include "pipeline/log/segments.h"

#include <algorithm>
#include <charconv>

namespace ferry::log {
namespace {

constexpr std::string_view kEnding = ".log";
constexpr size_t kDigits = 16;
constexpr uint64_t kMaxSegmentFile = uint64_t{1} << 30;

// 0 for a file of another name.
uint64_t NumberOf(std::string_view name) {
  uint64_t number = 0;
  if (name.size() != kDigits + kEnding.size() || !name.ends_with(kEnding)) return 0;
  const auto got = std::from_chars(name.data(), name.data() + kDigits, number, 16);
  return got.ptr == name.data() + kDigits ? number : 0;
}

// Walks over the blocks of one file; those that came before are skipped.
void Index(std::string_view bytes, uint64_t last, Segment* segment, LogStats* stats) {
  BlockScanner scanner(segment->head, bytes.substr(segment->begin));
  segment->end = segment->begin;
  while (const auto block = scanner.Next()) {
    if (!block->good) ++stats->damaged_blocks;
    if (!block->good || block->head.first <= std::max(last, segment->last)) continue;
    segment->Add(block->head, segment->begin + block->at, segment->begin + block->end);
  }
  stats->damaged_blocks += scanner.lost_heads();
  stats->torn_bytes += scanner.torn_bytes();
}

}  // namespace

std::string SegmentPath(const std::string& directory, uint64_t segment) {
  return sys::JoinPath(directory, fmt::format("{:016x}{}", segment, kEnding));
}

void Segment::Add(const BlockHead& block, uint64_t at, uint64_t block_end) {
  if (marks.empty() || at - marks.back().at >= kIndexBytes) marks.push_back({block.first, at});
  if (first == 0) first = block.first;
  last = block.first + block.count - 1;
  events += block.count;
  last_arrival_ms = block.last_arrival_ms;
  end = block_end;
}

Result<FoundSegments> FindSegments(sys::FileSystem& fs, const std::string& directory,
                                   const Identity& identity, LogStats* stats) {
  FoundSegments found;
  uint64_t last = 0;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.List(directory));
  for (const std::string& name : names) {
    const uint64_t number = NumberOf(name);
    if (number == 0) continue;
    found.next_segment = std::max(found.next_segment, number + 1);
    auto segment = std::make_shared<Segment>();
    segment->path = SegmentPath(directory, number);
    const auto bytes = sys::ReadFile(fs, segment->path, kMaxSegmentFile);
    const Result<FoundHead> head = bytes.ok()
                                       ? ReadHead(AsText(*bytes), identity.log_id, identity.log_key)
                                       : Result<FoundHead>(bytes.status());
    if (number < identity.first_segment && head.code() != Code::kNotFound) {
      FERRY_TRY(fs.Remove(segment->path));
      continue;
    }
    if (!head.ok() || head.value().head.segment != number) {
      const bool foreign = head.ok() || head.code() == Code::kNotFound;
      ++(foreign ? stats->foreign_segments : stats->damaged_segments);
      continue;
    }
    if (head.value().damaged) ++stats->damaged_blocks;
    segment->head = head.value().head;
    segment->begin = head.value().size;
    Index(AsText(*bytes), last, segment.get(), stats);
    if (segment->last == 0) continue;
    if (last != 0) stats->missing_events += segment->first - last - 1;
    stats->missing_events += segment->last - segment->first + 1 - segment->events;
    last = segment->last;
    found.segments.push_back(std::move(segment));
  }
  return found;
}

Result<bool> ReadSegment(sys::FileSystem& fs, const Segment& segment, uint64_t from, uint64_t to,
                         const std::function<bool(const Entry&)>& take, uint64_t* given) {
  const auto above = [](const auto& marks, uint64_t number) {
    return std::upper_bound(marks.begin(), marks.end(), number,
                            [](uint64_t n, const Segment::Mark& mark) { return n < mark.first; });
  };
  auto mark = above(segment.marks, from);
  const auto past = above(segment.marks, to);
  const uint64_t begin = mark == segment.marks.begin() ? segment.begin : std::prev(mark)->at;
  const uint64_t end = past == segment.marks.end() ? segment.end : past->at;
  if (begin >= end) return true;
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForRead(segment.path));
  Bytes bytes(end - begin);
  FERRY_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(begin, bytes));
  BlockScanner scanner(segment.head, AsText(bytes).substr(0, got));
  while (const auto block = scanner.Next()) {
    const uint64_t last = block->head.first + block->head.count - 1;
    if (!block->good || last < from || block->head.first > to || block->head.first <= *given)
      continue;
    const auto entries = OpenBlock(segment.head, *block);
    if (!entries.ok()) continue;  // as a damaged one
    for (const Entry& entry : *entries) {
      if (entry.event.number < from || entry.event.number > to) continue;
      *given = entry.event.number;
      if (!take(entry)) return false;
    }
  }
  return true;
}

}  // namespace ferry::log
