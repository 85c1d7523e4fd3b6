#include "common/net/io.h"

#include "common/base/log.h"
#include "common/net/io/io_impl.h"

namespace ferry::net {
namespace {

// A handler that throws (out of memory, most likely) costs its connection, not the process.
void RunUntilStopped(asio::io_context& context) {
  for (;;) {
    try {
      context.run();
      return;
    } catch (const std::exception& e) {
      LogError("net", "a handler failed: {}", e.what());
    }
  }
}

}  // namespace

IoThreads::IoThreads(int threads) : impl_(std::make_unique<Impl>()) {
  for (int i = 0; i < threads; ++i) {
    impl_->threads.emplace_back([this] { RunUntilStopped(impl_->context); });
  }
}

IoThreads::~IoThreads() {
  impl_->work.reset();
  impl_->context.stop();
  for (std::thread& thread : impl_->threads) thread.join();
}

void Spawn(const asio::any_io_executor& strand, asio::awaitable<void> coroutine, const char* what) {
  asio::co_spawn(strand, std::move(coroutine), [what](std::exception_ptr error) {
    if (error == nullptr) return;
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      LogError("net", "{}: {}", what, e.what());
    } catch (...) {
      LogError("net", "{}: an unknown exception", what);
    }
  });
}

}  // namespace ferry::net
