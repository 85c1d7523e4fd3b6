#include "cloud-server/admin/routes.h"

#include <charconv>

namespace ferry::server {
namespace {

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    if (path.front() == '/') path.remove_prefix(1);
    const size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return parts;
}

bool Fits(const Route& route, const std::vector<std::string_view>& path,
          std::vector<std::string>* arguments) {
  const std::vector<std::string_view> pattern = Split(route.pattern);
  const bool takes_rest = route.rest && path.size() > pattern.size();
  if (pattern.size() != path.size() && !takes_rest) return false;
  arguments->clear();
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_argument = pattern[i].starts_with("{");
    if (!is_argument && pattern[i] != path[i]) return false;
    if (is_argument && path[i].empty()) return false;
    if (is_argument) arguments->emplace_back(path[i]);
  }
  for (size_t i = pattern.size(); i < path.size(); ++i)
    arguments->back().append("/").append(path[i]);
  return true;
}

}  // namespace

std::string Call::Query(const std::string& key, std::string fallback) const {
  auto found = http.query.find(key);
  return found == http.query.end() ? std::move(fallback) : found->second;
}

Result<int64_t> Call::QueryInt(const std::string& key, int64_t fallback) const {
  auto found = http.query.find(key);
  if (found == http.query.end()) return fallback;
  int64_t value = 0;
  const std::string& text = found->second;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return Status::Of(Code::kInvalidArgument, "?{}={}: not a number from 0", key,
                      text.substr(0, 40));
  return value;
}

void Routes::Put(Route route) {
  route.right = RightOfRoute(route.method, route.pattern);
  routes_.push_back(std::move(route));
}

void Routes::Add(std::string method, std::string pattern, JsonHandler handler) {
  Put({std::move(method), std::move(pattern), std::move(handler), nullptr, false});
}

void Routes::AddOpen(std::string method, std::string pattern, JsonHandler handler) {
  Put({std::move(method), std::move(pattern), std::move(handler), nullptr, true});
}

void Routes::AddRaw(std::string method, std::string pattern, RawHandler handler) {
  Put({std::move(method), std::move(pattern), nullptr, std::move(handler), false});
}

void Routes::AddOpenRaw(std::string method, std::string pattern, RawHandler handler) {
  routes_.push_back({std::move(method), std::move(pattern), nullptr, std::move(handler), true});
}

void Routes::TakesRest(const std::string& pattern) {
  for (Route& route : routes_)
    if (route.pattern == pattern) route.rest = true;
}

void Routes::Edits(const std::string& pattern, const JsonHandler& thing) {
  for (Route& route : routes_)
    if (route.pattern == pattern) route.thing = thing;
}

Result<const Route*> Routes::Find(const std::string& method, const std::string& path,
                                  std::vector<std::string>* arguments) const {
  const std::vector<std::string_view> parts = Split(path);
  const Route* found = nullptr;
  bool other_method = false;
  std::vector<std::string> fits;
  for (const Route& route : routes_) {
    if (!Fits(route, parts, &fits)) continue;
    other_method = true;
    // "/devices/facets" is no device of that name.
    if (route.method != method || (found != nullptr && fits.size() >= arguments->size())) continue;
    found = &route;
    *arguments = fits;
  }
  if (found != nullptr) return found;
  if (other_method) return Status::Of(Code::kUnsupported, "{} does not take {}", path, method);
  return Status::Of(Code::kNotFound, "there is no {}", path.substr(0, 200));
}

}  // namespace ferry::server
