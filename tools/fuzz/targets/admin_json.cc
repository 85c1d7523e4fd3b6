// What operators' programs send: the body of each call of the door, and its path and query.
#include "tools/fuzz/admin_door.h"
#include "tools/fuzz/server.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kMaxCalls = 8;

// Calls are parted by a line with a dot.
void RunAdminJson(ByteView bytes) {
  FuzzServer server;
  AdminDoor door(server);
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
        std::string("GET /api/v1/accuracy?set=test&stream=digits.records\n"),
        std::string("POST /api/v1/groups\n{\"name\":\"g\",\"devices\":[\"d1\"]}\n.\n"
                    "POST /api/v1/groups/g/devices\n{\"add\":[\"d1\"],\"remove\":[\"d2\"]}\n.\n"
                    "GET /api/v1/groups/g?limit=2\n\n.\n"
                    "PUT /api/v1/devices/d1/tags\n{\"tags\":[\"lab\"]}"),
        std::string(
            "POST /api/v1/campaigns\n{\"name\":\"c\",\"rule\":\"os == \\\"linux\\\"\","
            "\"steps\":[{\"package\":\"digits\",\"version\":\"1.0.0\",\"stages\":[{\"kind\":"
            "\"full\"}]}]}\n.\nGET /api/v1/campaigns\n"),
        std::string(
            "POST /api/v1/users\n{\"name\":\"ann\",\"password\":\"a long password\","
            "\"role\":\"operator\"}\n.\nGET /api/v1/users\n\n.\nGET /api/v1/audit?limit=5\n"),
        std::string(
            "POST /api/v1/personal\n{\"package\":\"digits\",\"put\":[{\"device\":\"d1\",\"name\":"
            "\"sums.json\",\"entry\":{},\"enc\":\"AA==\",\"sealed\":\"AA==\"}],\"remove\":[]}"),
        std::string(
            "POST /api/v1/webhooks\n{\"url\":\"https://127.0.0.1/\",\"kinds\":[\"release.stop\"]"
            "}\n.\nGET /api/v1/webhooks\n\n.\nGET /metrics\n\n.\nGET /tuf/metadata/1.root.json\n"),
        fmt::format("{},\n.\nGET /api/v1/releases/digits-1.0.0-1/members\n", kRelease)})
    seeds.push_back(ToBytes(AsBytes(text)));
  return seeds;
}

}  // namespace

const Target kAdminJsonTarget = {"admin_json", RunAdminJson, AdminJsonSeeds};

}  // namespace ferry::fuzz
