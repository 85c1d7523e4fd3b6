// A running operators' door over a fleet of six devices and one published package, for tests.
#pragma once

#include <httplib.h>

#include <memory>
#include <string>

#include "cloud-server/admin/admin.h"
#include "cloud-server/campaign/campaigns.h"
#include "cloud-server/rollout/test_rollout.h"
#include "common/base/json.h"

namespace ferry::server {

struct AdminFixture : TestFleet {
  AdminFixture() : publisher(*this) {
    EXPECT_TRUE(registry->PutRoot(publisher.RootDocument()).ok());
    publisher.Add("1.0.0", 1, "package one");
    publisher.AddExclusive("1.0.0", "calibration.json", "{}");
    EXPECT_TRUE(registry->Publish(publisher.Make()).ok());
    AddDevice("d1", "high", "1.4.0", {"beta"});
    for (const char* id : {"d2", "d3", "d4", "d5"}) AddDevice(id, "mid", "1.4.0");
    AddDevice("d6", "high", "2.1.0");
    EXPECT_TRUE(store
                    ->Write([](Transaction& tx) -> Status {
                      FERRY_TRY(AsStatus(tx.intake().AddLoss({"d1", "ab", 11, 50, 1})));
                      const int code = static_cast<int>(Code::kMalformed);
                      return AsStatus(tx.intake().AddRefused({"d1", "ab", 9, "s", code, "why", 1}));
                    })
                    .ok());
    Campaigns::Options of_campaigns;
    of_campaigns.store = store.get();
    of_campaigns.rollout = rollout.get();
    of_campaigns.clock = &clock;
    campaigns = std::make_unique<Campaigns>(of_campaigns);
    options.campaigns = campaigns.get();
    options.store = store.get();
    options.blobs = blobs.get();
    options.registry = registry.get();
    options.rollout = rollout.get();
    options.simulator = &simulator;
    options.clock = &clock;
    options.random = &random;
    options.device_host = "127.0.0.1";
    options.device_port = 7443;
    options.authority_pin = "sha256:00";
    options.verify_targets = [] {
      return Json{{"targets", {{{"name", "pair-target"}, {"version", "1.0.0"}}}}};
    };
    options.verify_sessions = [] {
      return Json{{"sessions", {{{"device", "d1"}, {"acceptance", 0.8}}}}};
    };
    server = *AdminServer::Start(options);
    token = *MakeAdminToken(options, "test");
  }
  httplib::Client Client() {
    httplib::Client client("127.0.0.1", server->port());
    client.set_read_timeout(20);
    return client;
  }
  httplib::Headers Bearer() { return {{"Authorization", "Bearer " + token}}; }

  AdminOptions options;
  std::unique_ptr<Campaigns> campaigns;
  TestPublisher publisher;
  std::unique_ptr<AdminServer> server;
  std::string token;
};

inline httplib::Result Send(httplib::Client& client, const std::string& method,
                            const std::string& path, const httplib::Headers& headers,
                            const std::string& body) {
  if (method == "GET") return client.Get(path, headers);
  if (method == "PUT") return client.Put(path, headers, body, "application/json");
  if (method == "DELETE") return client.Delete(path, headers);
  return client.Post(path, headers, body, "application/json");
}

}  // namespace ferry::server
