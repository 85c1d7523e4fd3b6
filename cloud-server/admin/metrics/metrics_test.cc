// GET /metrics, read as Prometheus reads it.
#include "cloud-server/admin/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cloud-server/admin/rights/test_rights.h"

namespace ferry::server {
namespace {

// Samples by "name{labels}". Every line must be a sample, or HELP and TYPE of the samples that
// follow, once a name.
std::map<std::string, double> Parsed(const std::string& text) {
  static const std::regex sample(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-z_]+="([^"\\\n]|\\.)*",?)+\})? ([-+0-9.eInf]+))re");
  std::map<std::string, double> samples;
  std::set<std::string> typed;
  std::string name;
  std::istringstream lines(text);
  EXPECT_TRUE(text.ends_with("\n"));
  for (std::string line; std::getline(lines, line);) {
    std::smatch part;
    if (line.starts_with("# TYPE ")) {
      std::istringstream words(line.substr(7));
      std::string type;
      words >> name >> type;
      EXPECT_TRUE(typed.insert(name).second) << name << " twice";
      EXPECT_TRUE(type == "gauge" || type == "counter" || type == "histogram") << line;
    } else if (!line.starts_with("# HELP ")) {
      EXPECT_TRUE(std::regex_match(line, part, sample)) << line;
      EXPECT_TRUE(part[1].str().starts_with(name)) << line << " after the type of " << name;
      EXPECT_TRUE(samples.emplace(part[1].str() + part[2].str(), std::stod(part[5].str())).second)
          << line;
    }
  }
  return samples;
}

TEST(Metrics, AreReadAsPrometheusReadsThem) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  const std::string vera = fixture.TokenOf("vera");
  const Json digits = {{"package", "digits"}, {"version", "1.0.0"}, {"rule", "all"}};
  EXPECT_EQ(fixture.Call(fixture.token, "POST", "/releases", digits).first, 200);
  EXPECT_EQ(fixture.Call(vera, "POST", "/releases", digits).first, 403);
  EXPECT_EQ(fixture.Call(vera, "GET", "/no/such/thing").first, 404);
  httplib::Client client = fixture.Client();
  EXPECT_EQ(client.Get("/metrics")->status, 401);
  const httplib::Result answer = client.Get("/metrics", {{"Authorization", "Bearer " + vera}});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->status, 200) << answer->body;
  EXPECT_THAT(answer->get_header_value("Content-Type"),
              testing::StartsWith("text/plain; version=0.0.4"));
  std::map<std::string, double> found = Parsed(answer->body);
  EXPECT_EQ(found["ferry_devices_known"], 6);
  EXPECT_EQ(found["ferry_releases{state=\"draft\"}"], 1);
  EXPECT_EQ(found["ferry_releases{state=\"full\"}"], 0);
  EXPECT_EQ(found["ferry_records_lost"], 40);
  EXPECT_GT(found["ferry_store_bytes{part=\"database\"}"], 4096);
  EXPECT_GT(found["process_resident_memory_bytes"], 1 << 20);
  EXPECT_GT(found["process_open_fds"], 3);
  const std::string post = "route=\"POST /api/v1/releases\"";
  EXPECT_EQ(found["ferry_admin_calls_total{" + post + ",status=\"200\"}"], 1);
  EXPECT_EQ(found["ferry_admin_calls_total{" + post + ",status=\"403\"}"], 1);
  EXPECT_EQ(found["ferry_admin_calls_total{route=\"unknown\",status=\"404\"}"], 1);
  EXPECT_EQ(found["ferry_admin_call_seconds_bucket{" + post + ",le=\"+Inf\"}"], 2);
  EXPECT_EQ(found["ferry_admin_call_seconds_count{" + post + "}"], 2);
}

TEST(Metrics, AreOpenOnlyWhereTheServerSaysSo) {
  AdminFixture fixture;
  fixture.options.open_metrics = true;
  fixture.options.metrics = [] {
    return std::vector<Metric>{
        {"ferry_x", "of a \\ room\nof its own", true, {{"l", "a\"b\\\n"}}, 2}};
  };
  const auto server = *AdminServer::Start(fixture.options);
  httplib::Client client("127.0.0.1", server->port());
  const httplib::Result answer = client.Get("/metrics");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(Parsed(answer->body)["ferry_x{l=\"a\\\"b\\\\\\n\"}"], 2);
  EXPECT_EQ(client.Get("/api/v1/status")->status, 401);
}

TEST(Metrics, DurationsFallIntoBuckets) {
  CallMetrics calls;
  for (const int64_t ms : {1, 5, 6, 300, 20'000}) calls.Note("GET /x", 200, ms * 1'000'000);
  std::map<std::string, double> found = Parsed(calls.Text());
  const auto up_to = [&](const char* end) {
    return found[std::string("ferry_admin_call_seconds_bucket{route=\"GET /x\",le=\"") + end +
                 "\"}"];
  };
  EXPECT_EQ(up_to("0.005"), 2);
  EXPECT_EQ(up_to("0.01"), 3);
  EXPECT_EQ(up_to("0.25"), 3);
  EXPECT_EQ(up_to("0.5"), 4);
  EXPECT_EQ(up_to("10"), 4);
  EXPECT_EQ(up_to("+Inf"), 5);
  EXPECT_DOUBLE_EQ(found["ferry_admin_call_seconds_sum{route=\"GET /x\"}"], 20.312);
}

}  // namespace
}  // namespace ferry::server
