#include "cloud-server/blob/s3/address.h"

#include <algorithm>
#include <cstdlib>

namespace ferry::server::s3 {
namespace {

constexpr std::string_view kScheme = "s3://";
constexpr size_t kMinBucket = 3, kMaxBucket = 63;  // of the naming rules of buckets

bool IsBucketName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return name.size() >= kMinBucket && name.size() <= kMaxBucket &&
         std::all_of(name.begin(), name.end(), fits) && name.find("..") == std::string_view::npos;
}

Status BadAddress(std::string_view url, std::string_view why) {
  return Status::Of(Code::kInvalidArgument,
                    "{}: {}; s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]", url, why);
}

Status TakeOption(std::string_view url, std::string_view option, Address* address) {
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string value(equals == std::string_view::npos ? "" : option.substr(equals + 1));
  if (value.empty()) return BadAddress(url, "an option without a value");
  if (name == "region") {
    address->region = value;
  } else if (name == "endpoint") {
    address->endpoint = value;
  } else {
    return BadAddress(url, "only endpoint and region are known");
  }
  return OkStatus();
}

}  // namespace

Result<Address> ParseAddress(std::string_view url) {
  if (!url.starts_with(kScheme)) return BadAddress(url, "not an address of S3");
  const size_t mark = url.find('?');
  std::string_view path =
      url.substr(kScheme.size(),
                 mark == std::string_view::npos ? std::string_view::npos : mark - kScheme.size());
  Address address;
  const size_t slash = path.find('/');
  address.bucket = path.substr(0, slash);
  if (slash != std::string_view::npos) address.prefix = path.substr(slash + 1);
  if (!address.prefix.empty() && !address.prefix.ends_with('/')) address.prefix += '/';
  if (!IsBucketName(address.bucket)) return BadAddress(url, "not the name of a bucket");
  std::string_view options = mark == std::string_view::npos ? "" : url.substr(mark + 1);
  while (!options.empty()) {
    const size_t end = options.find('&');
    FERRY_TRY(TakeOption(url, options.substr(0, end), &address));
    options = end == std::string_view::npos ? "" : options.substr(end + 1);
  }
  if (address.endpoint.empty())
    address.endpoint = "https://s3." + address.region + ".amazonaws.com";
  while (address.endpoint.ends_with('/')) address.endpoint.pop_back();
  if (!address.endpoint.starts_with("http://") && !address.endpoint.starts_with("https://"))
    return BadAddress(url, "the endpoint is neither http:// nor https://");
  if (HostOf(address).empty() || HostOf(address).find_first_of("/@ ") != std::string::npos)
    return BadAddress(url, "the endpoint is more than a host and a port");
  return address;
}

Result<Credentials> CredentialsOfEnvironment() {
  const auto of = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  Credentials credentials{of("AWS_ACCESS_KEY_ID"), of("AWS_SECRET_ACCESS_KEY"),
                          of("AWS_SESSION_TOKEN")};
  if (credentials.key_id.empty() || credentials.secret.empty())
    return Status(Code::kNotFound, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
  return credentials;
}

std::string HostOf(const Address& address) {
  return address.endpoint.substr(address.endpoint.find("//") + 2);
}

std::string Encode(std::string_view text, bool slash) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || (slash && c == '/');
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace ferry::server::s3
