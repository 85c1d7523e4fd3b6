// For this room only.
#pragma once

#include <thread>
#include <vector>

#include "common/net/io.h"
#include "common/net/io/asio.h"

namespace ferry::net {

struct IoThreads::Impl {
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  std::vector<std::thread> threads;
};

// Runs `coroutine` on `strand`; what it lets escape is logged under `what`.
void Spawn(const asio::any_io_executor& strand, asio::awaitable<void> coroutine, const char* what);

}  // namespace ferry::net
