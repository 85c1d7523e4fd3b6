#include "common/base/json.h"
#include "common/trust/root.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kPin = "sha256:";

Status CheckPin(const std::string& pin) {
  const bool prefixed = pin.starts_with(kPin) && pin.size() == kPin.size() + 64;
  const Result<Bytes> hash = FromHex(prefixed ? pin.substr(kPin.size()) : "");
  if (prefixed && hash.ok() && kPin.data() + ToHex(*hash) == pin) return OkStatus();
  return Status::Of(Code::kMalformed, "authority \"{:.80}\": not \"sha256:\" and 64 digits", pin);
}

Result<std::vector<std::string>> TextsIn(const Json& object, std::string_view name, size_t most) {
  if (!object.contains(name)) return std::vector<std::string>();
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> texts, GetStrings(object, name));
  if (texts.size() > most)
    return Status::Of(Code::kLimitExceeded, "{} {}, at most {}", texts.size(), name, most);
  return texts;
}

}  // namespace

Result<sys::Endpoint> AddressFromText(std::string_view text) {
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  int64_t port = 0;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    for (const char c : digits)
      port = c >= '0' && c <= '9' && port < 65536 ? port * 10 + c - '0' : 65536;
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    host = {};  // which colon begins the port?
  }
  const bool named = !host.empty() && host.size() <= kMaxHostBytes &&
                     host.find_first_of("/@[]\\ \t\r\n,\"") == std::string_view::npos;
  if (!named || port < 1 || port > 65535) {
    return Status::Of(Code::kMalformed,
                      "address \"{:.80}\": not HOST:PORT, or [ADDRESS]:PORT of IPv6", text);
  }
  return sys::Endpoint{std::string(host), static_cast<uint16_t>(port)};
}

std::string AddressToText(const sys::Endpoint& address) {
  if (address.host.find(':') != std::string::npos)
    return fmt::format("[{}]:{}", address.host, address.port);
  return fmt::format("{}:{}", address.host, address.port);
}

Json LineToJson(const Line& line) {
  Json out = Json::object();
  if (!line.authorities.empty()) out["authorities"] = line.authorities;
  if (!line.addresses.empty()) out["addresses"] = line.addresses;
  return out;
}

Result<Line> LineFromJson(const Json& object) {
  Line line;
  FERRY_ASSIGN_OR_RETURN(line.authorities, TextsIn(object, "authorities", kMaxLineAuthorities));
  for (const std::string& pin : line.authorities) FERRY_TRY(CheckPin(pin));
  FERRY_ASSIGN_OR_RETURN(line.addresses, TextsIn(object, "addresses", kMaxLineAddresses));
  for (const std::string& text : line.addresses) FERRY_TRY(AddressFromText(text).status());
  return line;
}

}  // namespace ferry::trust
