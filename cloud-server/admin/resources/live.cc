// Server-sent events (WHATWG HTML, section 9.2).
#include "cloud-server/admin/live/hub.h"

#include "cloud-server/admin/routes.h"

namespace ferry::server {

void Add_live(Routes& routes) {
  // Made by the first call, which names what the server has.
  struct Made {
    std::once_flag once;
    std::unique_ptr<LiveHub> hub;
  };
  auto made = std::make_shared<Made>();
  routes.AddRaw("GET", "/api/v1/live", [made](const Call& call) {
    std::call_once(made->once, [&] { made->hub = std::make_unique<LiveHub>(call.admin); });
    return made->hub->Open(call.http, call.who);
  });
}

}  // namespace ferry::server
