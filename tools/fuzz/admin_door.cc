#include "tools/fuzz/admin_door.h"

#include <algorithm>
#include <map>

#include "common/base/check.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kBodyPieceBytes = 1000;  // of a body that comes in pieces

std::map<std::string, std::string> QueryOf(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    std::string_view pair = TakeUpTo(&text, "&");
    const std::string key(TakeUpTo(&pair, "="));
    query[key] = pair;
  }
  return query;
}

// "METHOD path?query", a line's end, the body.
server::HttpRequest RequestOf(std::string_view text) {
  server::HttpRequest request;
  std::string_view head = TakeUpTo(&text, "\n");
  request.method = TakeUpTo(&head, " ");
  request.path = TakeUpTo(&head, "?");
  request.query = QueryOf(head);
  request.peer = "127.0.0.1";
  request.body_bytes = text.size();
  request.read_body = [text](const std::function<Status(ByteView)>& sink) -> Status {
    for (size_t at = 0; at < text.size(); at += kBodyPieceBytes)
      FERRY_TRY(sink(AsBytes(text.substr(at, kBodyPieceBytes))));
    return OkStatus();
  };
  return request;
}

server::AdminOptions OptionsOf(FuzzServer& server) {
  server::AdminOptions options;
  options.store = server.store.get();
  options.blobs = server.blobs.get();
  options.registry = server.registry.get();
  options.rollout = server.rollout.get();
  options.campaigns = server.campaigns.get();
  options.clock = &server.world.clock();
  options.random = &server.world.random();
  options.device_host = "127.0.0.1";
  options.device_port = 7443;
  options.authority_pin = "sha256:00";
  return options;
}

}  // namespace

std::string_view TakeUpTo(std::string_view* text, std::string_view end) {
  const std::string_view taken = text->substr(0, text->find(end));
  text->remove_prefix(std::min(taken.size() + end.size(), text->size()));
  return taken;
}

AdminDoor::AdminDoor(FuzzServer& server)
    : options_(OptionsOf(server)),
      fleet_(options_.store),
      have_({&fleet_, options_.rollout, options_.clock, &server.content_secret}) {
#define FERRY_RESOURCE(name) server::Add_##name(routes_);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
  server::Add_campaigns(routes_);
}

void AdminDoor::Ask(std::string_view text) {
  const server::HttpRequest request = RequestOf(text);
  server::Call call{options_, request, tries_, refusals_, routes_, metrics_, fleet_, &have_};
  call.by = "fuzz";
  const auto route = routes_.Find(request.method, request.path, &call.arguments);
  if (!route.ok()) return;
  if ((*route)->raw) {
    const server::HttpResponse response = (*route)->raw(call);
    CHECK(response.status >= 200 && response.status < 600);
    return;
  }
  std::string body;
  CHECK(request
            .read_body([&](ByteView piece) {
              body.append(AsText(piece));
              return OkStatus();
            })
            .ok());
  if (!body.empty()) {
    auto json = ParseJson(body);
    if (!json.ok() || !json->is_object()) return;
    call.body = std::move(*json);
  }
  const auto answer = (*route)->json(call);
  if (answer.ok()) {
    CHECK(ParseJson(WriteJson(*answer)).ok());
  } else {
    CHECK(answer.code() != Code::kOk && answer.code() != Code::kInternal)
        << answer.status().ToString();
  }
}

}  // namespace ferry::fuzz
