#include "tools/bench/lines/handshakes.h"

#include <chrono>
#include <ctime>
#include <future>
#include <thread>

namespace ferry::lines {
namespace {

using OneChannel = std::unique_ptr<sys::FrameChannel>;

// The first line stays open for so long: the server's ticket comes shortly after the handshake.
constexpr auto kTicketWait = std::chrono::milliseconds(500);

// On its executor.
struct Client {
  std::unique_ptr<sys::Dialer> dialer;
  OneChannel held;
};

Status DialOnce(sys::Executor& executor, Client& client, const sys::Endpoint& to, bool hold) {
  std::promise<Status> done;
  executor.Post([&] {
    client.dialer->Dial(to, [&client, &done, hold](Result<OneChannel> dialled) {
      const Status status = dialled.status();
      if (status.ok() && hold) {
        client.held = std::move(*dialled);
        client.held->Start({});
      }
      done.set_value(status);
    });
  });
  return done.get_future().get();
}

}  // namespace

Result<HandshakeFigures> MeasureHandshakes(const trust::JoinToken& token, int64_t count,
                                           bool resume) {
  net::IoThreads io;
  const auto executor = sys::StartThreadExecutor("handshakes");
  net::ClientOptions options;
  options.authority = token.authority;
  options.resume = resume;
  Client client;
  FERRY_ASSIGN_OR_RETURN(client.dialer, net::MakeTlsDialer(io, *executor, options));
  const sys::Endpoint to{token.host, token.port};
  FERRY_TRY(DialOnce(*executor, client, to, true));
  std::this_thread::sleep_for(kTicketWait);
  const auto begun = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  Status status;
  for (int64_t i = 0; status.ok() && i < count; ++i) {
    status = DialOnce(*executor, client, to, false);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const double cpu_us = 1e6 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  std::promise<void> gone;
  executor->Post([&] {
    client.held.reset();
    client.dialer.reset();
    gone.set_value();
  });
  gone.get_future().wait();
  FERRY_TRY(status);
  return HandshakeFigures{count, static_cast<double>(count) / seconds,
                          cpu_us / static_cast<double>(count)};
}

}  // namespace ferry::lines
