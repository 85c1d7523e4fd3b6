// ferry-lists: asks a server's admin door for lists over connections that stay open. First as fast
// as answers come, then at a fixed rate whose latency counts from when a request was due, so that a
// slow answer also counts for those that it held up.
#include <httplib.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "common/base/json.h"

namespace ferry::lists {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string host = "127.0.0.1";
  int port = 0;
  std::string token;
  int connections = 8;
  double seconds = 10;
  double rate = 500;               // requests a second of the second part
  std::vector<std::string> paths;  // asked in turn
};

struct Count {
  std::vector<double> ms;
  int64_t bytes = 0;
  int64_t failed = 0;
};

// One connection: request k of this thread is due at begun + k * every; at once where it is zero.
Count Ask(const Options& options, int thread, Clock::duration every) {
  httplib::Client client(options.host, options.port);
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  const httplib::Headers headers = {{"Authorization", "Bearer " + options.token}};
  Count count;
  const auto begun = Clock::now() + every * thread / options.connections;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.seconds));
  for (int64_t k = 0; Clock::now() < end; ++k) {
    const auto due = every.count() == 0 ? Clock::now() : begun + every * k;
    std::this_thread::sleep_until(due);
    const size_t path = (static_cast<size_t>(k) * static_cast<size_t>(options.connections) +
                         static_cast<size_t>(thread)) %
                        options.paths.size();
    const auto answer = client.Get(options.paths[path], headers);
    if (!answer || answer->status != 200) {
      ++count.failed;
      continue;
    }
    count.bytes += static_cast<int64_t>(answer->body.size());
    count.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due).count());
  }
  return count;
}

Json Measure(const Options& options, double rate) {
  const auto every = rate == 0 ? Clock::duration::zero()
                               : std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(options.connections / rate));
  const auto begun = Clock::now();
  std::vector<Count> counts(static_cast<size_t>(options.connections));
  std::vector<std::thread> threads;
  for (int i = 0; i < options.connections; ++i)
    threads.emplace_back([&, i] { counts[static_cast<size_t>(i)] = Ask(options, i, every); });
  for (std::thread& thread : threads) thread.join();
  const double took = std::chrono::duration<double>(Clock::now() - begun).count();
  Count all;
  for (const Count& one : counts) {
    all.ms.insert(all.ms.end(), one.ms.begin(), one.ms.end());
    all.bytes += one.bytes;
    all.failed += one.failed;
  }
  std::sort(all.ms.begin(), all.ms.end());
  const auto at = [&](double share) {
    if (all.ms.empty()) return 0.0;
    return all.ms[std::min(all.ms.size() - 1,
                           static_cast<size_t>(share * static_cast<double>(all.ms.size())))];
  };
  return {{"requests", all.ms.size()},
          {"failed", all.failed},
          {"rps", static_cast<double>(all.ms.size()) / took},
          {"p50_ms", at(0.5)},
          {"p95_ms", at(0.95)},
          {"p99_ms", at(0.99)},
          {"bytes", all.ms.empty() ? 0 : all.bytes / static_cast<int64_t>(all.ms.size())}};
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app{"Asks a server for lists, as fast as it answers and then at a fixed rate"};
  app.add_option("--port", options.port, "The admin port on this machine")->required();
  app.add_option("--token", options.token, "A bearer token")->required();
  app.add_option("--connections", options.connections)->check(CLI::Range(1, 256));
  app.add_option("--seconds", options.seconds, "Of each part")->check(CLI::Range(0.1, 600.0));
  app.add_option("--rate", options.rate, "Requests a second of the second part")
      ->check(CLI::Range(1.0, 1e6));
  CLI11_PARSE(app, argc, argv);
  for (std::string line; std::getline(std::cin, line);)
    if (!line.empty()) options.paths.push_back(line);
  if (options.paths.empty()) {
    std::fprintf(stderr, "ferry-lists: no path on standard input\n");
    return 2;
  }
  const Json json = {{"most", Measure(options, 0)}, {"steady", Measure(options, options.rate)}};
  std::printf("%s\n", WriteJson(json).c_str());
  return 0;
}

}  // namespace
}  // namespace ferry::lists

int main(int argc, char** argv) {
  return ferry::lists::Main(argc, argv);
}
