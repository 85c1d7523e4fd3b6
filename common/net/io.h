// Threads that sockets run on. Shared by any number of clients and servers of a process.
#pragma once

#include <memory>

namespace ferry::net {

// Starts `threads` threads; dropping it stops them. Outlives the clients and servers made with it.
class IoThreads {
 public:
  explicit IoThreads(int threads = 1);
  ~IoThreads();
  struct Impl;  // io_impl.h, for this room only
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::net
