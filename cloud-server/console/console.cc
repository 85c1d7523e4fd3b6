#include "cloud-server/console/console.h"

#include <string>

namespace ferry::server::console {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view MimeOf(std::string_view path) {
  if (path.ends_with(".html")) return "text/html; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".svg")) return "image/svg+xml";
  if (path.ends_with(".txt")) return "text/plain; charset=utf-8";
  return "application/octet-stream";
}

constexpr Page kPages[] = {
#define FERRY_PAGE(path, ...) {path, MimeOf(path), __VA_ARGS__##sv},
#include "cloud-server/console/pages.gen.inc"
#undef FERRY_PAGE
};

}  // namespace

const Page* ContentOf(std::string_view path) {
  if (path == "/") path = "/index.html";
  for (const Page& page : kPages) {
    if (page.path == path) return &page;
  }
  return nullptr;
}

}  // namespace ferry::server::console
