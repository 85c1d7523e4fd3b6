// TLS contexts of both halves, and how a client judges a server. For this room only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/net/io/stream.h"
#include "common/net/server.h"

namespace ferry::net {

using Context = std::shared_ptr<asio::ssl::context>;

// kInvalidArgument names what is wrong with certificate or key.
Result<Context> MakeServerContext(const ServerOptions& options);

// What a handshake found out about the server; lives as long as the stream.
struct Judgement {
  std::string host;    // must be named by the certificate
  std::string server;  // host and port: whose sessions are kept and offered; "": none are
  std::string why_untrusted;
};
// TLS 1.3 that believes `authorities` only (ClientOptions::authority), and says so to servers.
// kInvalidArgument.
Result<Context> MakeClientContext(const std::vector<std::string>& authorities);
// Makes the handshake on `stream` judge the server for `judgement->host`, asks for `protocol`, and
// offers the newest session of `judgement->server`: that one began with such a judgement.
Status PrepareClient(Stream& stream, Judgement* judgement, const char* protocol);
// TLS 1.2 and later that believes the authorities of the system, which OpenSSL's environment
// variables may name.
Result<Context> MakeWebContext();
// Makes the handshake on `stream` ask for a certificate that names `host`.
Status PrepareWebClient(Stream& stream, const std::string& host);
// The protocol that both agreed on; "" when the client asked for none.
std::string AgreedProtocol(Stream& stream);

}  // namespace ferry::net
