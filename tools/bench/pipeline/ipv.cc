// tasks/ipv on generated events: what its features weigh beside the events themselves, as JSON and
// as the tunnel sends them, and how many events a second its streams and rules take.
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/proto/wire.pb.h"
#include "common/sys/random.h"
#include "pipeline/event/event.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"
#include "pipeline/table/rows.h"
#include "pipeline/tunnel/client.h"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

constexpr char kIpvFolder[] = "tasks/ipv/";
constexpr double kLeastSaving = 10;  // times fewer bytes than raw upload
constexpr double kMostFeatureBytes = 128;
constexpr char kGenerate[] = "python3 -B tasks/ipv/generate.py events --seed 5 --sessions 300";

Result<std::vector<std::string>> GeneratedLines() {
  std::FILE* const pipe = ::popen(kGenerate, "r");
  if (pipe == nullptr) return Status::Of(Code::kIo, "{} does not start", kGenerate);
  std::string text;
  char piece[1 << 16];
  while (const size_t got = std::fread(piece, 1, sizeof(piece), pipe)) text.append(piece, got);
  if (::pclose(pipe) != 0)
    return Status::Of(Code::kIo, "{} failed: run it from the top folder", kGenerate);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Result<std::string> ReadIpvFile(const std::string& name) {
  std::ifstream in(kIpvFolder + name, std::ios::binary);
  if (!in) return Status::Of(Code::kNotFound, "no {}{}", kIpvFolder, name);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// The task's streams and rules over tables in memory.
struct IpvFlow {
  std::unique_ptr<store::Outbox> outbox;
  std::unique_ptr<flow::Flow> flow;

  static Result<IpvFlow> Make() {
    IpvFlow out;
    FERRY_ASSIGN_OR_RETURN(out.outbox, store::OpenOutbox(":memory:", sys::SystemRandom()));
    FERRY_ASSIGN_OR_RETURN(const std::string text, ReadIpvFile("task.json"));
    FERRY_ASSIGN_OR_RETURN(const Json task, ParseJson(text));
    FERRY_ASSIGN_OR_RETURN(flow::Definition definition, flow::DefinitionFromJson(task));
    out.flow = std::make_unique<flow::Flow>(flow::FlowOptions{.tables = &out.outbox->tables()});
    auto shared = std::make_shared<const flow::Definition>(std::move(definition));
    FERRY_TRY(out.flow->Use("ipv", shared));
    for (const table::Definition& table : shared->tables) {
      if (table.rows.empty()) continue;
      FERRY_ASSIGN_OR_RETURN(const std::string file, ReadIpvFile(table.rows));
      FERRY_ASSIGN_OR_RETURN(const auto rows, table::ReadRows(table, table.rows, file));
      FERRY_TRY(out.outbox->tables().Fill(table.name, "ipv", "1", rows, 0));
    }
    return out;
  }
};

// What the tunnel sends for these records when all of them wait.
Result<double> BytesOfTunnel(const std::vector<store::Record>& records) {
  FERRY_ASSIGN_OR_RETURN(const auto outbox, store::OpenOutbox(":memory:", sys::SystemRandom()));
  FERRY_TRY(outbox->Append(records));
  tunnel::Client client(*outbox, {.max_in_flight = records.size() + 1});
  client.OnConnected();
  double bytes = 0;
  while (true) {
    proto::TunnelBatch batch;
    FERRY_ASSIGN_OR_RETURN(const bool more, client.NextBatch(0, &batch));
    if (!more) return bytes;
    bytes += static_cast<double>(batch.ByteSizeLong());
  }
}

struct IpvRound {
  std::vector<store::Record> features;
  double most_bytes = 0, json_bytes = 0, seconds = 0;
};

Result<IpvRound> RunIpv(const std::vector<std::shared_ptr<const event::Event>>& events) {
  FERRY_ASSIGN_OR_RETURN(IpvFlow ipv, IpvFlow::Make());
  IpvRound out;
  flow::Effects effects;
  int64_t latest_ms = 0;
  const double start = ProcessorSeconds();
  for (const auto& event : events) {
    latest_ms = std::max(latest_ms, event->time_ms);
    effects.Clear();
    ipv.flow->OnEvent(event, latest_ms, 0, &effects);
    FERRY_TRY(effects.error);
    for (const flow::LeavingRow& row : effects.rows) {
      const graph::Output& output = row.output;
      out.features.push_back({output.stream, output.row.time_ms, WriteJson(output.row.fields)});
    }
  }
  out.seconds = ProcessorSeconds() - start;
  for (const store::Record& record : out.features) {
    const auto bytes = static_cast<double>(record.json.size());
    out.most_bytes = std::max(out.most_bytes, bytes);
    out.json_bytes += bytes;
  }
  return out;
}

}  // namespace

Status MeasureIpv(const Options& options, std::vector<Figure>* out) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> lines, GeneratedLines());
  std::vector<std::shared_ptr<const event::Event>> events;
  std::vector<store::Record> raw;
  double raw_bytes = 0;
  for (const std::string& line : lines) {
    FERRY_ASSIGN_OR_RETURN(event::Event event, event::ParseEvent(line));
    raw.push_back({"events", event.time_ms, line});
    raw_bytes += static_cast<double>(line.size());
    events.push_back(std::make_shared<const event::Event>(std::move(event)));
  }
  std::vector<double> rates;
  IpvRound round;
  for (int k = 0; k < options.rounds; ++k) {
    FERRY_ASSIGN_OR_RETURN(round, RunIpv(events));
    rates.push_back(static_cast<double>(events.size()) / round.seconds);
  }
  FERRY_ASSIGN_OR_RETURN(const double raw_sent, BytesOfTunnel(raw));
  FERRY_ASSIGN_OR_RETURN(const double sent, BytesOfTunnel(round.features));
  const auto visits = static_cast<double>(round.features.size());
  out->push_back({"ipv: events of a visit", static_cast<double>(events.size()) / visits, "events"});
  out->push_back({"ipv: raw events of a visit", raw_bytes / visits, "bytes"});
  out->push_back({"ipv: features of a visit", round.json_bytes / visits, "bytes"});
  out->push_back(
      {"ipv: features of a visit, at most", round.most_bytes, "bytes", kMostFeatureBytes, true});
  out->push_back({"ipv: raw / features", raw_bytes / round.json_bytes, "times", kLeastSaving});
  out->push_back(
      {"ipv: raw / features through the tunnel, zstd", raw_sent / sent, "times", kLeastSaving});
  out->push_back({"ipv: events a second", MedianOf(rates), "events/s"});
  return OkStatus();
}

}  // namespace ferry::bench
