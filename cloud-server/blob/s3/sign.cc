#include "cloud-server/blob/s3/sign.h"

#include <chrono>

#include "common/base/bytes.h"
#include "common/crypto/hash.h"

namespace ferry::server::s3 {
namespace {

// "20130524T000000Z".
std::string StampOf(int64_t now_ms) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(now_ms / 1000));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

crypto::Sha256Digest Mac(ByteView key, std::string_view text) {
  return crypto::HmacSha256(key, AsBytes(text));
}

}  // namespace

std::string SignedUrl(const Address& address, const Credentials& credentials,
                      const std::string& path, int64_t now_ms, int64_t life_s) {
  const std::string stamp = StampOf(now_ms), day = stamp.substr(0, 8);
  const std::string scope = day + "/" + address.region + "/s3/aws4_request";
  // In the order of their names.
  std::string query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" +
                      Encode(credentials.key_id + "/" + scope) + "&X-Amz-Date=" + stamp +
                      "&X-Amz-Expires=" + std::to_string(life_s);
  if (!credentials.session_token.empty())
    query += "&X-Amz-Security-Token=" + Encode(credentials.session_token);
  query += "&X-Amz-SignedHeaders=host";
  const std::string place = Encode(path, true);
  const std::string request =
      "GET\n" + place + "\n" + query + "\nhost:" + HostOf(address) + "\n\nhost\nUNSIGNED-PAYLOAD";
  const std::string to_sign =
      "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + crypto::Sha256Hex(AsBytes(request));
  crypto::Sha256Digest key = Mac(AsBytes("AWS4" + credentials.secret), day);
  for (const std::string_view part :
       {std::string_view(address.region), std::string_view("s3"), std::string_view("aws4_request")})
    key = Mac(key, part);
  return address.endpoint + place + "?" + query + "&X-Amz-Signature=" + ToHex(Mac(key, to_sign));
}

}  // namespace ferry::server::s3
