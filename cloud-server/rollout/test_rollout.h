// A whole server without sockets, for tests of rollout and admin.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/registry/test_publisher.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/simulator.h"
#include "cloud-server/rollout/trial/draft.h"

namespace ferry::server {

// Answers as it is told, without a child process.
class TestSimulator : public Simulator {
 public:
  Result<SimulationOutcome> Run(const SimulationOrder& order) override {
    ++runs;
    orders.push_back(order);
    if (run) return run(order);
    if (failing.contains(order.version))
      return SimulationOutcome{false, failing[order.version], "{}"};
    return SimulationOutcome{true, "3 of 3 cases as expected", "{\"cases\":3,\"failed\":0}"};
  }
  Result<Json> Try(const Draft& draft) override {
    FERRY_TRY(CheckDraft(draft));
    drafts.push_back(draft);
    return Json{{"passed", true}, {"cases", 1}, {"failed", 0}, {"details", Json::array()}};
  }
  Result<std::unique_ptr<sys::ReadableFile>> Make(const Draft&) override {
    return Status(Code::kUnsupported, "this simulator makes no packages");
  }
  std::vector<Draft> drafts;
  std::function<Result<SimulationOutcome>(const SimulationOrder&)> run;  // instead of `failing`
  std::vector<SimulationOrder> orders;
  std::map<std::string, std::string> failing;
  int runs = 0;
};

struct TestFleet : TestServer {
  TestFleet() : bus(MakeInprocBus()) {
    Rollout::Options options;
    options.store = store.get();
    options.registry = registry.get();
    options.bus = bus.get();
    options.clock = &clock;
    options.random = &random;
    options.simulator = &simulator;
    rollout = std::make_unique<Rollout>(options);
  }

  void AddDevice(const std::string& id, const std::string& device_class,
                 const std::string& app_version, std::vector<std::string> tags = {}) {
    DeviceRow device;
    device.id = id;
    device.os = "android";
    device.device_class = device_class;
    device.app_version = app_version;
    device.observes = true;
    device.tags = std::move(tags);
    device.seal_public = ToBytes(crypto::AgreementKey::Generate(random).public_key());
    EXPECT_TRUE(store->Write([&](Transaction& tx) { return tx.devices().Put(device); }).ok());
  }
  // What the device would be told if it asked.
  AssignmentRow AssignmentOf(const std::string& device) {
    AssignmentRow row;
    EXPECT_TRUE(rollout->Epoch(device).ok());
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(row, tx.devices().Assignment(device));
                      return OkStatus();
                    })
                    .ok());
    return row;
  }
  Result<bool> Report(const std::string& device, const std::string& step,
                      const std::string& error = {}) {
    const AssignmentRow assignment = AssignmentOf(device);
    ReportRow report;
    report.device = device;
    report.seq = ++seq[device];
    report.release = assignment.release;
    report.epoch = assignment.counter;
    report.step = step;
    report.error_text = error;
    report.received_ms = clock.now_ms;
    return rollout->OnReport(report);
  }
  // Every device that waits for one answers well.
  void AnswerAll(const std::vector<std::string>& devices) {
    for (const std::string& device : devices) {
      const AssignmentRow row = AssignmentOf(device);
      if (!row.done) {
        EXPECT_TRUE(Report(device, row.action == "rollback" ? "rolled_back" : "healthy").ok());
      }
    }
  }

  std::unique_ptr<Bus> bus;
  TestSimulator simulator;
  std::unique_ptr<Rollout> rollout;
  std::map<std::string, uint64_t> seq;
};

}  // namespace ferry::server
