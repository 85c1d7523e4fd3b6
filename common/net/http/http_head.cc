#include "common/net/http_head.h"

#include <arpa/inet.h>

#include <algorithm>

#include "common/base/bytes.h"

namespace ferry::net {
namespace {

std::string PercentDecoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && text.size() - i > 2) {
      const Result<Bytes> byte = FromHex(text.substr(i + 1, 2));
      if (byte.ok() && byte->size() == 1) {
        out += static_cast<char>((*byte)[0]);
        i += 2;
        continue;
      }
    }
    out += plus_is_space && text[i] == '+' ? ' ' : text[i];
  }
  return out;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80", each perhaps in quotes.
std::string AddressOf(std::string_view node) {
  node = Trimmed(node);
  if (node.size() >= 2 && node.front() == '"' && node.back() == '"')
    node = node.substr(1, node.size() - 2);
  if (node.starts_with('[')) return PlainAddress(node.substr(1, node.find(']') - 1));
  const size_t colon = node.find(':');
  if (colon != std::string_view::npos && node.find(':', colon + 1) == std::string_view::npos)
    node = node.substr(0, colon);
  return PlainAddress(node);
}

// The node of one element of Forwarded: the value of its "for".
std::string_view ForOf(std::string_view element) {
  while (!element.empty()) {
    const size_t end = std::min(element.find(';'), element.size());
    const std::string_view pair = Trimmed(element.substr(0, end));
    element.remove_prefix(std::min(end + 1, element.size()));
    if (LowerCase(pair.substr(0, 4)) == "for=") return pair.substr(4);
  }
  return {};
}

// The last address of a list that is none of `proxies`; empty where an element is no address.
template <typename NodeOf>
std::string LastStranger(std::string_view list, const std::vector<std::string>& proxies,
                         NodeOf node_of) {
  while (!list.empty()) {
    const size_t comma = list.rfind(',');
    const std::string address =
        AddressOf(node_of(comma == std::string_view::npos ? list : list.substr(comma + 1)));
    if (std::find(proxies.begin(), proxies.end(), address) == proxies.end()) return address;
    list = comma == std::string_view::npos ? "" : list.substr(0, comma);
  }
  return {};
}

}  // namespace

std::string PlainAddress(std::string_view address) {
  const std::string text(address);
  uint8_t raw[16];
  char shown[INET6_ADDRSTRLEN];
  if (inet_pton(AF_INET, text.c_str(), raw) == 1)
    return inet_ntop(AF_INET, raw, shown, sizeof shown);
  if (inet_pton(AF_INET6, text.c_str(), raw) != 1) return {};
  constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool mapped = std::equal(kMapped, kMapped + sizeof kMapped, raw);
  return mapped ? inet_ntop(AF_INET, raw + sizeof kMapped, shown, sizeof shown)
                : inet_ntop(AF_INET6, raw, shown, sizeof shown);
}

std::string ForwardedClient(std::string_view x_forwarded_for, std::string_view forwarded,
                            const std::vector<std::string>& proxies) {
  const std::string by_list =
      LastStranger(x_forwarded_for, proxies, [](std::string_view node) { return node; });
  const std::string by_pairs = LastStranger(forwarded, proxies, ForOf);
  if (Trimmed(forwarded).empty()) return by_list;
  if (Trimmed(x_forwarded_for).empty()) return by_pairs;
  return by_list == by_pairs ? by_list : std::string();
}

void SplitTarget(std::string_view target, std::string* path,
                 std::map<std::string, std::string>* query) {
  target = target.substr(0, target.find('#'));
  const size_t mark = target.find('?');
  *path = PercentDecoded(target.substr(0, mark), false);
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals == pair.size() ? "" : pair.substr(equals + 1);
    if (equals > 0)
      (*query)[PercentDecoded(pair.substr(0, equals), true)] = PercentDecoded(value, true);
  }
}

bool IsLoopback(std::string_view host) {
  const std::string name = LowerCase(host);
  if (name == "localhost") return true;
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, name.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool IsOwnHost(std::string_view host, const std::vector<std::string>& names) {
  std::string name = LowerCase(host);
  uint8_t address[16];
  if (name.starts_with("[")) {
    const size_t end = name.find(']');
    if (end == std::string::npos || (end + 1 < name.size() && name[end + 1] != ':')) return false;
    return inet_pton(AF_INET6, name.substr(1, end - 1).c_str(), address) == 1;
  }
  name = name.substr(0, name.find(':'));
  if (name == "localhost" || inet_pton(AF_INET, name.c_str(), address) == 1) return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& own) { return LowerCase(own) == name; });
}

bool IsOwnOrigin(std::string_view origin, std::string_view host) {
  const std::string own = LowerCase(host), from = LowerCase(origin);
  return from == "http://" + own || from == "https://" + own;
}

}  // namespace ferry::net
