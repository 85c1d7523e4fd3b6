// A connected socket with time limits, in the shape that Boost.Asio calls a synchronous stream.
#pragma once

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::cli {

// Owns the descriptor. One thread reads and writes; PeerLeft and Shutdown are for any thread.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // For Beast: at least one byte, or an error (end of file, timed out).
  template <typename Buffers>
  size_t read_some(const Buffers& buffers, boost::system::error_code& error) {
    const boost::asio::mutable_buffer first = FirstOf(buffers);
    return Read(first.data(), first.size(), error);
  }
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    boost::system::error_code error;
    const size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }
  // Reads end with a time-out `ms` from now, however much comes until then.
  void LimitReads(int ms) {
    reads_end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  }
  // Waits at most `timeout_ms` for something to read; false: nothing came.
  bool WaitReadable(int timeout_ms) const;
  // All of it; false on an error or when the peer does not take it in time.
  bool Write(std::string_view bytes);
  // The peer has closed its end.
  bool PeerLeft() const;
  // The peer has all that it gets; it may still send.
  void EndWriting();
  // Ends both ways; whoever waits in a read or write goes on with an error.
  void Shutdown();

 private:
  template <typename Buffers>
  static boost::asio::mutable_buffer FirstOf(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers); ++at) {
      const boost::asio::mutable_buffer buffer(*at);
      if (buffer.size() > 0) return buffer;
    }
    return {};
  }
  size_t Read(void* data, size_t size, boost::system::error_code& error);

  const int descriptor_;
  std::chrono::steady_clock::time_point reads_end_ = std::chrono::steady_clock::time_point::max();
};

// The address of the other end, in its one written form; empty: it has gone.
std::string PeerAddress(int descriptor);

// A listening socket on the first address of `host` that can be had; kUnavailable. `bound` becomes
// its port.
Result<int> ListenOn(const std::string& host, uint16_t port, uint16_t* bound);

}  // namespace ferry::cli
