#include "pipeline/log/log.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include "pipeline/sqlite/sqlite.h"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

// Commits of so many events, and how many of them a round has.
struct Size {
  size_t events, commits;
};
constexpr Size kSizes[] = {{1, 25}, {50, 25}, {256, 25}};

// What the kernel counts for this process: bytes given to write, and bytes of dirtied pages.
struct Io {
  double given = 0, blocks = 0;
};

Io ReadIo() {
  std::ifstream file("/proc/self/io");
  Io io;
  std::string name;
  for (double value = 0; file >> name >> value;) {
    if (name == "wchar:") io.given = value;
    if (name == "write_bytes:") io.blocks = value;
  }
  return io;
}

// A shopping app's events, 153 bytes of JSON in the mean.
std::vector<event::Event> LogEvents(size_t count) {
  const char* const ids[] = {"expose", "expose", "expose", "click", "scroll", "page_enter"};
  sys::SeededRandom random(5);
  std::vector<event::Event> events(count);
  int64_t time_ms = 1'700'000'000'000;
  for (size_t k = 0; k < count; ++k) {
    event::Event& event = events[k];
    time_ms += static_cast<int64_t>(random.Below(400));
    event.id = ids[random.Below(std::size(ids))];
    event.page = "shop/item/" + std::to_string(k / 40 % 30);
    event.time_ms = time_ms;
    event.data = {{"item", "item-" + std::to_string(100'000 + random.Below(20'000))},
                  {"position", random.Below(40)},
                  {"new", random.Below(4) == 0},
                  {"price", static_cast<double>(random.Below(20'000)) / 100},
                  {"session", fmt::format("s{:08x}", 0x9e3779b9u * (k / 200 + 1))}};
  }
  return events;
}

// Seconds of the clock and of the processor, and what went to the disk, of one round.
struct Round {
  double seconds = 0, processor = 0;
  Io io;
};

template <typename Body>
Result<Round> Time(Body body) {
  Round round;
  const Io io = ReadIo();
  const double processor = ProcessorSeconds();
  const auto start = std::chrono::steady_clock::now();
  FERRY_TRY(body());
  round.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  round.processor = ProcessorSeconds() - processor;
  const Io after = ReadIo();
  round.io = {after.given - io.given, after.blocks - io.blocks};
  return round;
}

Result<Round> RunLog(log::Log& log, const std::vector<event::Event>& events, const Size& size) {
  return Time([&]() -> Status {
    for (size_t k = 0; k < size.events * size.commits; ++k) {
      const event::Event& event = events[k];
      FERRY_ASSIGN_OR_RETURN(const uint64_t number, log.Append(event, event.time_ms + 15));
      if ((k + 1) % size.events == 0) FERRY_TRY(log.WaitDurable(number));
    }
    return OkStatus();
  });
}

Result<Round> RunSqlite(sqlite3* db, const std::vector<std::string>& texts, const Size& size) {
  sqlite::Statement insert;
  FERRY_TRY(insert.Prepare(db, "INSERT INTO event(json) VALUES (?)"));
  return Time([&]() -> Status {
    size_t k = 0;
    for (size_t commit = 0; commit < size.commits; ++commit)
      FERRY_TRY(sqlite::Transact(db, [&]() -> Status {
        for (size_t end = k + size.events; k < end; ++k) {
          insert.Bind(1, texts[k]);
          FERRY_TRY(insert.Run());
        }
        return OkStatus();
      }));
    return OkStatus();
  });
}

// The figures of one size, each the median over rounds.
struct Sample {
  std::map<std::string, std::vector<double>> values;
  void Add(const std::string& name, double value) { values[name].push_back(value); }
  double Median(const std::string& name) { return MedianOf(values[name]); }
};

void Tell(const Size& size, Sample* sample, std::vector<Figure>* out) {
  const std::string with = fmt::format("log, {} a commit: ", size.events);
  const bool judged = size.events == 256;
  const auto add = [&](const char* name, const char* unit, double floor = 0, bool at_most = false,
                       double aim = 0) {
    out->push_back(
        {with + name, sample->Median(name), unit, judged ? floor : 0, at_most, judged ? aim : 0});
  };
  add("durable events", "1/s");
  add("beside SQLite WAL FULL", "x", 1);
  add("processor time", "us/event");
  add("SQLite's processor time", "us/event");
  add("encoded", "B/event", 0, false, 12);
  add("block writes a byte of JSON", "B/B", 1.3, true);
  add("SQLite's block writes a byte of JSON", "B/B");
  add("given to write a byte encoded", "B/B", 1.3, true);
  add("block writes a byte encoded", "B/B");
}

Status MeasureSize(const Size& size, log::Log& log, sqlite3* db,
                   const std::vector<event::Event>& events, const std::vector<std::string>& texts,
                   int rounds, std::vector<Figure>* out) {
  const auto count = static_cast<double>(size.events * size.commits);
  double json = 0;
  for (size_t k = 0; k < size.events * size.commits; ++k)
    json += static_cast<double>(texts[k].size());
  Sample sample;
  for (int round = -1; round < rounds; ++round) {
    const auto encoded = static_cast<double>(log.stats().encoded_bytes);
    FERRY_ASSIGN_OR_RETURN(const Round ours, RunLog(log, events, size));
    const double made = static_cast<double>(log.stats().encoded_bytes) - encoded;
    FERRY_ASSIGN_OR_RETURN(const Round theirs, RunSqlite(db, texts, size));
    if (round < 0) continue;  // warms up
    sample.Add("durable events", count / ours.seconds);
    sample.Add("beside SQLite WAL FULL", theirs.seconds / ours.seconds);
    sample.Add("processor time", ours.processor / count * 1e6);
    sample.Add("SQLite's processor time", theirs.processor / count * 1e6);
    sample.Add("encoded", made / count);
    sample.Add("block writes a byte of JSON", ours.io.blocks / json);
    sample.Add("SQLite's block writes a byte of JSON", theirs.io.blocks / json);
    sample.Add("given to write a byte encoded", ours.io.given / made);
    sample.Add("block writes a byte encoded", ours.io.blocks / made);
  }
  Tell(size, &sample, out);
  return OkStatus();
}

Status MeasureIn(const std::string& folder, int rounds, std::vector<Figure>* out) {
  size_t most = 0;
  for (const Size& size : kSizes) most = std::max(most, size.events * size.commits);
  const std::vector<event::Event> events = LogEvents(most);
  std::vector<std::string> texts;
  double bytes = 0;
  for (const event::Event& event : events) {
    texts.push_back(WriteJson(event::EventToJson(event)));
    bytes += static_cast<double>(texts.back().size());
  }
  out->push_back({"log: an event's JSON", bytes / static_cast<double>(most), "B"});
  FERRY_ASSIGN_OR_RETURN(const auto log,
                         log::Log::Open(sys::SystemFileSystem(), sys::SystemClock(),
                                        sys::SystemRandom(), {.directory = folder + "/log"}));
  sqlite3* db = nullptr;
  FERRY_TRY(sqlite::OpenPrivate(folder + "/events.db", &db));
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> closes(db, sqlite3_close_v2);
  FERRY_TRY(sqlite::Execute(db,
                            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                            "CREATE TABLE event(number INTEGER PRIMARY KEY, json TEXT NOT NULL)"));
  for (const Size& size : kSizes)
    FERRY_TRY(MeasureSize(size, *log, db, events, texts, rounds, out));
  return OkStatus();
}

}  // namespace

Status MeasureLog(const Options& options, std::vector<Figure>* out) {
  // In the working directory, for /tmp may be memory.
  const std::string folder = "ferry-log-bench-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const Status status = MeasureIn(folder, options.rounds, out);
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  return status;
}

}  // namespace ferry::bench
