#include "common/net/http_head.h"

#include <algorithm>

#include "common/base/check.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// The line up to the next "\n", taken off `text`.
std::string_view TakeLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

// Three lines: target, Host and Origin.
void RunHttpHead(ByteView bytes) {
  std::string_view text = AsText(bytes);
  const std::string_view target = TakeLine(&text), host = TakeLine(&text), origin = TakeLine(&text);
  std::string path;
  std::map<std::string, std::string> query;
  net::SplitTarget(target, &path, &query);
  size_t decoded = path.size();
  for (const auto& [key, value] : query) decoded += key.size() + value.size();
  CHECK(decoded <= target.size());
  CHECK(path.find('?') == std::string::npos || target.find('%') != std::string_view::npos);

  const std::vector<std::string> names = {"ferry.example"};
  const bool own = net::IsOwnHost(host, names);
  CHECK(own || !net::IsOwnHost(host, {})) << "a name more lets nobody out";
  if (net::IsOwnOrigin(origin, host)) CHECK(origin.size() > host.size());
  CHECK(net::IsOwnOrigin("https://" + std::string(host), host));
}

std::vector<Bytes> HttpHeadSeeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view head :
       {"/v1/devices?limit=20&after=a%2Fb+c#top\nferry.example:8443\nhttps://ferry.example:8443",
        "/\n[::1]:8080\nhttp://[::1]:8080", "/a%zz%4?&=x&y\nlocalhost\nnull",
        "*\n127.0.0.1:80\nHTTP://127.0.0.1:80"}) {
    seeds.push_back(ToBytes(AsBytes(head)));
  }
  return seeds;
}

}  // namespace

const Target kHttpHeadTarget = {"http_head", RunHttpHead, HttpHeadSeeds};

}  // namespace ferry::fuzz
