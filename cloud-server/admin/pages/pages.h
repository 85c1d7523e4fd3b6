// The console's static pages as browsers get them, and the headers by which browsers keep others
// out.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "cloud-server/admin/http.h"
#include "cloud-server/console/console.h"
#include "common/sys/random.h"

namespace ferry::server {

// Stands in index.html where each answer has a number of its own: styles that a script makes carry
// it, so that the policy lets them in.
inline constexpr std::string_view kNonceMark = "{{nonce}}";

// Stands in index.html where the browser's session goes, as GET /api/v1/session tells it: the page
// has it at once and need not ask.
inline constexpr std::string_view kSessionMark = "{{session}}";

// Scripts, workers and calls of this server alone, nothing inline and nothing evaluated; text
// becomes a script's address only through the Trusted Types policy "ferry".
std::string PagePolicy(std::string_view nonce);

// Whether the name has a hash of the content, as bundlers write it: "app-5XQ2JH7A.js",
// "app.0123abcd.css". Such a file never changes.
bool HasHash(std::string_view path);

// The headers that every answer has, pages' and calls'. `tls`: browsers shall stay with it.
void AddSafety(bool tls, HttpResponse* response);

// Any thread.
class Pages {
 public:
  // `random` is borrowed.
  explicit Pages(sys::Random* random) : random_(random) {}
  // `session` gives the JSON of who is signed in, empty for nobody; asked where a page has room.
  HttpResponse Answer(const HttpRequest& request, const std::function<std::string()>& session);

 private:
  struct Packed {
    std::string etag;  // of the plain bytes, quoted
    std::string gzip;  // empty: no smaller
  };
  const Packed& PackedOf(const console::Page& page);
  HttpResponse Fresh(const console::Page& page, bool gzip, const std::string& session);

  sys::Random* random_;
  std::mutex mutex_;                      // guards the map; what it holds stays
  std::map<std::string, Packed> packed_;  // by path, of the console's pages only
};

}  // namespace ferry::server
