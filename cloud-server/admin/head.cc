#include "cloud-server/admin/head.h"

#include <arpa/inet.h>

#include <algorithm>

#include "common/base/bytes.h"

namespace ferry::server {
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

}  // namespace

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

}  // namespace ferry::server
