#include "tools/ferry/serve/serve.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "common/net/http_head.h"
#include "tools/ferry/serve/http.h"
#include "tools/ferry/signals.h"

namespace ferry::cli {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

// "pair" of "models/pair/" or "models/pair.flm".
std::string NameOf(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  path = path.substr(path.rfind('/') + 1);
  return path.ends_with(".flm") ? path.substr(0, path.size() - 4) : path;
}

}  // namespace

Result<Output> Serve(const ServeOptions& options, bool json) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Signals> signals, Signals::Catch({SIGINT, SIGTERM}));
  ResponderOptions responder_options = options.responder;
  responder_options.local.adapters_by_name = true;
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Responder> responder,
                         MakeResponder(responder_options));
  const std::string host = options.host.value_or(kLoopback);
  ServiceOptions service_options;
  service_options.model = !options.name.empty()           ? options.name
                          : options.responder.split.split ? options.responder.split.package
                                                          : NameOf(options.responder.model.model);
  for (const std::string& adapter : responder->adapters()) {
    if (adapter == service_options.model)
      return Status::Of(Code::kInvalidArgument, "--lora {}: the model is called so; see --name",
                        adapter);
  }
  service_options.chat_max_tokens = options.max_tokens;
  service_options.only_loopback = net::IsLoopback(host);
  service_options.names = options.names;
  service_options.names.push_back(host);
  char machine[HOST_NAME_MAX + 1] = "";
  if (gethostname(machine, HOST_NAME_MAX) == 0 && machine[0] != '\0')
    service_options.names.emplace_back(machine);
  Service service(*responder, service_options);
  FERRY_ASSIGN_OR_RETURN(
      const std::unique_ptr<HttpServer> server,
      HttpServer::Start(
          host, options.port,
          [&service](const HttpCall& call, HttpReply& reply) { service.Handle(call, reply); },
          [](int, const std::string& text) {
            return WriteJson(ErrorOf(Status(Code::kMalformed, text), "").body);
          }));
  if (!service_options.only_loopback)
    std::fprintf(stderr, "warning: %s is no loopback address: whoever reaches it may use it\n",
                 host.c_str());
  const std::string at = host.find(':') == std::string::npos ? host : "[" + host + "]";
  std::fprintf(json ? stderr : stdout, "serving %s on http://%s:%d\n",
               service_options.model.c_str(), at.c_str(), server->port());
  std::fflush(stdout);
  signals->Wait();
  server->Stop(kServeGraceMs);
  Output out;
  out.json() = {{"model", service_options.model},
                {"host", host},
                {"port", server->port()},
                {"stats", responder->Stats()}};
  out.text = "stopped\n";
  return out;
}

}  // namespace ferry::cli
