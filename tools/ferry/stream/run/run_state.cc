#include "tools/ferry/stream/run/run_state.h"

#include <algorithm>

#include "common/base/json.h"

namespace ferry::cli {
namespace {

constexpr int64_t kFormat = 1;
constexpr size_t kMaxFiles = 1'000;        // remembered; older ones are still taken
constexpr size_t kMaxNumberings = 10'000;  // one for each kill with lines behind the last commit

Result<uint64_t> GetCount(const Json& json, std::string_view name) {
  FERRY_ASSIGN_OR_RETURN(const int64_t count, GetInt(json, name));
  if (count < 0) return Status::Of(Code::kMalformed, "{} is negative", name);
  return static_cast<uint64_t>(count);
}

}  // namespace

uint64_t RunState::NumberOf(uint64_t line) const {
  const Numbering& last = numbers.back();
  return last.number + (line - last.line);
}

std::optional<uint64_t> RunState::LineOf(uint64_t number) const {
  for (size_t k = numbers.size(); k > 0; --k) {
    const Numbering& one = numbers[k - 1];
    if (number < one.number) continue;
    const uint64_t line = one.line + (number - one.number);
    const bool taken = k == numbers.size() || line < numbers[k].line;
    return taken ? std::optional(line) : std::nullopt;
  }
  return std::nullopt;
}

void RunState::NumberNext(uint64_t number) {
  if (!numbers.empty() && NumberOf(lines) == number) return;
  // One that no line has used makes way.
  if (!numbers.empty() && numbers.back().line == lines)
    numbers.back().number = number;
  else
    numbers.push_back({lines, number});
  if (numbers.size() > kMaxNumberings) numbers.erase(numbers.begin());
}

std::string WriteRunState(const RunState& state) {
  Json files = Json::array(), numbers = Json::array();
  const size_t from = state.files.size() > kMaxFiles ? state.files.size() - kMaxFiles : 0;
  for (size_t k = from; k < state.files.size(); ++k)
    files.push_back({state.files[k].lines, state.files[k].sha256});
  for (const Numbering& one : state.numbers) numbers.push_back({one.line, one.number});
  return WriteJson({{"format", kFormat},
                    {"lines", state.lines},
                    {"bytes", state.bytes},
                    {"latest_ms", state.latest_ms},
                    {"files", std::move(files)},
                    {"numbers", std::move(numbers)},
                    {"out_bytes", state.out_bytes},
                    {"out_tail", state.out_tail}});
}

Result<RunState> ReadRunState(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(const int64_t format, GetInt(json, "format"));
  if (format != kFormat) return Status::Of(Code::kUnsupported, "format {}", format);
  RunState state;
  FERRY_ASSIGN_OR_RETURN(state.lines, GetCount(json, "lines"));
  FERRY_ASSIGN_OR_RETURN(state.bytes, GetCount(json, "bytes"));
  FERRY_ASSIGN_OR_RETURN(state.latest_ms, GetInt(json, "latest_ms"));
  FERRY_ASSIGN_OR_RETURN(state.out_bytes, GetCount(json, "out_bytes"));
  FERRY_ASSIGN_OR_RETURN(state.out_tail, GetString(json, "out_tail"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetArray(json, "files"));
  for (const Json& one : *files) {
    if (!one.is_array() || one.size() != 2 || !one[0].is_number_unsigned() || !one[1].is_string())
      return Status(Code::kMalformed, "files");
    state.files.push_back({one[0].get<uint64_t>(), one[1].get<std::string>()});
  }
  FERRY_ASSIGN_OR_RETURN(const Json* numbers, GetArray(json, "numbers"));
  for (const Json& one : *numbers) {
    if (!one.is_array() || one.size() != 2 || !one[0].is_number_unsigned() ||
        !one[1].is_number_unsigned())
      return Status(Code::kMalformed, "numbers");
    state.numbers.push_back({one[0].get<uint64_t>(), one[1].get<uint64_t>()});
  }
  return state;
}

void LineHash::Add(const Line& line) {
  waiting_.append(line.text);
  if (line.too_long()) waiting_ += fmt::format("\n{}", line.bytes);
  waiting_ += '\n';
  if (waiting_.size() >= kHashPieceBytes) waiting_ = AsText(crypto::Sha256(AsBytes(waiting_)));
}

std::string LineHash::Current() const {
  return crypto::Sha256Hex(AsBytes(waiting_));
}

Status SkipLines(uint64_t lines, LineReader* reader, LineHash* hash) {
  Line line;
  for (uint64_t k = 0; k < lines; ++k) {
    FERRY_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
    if (!more) return Status::Of(Code::kIo, "the events end at line {}", k);
    hash->Add(line);
  }
  return OkStatus();
}

Result<Continuation> FindContinuation(const RunState& state, LineReader* reader) {
  Continuation out;
  if (state.files.empty()) return out;
  uint64_t of_files = 0;
  for (const TakenFile& file : state.files) of_files += file.lines;
  // Where all files were remembered, the events may begin with all of them.
  bool all = of_files == state.lines;
  bool last = true;
  LineHash hash_all, hash_last;
  const TakenFile& last_file = state.files.back();
  uint64_t line_number = 0, of_file = 0;
  size_t file = 0;
  Line line;
  while ((all && file < state.files.size()) || (last && line_number < last_file.lines)) {
    if (all && of_file == state.files[file].lines) {
      all = hash_all.Current() == state.files[file].sha256;
      hash_all = LineHash();
      of_file = 0;
      ++file;
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
    if (!more) {
      all = all && file == state.files.size();
      last = last && line_number >= last_file.lines;
      break;
    }
    if (all) hash_all.Add(line);
    ++of_file;
    if (last && line_number < last_file.lines) hash_last.Add(line);
    if (++line_number == last_file.lines) last = last && hash_last.Current() == last_file.sha256;
  }
  out.all = all && file == state.files.size();
  out.last = !out.all && last && line_number >= last_file.lines;
  out.skip = out.all ? state.lines : out.last ? last_file.lines : 0;
  return out;
}

}  // namespace ferry::cli
