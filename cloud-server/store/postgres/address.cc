#include "cloud-server/store/postgres/address.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace ferry::server {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// How many bytes of one character stand at the start of `text`; 0: no character does.
size_t CharacterSize(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = at(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  // Longer forms than needed, halves of pairs, and what is beyond the last character.
  if (first == 0xE0 && at(1) < 0xA0) return 0;
  if (first == 0xED && at(1) > 0x9F) return 0;
  if (first == 0xF0 && at(1) < 0x90) return 0;
  if (first == 0xF4 && at(1) > 0x8F) return 0;
  return size;
}

// Takes what stands before the next comma.
std::string_view NextOf(std::string_view& list) {
  const size_t end = std::min(list.find(','), list.size());
  const std::string_view next = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return next;
}

// "one,two" and "1,2" as "one:1,two:2"; a port alone is that of all hosts.
std::string WithPorts(std::string_view hosts, std::string_view ports) {
  const bool one_port = ports.find(',') == ports.npos;
  std::string all;
  const auto count = std::count(hosts.begin(), hosts.end(), ',');
  for (auto i = 0; i <= count; ++i) {
    if (i > 0) all += ',';
    all += NextOf(hosts);
    const std::string_view port = one_port ? ports : NextOf(ports);
    if (!port.empty()) all += fmt::format(":{}", port);
  }
  return all;
}

}  // namespace

bool IsPostgresAddress(std::string_view place) {
  return place.starts_with("postgres://") || place.starts_with("postgresql://");
}

Result<std::string> ShownAddress(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  if (!IsPostgresAddress(url) || options == nullptr)
    return Status(Code::kInvalidArgument,
                  "the store's address is none of PostgreSQL: "
                  "postgres://user:password@host:port/database");
  std::string user, hosts, ports, name;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "user") user = std::string(option->val) + "@";
    if (keyword == "host") hosts = option->val;
    if (keyword == "port") ports = option->val;
    if (keyword == "dbname") name = option->val;
  }
  return fmt::format("postgres://{}{}/{}", user, WithPorts(hosts, ports), name);
}

std::vector<PostgresHost> HostsOf(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  std::string_view hosts, ports;
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (option->keyword == std::string_view("host")) hosts = option->val;
    if (option->keyword == std::string_view("port")) ports = option->val;
  }
  const bool one_port = ports.find(',') == ports.npos;
  std::vector<PostgresHost> all;
  while (!hosts.empty()) {
    const std::string_view host = NextOf(hosts), port = one_port ? ports : NextOf(ports);
    all.emplace_back(host, port.empty() ? "5432" : port);
  }
  return all;
}

std::string_view StorableText(std::string_view text, std::string* copy) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t size = CharacterSize(text.substr(at));
    if (size == 0) break;
    at += size;
  }
  if (at == text.size()) return text;
  copy->assign(text.substr(0, at));
  while (at < text.size()) {
    const size_t size = CharacterSize(text.substr(at));
    copy->append(size == 0 ? kReplacement : text.substr(at, size));
    at += size == 0 ? 1 : size;
  }
  return *copy;
}

}  // namespace ferry::server
