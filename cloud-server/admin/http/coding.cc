#include "cloud-server/admin/http/coding.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <functional>

namespace ferry::server {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, in gzip's frame

std::string_view Stripped(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `item` for each member of a list with commas; true from it ends the walk, and is returned.
bool AnyOf(std::string_view list, const std::function<bool(std::string_view)>& item) {
  while (!list.empty()) {
    const size_t end = list.find(',');
    if (item(Stripped(list.substr(0, end)))) return true;
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// "q=0" and "q=0.000" mean: not this one.
bool IsRefused(std::string_view parameters) {
  const size_t q = parameters.find("q=");
  if (q == std::string_view::npos) return false;
  const std::string_view value = Stripped(parameters.substr(q + 2));
  return !value.empty() && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool TakesGzip(std::string_view accept_encoding) {
  bool named = false, taken = false;
  AnyOf(accept_encoding, [&](std::string_view item) {
    const size_t semicolon = item.find(';');
    const std::string_view name = Stripped(item.substr(0, semicolon));
    const bool refused =
        semicolon != std::string_view::npos && IsRefused(item.substr(semicolon + 1));
    const bool is_gzip = SameName(name, "gzip") || SameName(name, "x-gzip");
    if (is_gzip || (name == "*" && !named)) taken = !refused;
    named = named || is_gzip;
    return false;
  });
  return taken;
}

bool NamesEtag(std::string_view if_none_match, std::string_view etag) {
  return AnyOf(if_none_match, [&](std::string_view item) {
    if (item.starts_with("W/")) item.remove_prefix(2);
    return item == "*" || item == etag;
  });
}

Result<std::string> Gzip(std::string_view text, bool fast) {
  z_stream stream{};
  if (deflateInit2(&stream, fast ? Z_BEST_SPEED : Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow,
                   MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    return Status(Code::kOutOfMemory, "gzip: no memory");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) return Status(Code::kInternal, "gzip: the frame did not end");
  return packed;
}

}  // namespace ferry::server
