#include "cloud-server/main/online_keys/pkcs11/uri.h"

namespace ferry::server {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return Status::Of(Code::kInvalidArgument, "\"{:.80}\": % stands before two digits", text);
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string* PlaceOf(Pkcs11Uri& uri, std::string_view name, bool is_query) {
  if (is_query) {
    if (name == "module-path") return &uri.module;
    if (name == "pin-source") return &uri.pin_source;
    return nullptr;
  }
  if (name == "token") return &uri.token;
  if (name == "serial") return &uri.serial;
  if (name == "object") return &uri.object;
  return nullptr;
}

Status Take(Pkcs11Uri& uri, std::string_view attribute, bool is_query) {
  const size_t equals = attribute.find('=');
  const std::string_view name = attribute.substr(0, equals);
  if (is_query && name == "pin-value")
    return Status(Code::kInvalidArgument,
                  "pin-value: a PIN belongs into FERRY_PKCS11_PIN or the file of pin-source, not "
                  "where others can read it");
  // The only type that this key can have.
  if (!is_query && attribute == "type=secret-key") return OkStatus();
  std::string* const place = PlaceOf(uri, name, is_query);
  if (place == nullptr || equals == std::string_view::npos)
    return Status::Of(Code::kInvalidArgument,
                      "attribute \"{:.40}\" is not known: token, serial and object, then "
                      "?module-path and pin-source",
                      name);
  if (!place->empty())
    return Status::Of(Code::kInvalidArgument, "attribute \"{}\" stands twice", name);
  FERRY_ASSIGN_OR_RETURN(*place, Decoded(attribute.substr(equals + 1)));
  if (place->empty()) return Status::Of(Code::kInvalidArgument, "attribute \"{}\" is empty", name);
  return OkStatus();
}

Status TakeAll(Pkcs11Uri& uri, std::string_view text, char separator, bool is_query) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    FERRY_TRY(Take(uri, text.substr(0, end), is_query));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return OkStatus();
}

Result<Pkcs11Uri> Parsed(std::string_view text) {
  if (!text.starts_with(kPkcs11Scheme))
    return Status(Code::kInvalidArgument, "it does not begin with pkcs11:");
  text.remove_prefix(kPkcs11Scheme.size());
  Pkcs11Uri uri;
  const size_t question = text.find('?');
  FERRY_TRY(TakeAll(uri, text.substr(0, question), ';', false));
  if (question != std::string_view::npos)
    FERRY_TRY(TakeAll(uri, text.substr(question + 1), '&', true));
  if (uri.object.empty())
    return Status(Code::kInvalidArgument, "object=, the key's label, is missing");
  if (uri.module.empty())
    return Status(Code::kInvalidArgument, "?module-path=, the module's library, is missing");
  constexpr std::string_view kFileScheme = "file:";
  if (uri.pin_source.starts_with(kFileScheme)) uri.pin_source.erase(0, kFileScheme.size());
  return uri;
}

}  // namespace

Result<Pkcs11Uri> ParsePkcs11Uri(std::string_view text) {
  return Parsed(text).Context("pkcs11 URI");
}

}  // namespace ferry::server
