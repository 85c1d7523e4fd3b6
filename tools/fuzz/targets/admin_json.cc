// What operators' programs send: the body of each call of the door, and its path and query.
#include <algorithm>
#include <array>

#include "cloud-server/admin/metrics/metrics.h"
#include "cloud-server/admin/routes.h"
#include "common/base/check.h"
#include "tools/fuzz/server.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kMaxCalls = 8;
constexpr size_t kBodyPieceBytes = 1000;  // of a body that comes in pieces

std::string_view TakeUpTo(std::string_view* text, std::string_view end) {
  const std::string_view taken = text->substr(0, text->find(end));
  text->remove_prefix(std::min(taken.size() + end.size(), text->size()));
  return taken;
}

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
  options.clock = &server.world.clock();
  options.random = &server.world.random();
  options.device_host = "127.0.0.1";
  options.device_port = 7443;
  options.authority_pin = "sha256:00";
  return options;
}

class Door {
 public:
  Door() : options_(OptionsOf(server_)) {
#define FERRY_RESOURCE(name) server::Add_##name(routes_);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
  }

  // An answer is JSON that can be read again, an error has a code.
  void Ask(std::string_view text) {
    const server::HttpRequest request = RequestOf(text);
    server::Call call{options_, request, tries_, refusals_, routes_, metrics_};
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

 private:
  FuzzServer server_;
  server::AdminOptions options_;
  server::Routes routes_;
  server::LoginTries tries_;
  server::Refusals refusals_;
  server::CallMetrics metrics_;
};

// Calls are parted by a line with a dot.
void RunAdminJson(ByteView bytes) {
  Door door;
  std::string_view text = AsText(bytes);
  for (size_t calls = 0; !text.empty() && calls < kMaxCalls; ++calls)
    door.Ask(TakeUpTo(&text, "\n.\n"));
}

std::vector<Bytes> AdminJsonSeeds() {
  constexpr std::string_view kRelease =
      "POST /api/v1/releases\n{\"package\":\"digits\",\"version\":\"1.0.0\",\"rule\":\"os == "
      "\\\"linux\\\"\",\"stages\":[{\"kind\":\"full\",\"min_reports\":1}]}";
  std::vector<Bytes> seeds;
  for (const std::string& text :
       {fmt::format("{}\n.\nPOST /api/v1/releases/digits-1.0.0-1/start\n{{}}\n.\n"
                    "POST /api/v1/releases/digits-1.0.0-1/pause\n{{\"reason\":\"x\"}}",
                    kRelease),
        std::string("POST /api/v1/releases/preview\n{\"package\":\"digits\",\"rule\":\"percent < "
                    "50\",\"salt\":\"s\"}"),
        std::string("GET /api/v1/devices?limit=2&after=d0\n\n.\nGET /api/v1/devices/d1/why\n"),
        std::string("POST /api/v1/join-tokens\n{\"uses\":3,\"valid_ms\":60000}"),
        std::string("POST /api/v1/packages\n{\"targets\":\"e30=\",\"root\":\"\",\"keys\":"
                    "[{\"path\":\"p\",\"enc\":\"AA==\",\"sealed\":\"AA==\"}]}"),
        std::string("PUT /api/v1/labels/test\n{\"rows\":[{\"key\":\"1\",\"label\":\"7\"}]}"),
        std::string("PUT /api/v1/metadata/root\n{\"signed\":{\"type\":\"root\"}}"),
        std::string("POST /api/v1/devices/d1/block\n{\"blocked\":true}\n.\n"
                    "GET /api/v1/streams/digits.window?after=5&limit=10\n"),
        std::string("GET /api/v1/accuracy?set=test&stream=digits.records\n")})
    seeds.push_back(ToBytes(AsBytes(text)));
  return seeds;
}

}  // namespace

const Target kAdminJsonTarget = {"admin_json", RunAdminJson, AdminJsonSeeds};

}  // namespace ferry::fuzz
