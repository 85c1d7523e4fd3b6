#include "cloud-server/admin/http/wire.h"

namespace ferry::server {

bool Wire::Write(std::string_view text) {
  NetError error;
  while (!text.empty() && !error) {
    const asio::const_buffer rest(text.data(), text.size());
    text.remove_prefix(tls_ ? tls_->write_some(rest, error) : socket_.write_some(rest, error));
  }
  return !error;
}

void Wire::WritePlain(std::string_view text) {
  NetError ignored;
  socket_.write_some(asio::buffer(text.data(), text.size()), ignored);
}

void Wire::Shutdown(asio::socket_base::shutdown_type what) {
  NetError ignored;
  lowest_layer().shutdown(what, ignored);
}

}  // namespace ferry::server
