#include "tools/ferry/remote/api.h"

#include <httplib.h>

#include <cstdlib>
#include <exception>

#include <filesystem>

#include "common/base/buffers.h"
#include "common/net/authority.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/command.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxRefusal = 64 << 10;  // kept of an error's body

constexpr const char* kBase = "/api/v1";
constexpr uint64_t kMaxLoginFile = 64 << 10;
constexpr size_t kUploadPieceBytes = 256 << 10;

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What the server said, as our own Status; its code may be newer than our table.
Status ErrorOf(const httplib::Response& response) {
  const auto json = ParseJson(response.body);
  if (json.ok()) {
    const auto error = GetObject(*json, "error");
    if (error.ok()) {
      const auto number = GetIntOr(**error, "code", 0);
      const auto text = GetStringOr(**error, "text", "");
      if (number.ok() && text.ok()) {
        const Code code = CodeFromNumber(static_cast<int>(*number)).value_or(Code::kInternal);
        return Status(code == Code::kOk ? Code::kInternal : code, *text);
      }
    }
  }
  return Status::Of(Code::kInternal, "HTTP status {} without an explanation", response.status);
}

// Whom an https client believes; `why` becomes what was wrong with a server that was pinned.
Status SetTrust(httplib::Client& client, const ServerTrust& trust, std::string* why) {
  SSL_CTX* context = client.ssl_context();
  if (context == nullptr) return OkStatus();  // plain HTTP
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!trust.pin.empty()) return net::BelieveOnly(context, trust.pin, why);
  if (!trust.ca.empty()) client.set_ca_cert_path(trust.ca);
  return OkStatus();
}

Status Untrusted(const Api& api, const httplib::Client& client, const std::string& why) {
  const long verified = client.get_openssl_verify_result();
  const std::string reason = !why.empty()            ? why
                             : verified == X509_V_OK ? "its certificate does not name this host"
                                                     : X509_verify_cert_error_string(verified);
  const char* hint = api.trust().pin.empty() && api.trust().ca.empty()
                         ? "; give --pin (`ferry-server pin` prints it) or --ca"
                         : "";
  return Status::Of(Code::kUntrustedServer, "{}: {}{}", api.url(), reason, hint);
}

// Where it was, what may be the reason, and what to do next.
Status NoAnswer(const Api& api, const std::string& what, httplib::Error error) {
  const char* why = "the connection broke";
  if (error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout)
    why = "nothing takes a connection there; is the server up, and the URL right?";
  if (error == httplib::Error::SSLConnection) why = "it speaks no TLS; is the URL one of http://?";
  if (error == httplib::Error::Read || error == httplib::Error::Write)
    why = "it ended the connection; does it want https://?";
  return Status::Of(Code::kUnavailable,
                    "{}: no answer from {}: {} `ferry doctor --server {}` looks closer ({})", what,
                    api.url(), why, api.url(), httplib::to_string(error));
}

// One call; `send` gets a client that is set up.
template <typename Send>
Result<httplib::Result> CallRaw(const Api& api, const std::string& token, const std::string& what,
                                Send&& send) {
  try {
    httplib::Client client(api.url());
    if (!client.is_valid()) {
      return Status::Of(Code::kInvalidArgument, "\"{}\" is no URL of a server", api.url());
    }
    std::string why;
    FERRY_TRY(SetTrust(client, api.trust(), &why));
    client.set_connection_timeout(kConnectSeconds);
    client.set_read_timeout(kAnswerSeconds);
    client.set_write_timeout(kAnswerSeconds);
    httplib::Headers headers;
    if (!token.empty()) headers.emplace("Authorization", "Bearer " + token);
    httplib::Result result = send(client, headers);
    if (!result && result.error() == httplib::Error::SSLServerVerification) {
      return Untrusted(api, client, why);
    }
    if (!result) {
      return NoAnswer(api, what, result.error());
    }
    if (result->status < 200 || result->status > 299) return ErrorOf(*result).Context("{}", what);
    return result;
  } catch (const std::exception& error) {
    return Status::Of(Code::kInvalidArgument, "{}: {}", what, error.what());
  }
}

template <typename Send>
Result<Json> Call(const Api& api, const std::string& token, const char* method,
                  const std::string& path, Send&& send) {
  const std::string what = fmt::format("{} {}{}", method, kBase, path);
  FERRY_ASSIGN_OR_RETURN(
      const httplib::Result result,
      CallRaw(api, token, what, [&](httplib::Client& client, const httplib::Headers& headers) {
        return send(client, kBase + path, headers);
      }));
  return ParseJson(result->body.empty() ? "{}" : result->body).Context("{}", what);
}

}  // namespace

std::string PathPart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return out;
}

std::string LoginPath() {
  if (const std::string path = FromEnvironment("FERRY_CONFIG"); !path.empty()) return path;
  std::string folder = FromEnvironment("XDG_CONFIG_HOME");
  if (folder.empty()) folder = FromEnvironment("HOME") + "/.config";
  return folder + "/ferry/login.json";
}

Result<KeptLogin> ReadLogin() {
  const std::string path = LoginPath();
  const auto file = sys::ReadFile(sys::SystemFileSystem(), path, kMaxLoginFile);
  if (!file.ok()) return Status::Of(Code::kNotFound, "not logged in: there is no {}", path);
  FERRY_ASSIGN_OR_RETURN(const Json login, ParseJson(AsText(*file)).Context("{}", path));
  KeptLogin kept;
  FERRY_ASSIGN_OR_RETURN(kept.server, GetString(login, "server").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(kept.token, GetString(login, "token").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(kept.trust.pin, GetStringOr(login, "pin", "").Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(kept.trust.ca, GetStringOr(login, "ca", "").Context("{}", path));
  return kept;
}

Result<ServerTrust> TrustFrom(const GlobalOptions& options) {
  ServerTrust trust{options.pin, options.ca};
  if (trust.pin.empty() && trust.ca.empty())
    trust = {FromEnvironment("FERRY_PIN"), FromEnvironment("FERRY_CA")};
  if (!trust.pin.empty() && !trust.ca.empty())
    return Status(Code::kInvalidArgument, "a pin and a file of authorities: give one of them");
  if (!trust.pin.empty()) {
    FERRY_ASSIGN_OR_RETURN(trust.pin, net::ParsePin(trust.pin).Context("--pin"));
  }
  // Kept for commands that are called in other folders.
  std::error_code none;
  if (!trust.ca.empty()) trust.ca = std::filesystem::absolute(trust.ca, none).string();
  if (!trust.ca.empty() && !sys::Exists(sys::SystemFileSystem(), trust.ca))
    return Status::Of(Code::kNotFound, "--ca {}: there is no such file", trust.ca);
  return trust;
}

Result<Api> Api::Open(const std::string& url, const std::string& token, const ServerTrust& trust) {
  const bool secure = url.starts_with("https://") && url.size() > 8;
  if (!secure && (!url.starts_with("http://") || url.size() < 8)) {
    return Status::Of(Code::kInvalidArgument,
                      "server \"{}\", wanted like http://127.0.0.1:8080 or https://", url);
  }
  if (!secure && (!trust.pin.empty() || !trust.ca.empty())) {
    return Status::Of(Code::kInvalidArgument,
                      "{} proves nothing to --pin or --ca: call it by https://", url);
  }
  return Api(url.back() == '/' ? url.substr(0, url.size() - 1) : url, token, trust);
}

Result<Api> Api::Open(const GlobalOptions& options) {
  std::string url = options.server, token = options.token;
  if (url.empty()) url = FromEnvironment("FERRY_SERVER");
  if (token.empty()) token = FromEnvironment("FERRY_TOKEN");
  if (url.ends_with('/')) url.pop_back();
  FERRY_ASSIGN_OR_RETURN(ServerTrust trust, TrustFrom(options));
  const bool trust_given = !trust.pin.empty() || !trust.ca.empty();
  const bool trust_wanted = !trust_given && (url.empty() || url.starts_with("https://"));
  if (url.empty() || token.empty() || trust_wanted) {
    const Result<KeptLogin> kept = ReadLogin();
    if (!kept.ok() && kept.code() != Code::kNotFound) return kept.status();
    if (kept.ok()) {
      if (url.empty()) url = kept->server;
      // A token belongs to its server: never sent to another one.
      if (token.empty() && url == kept->server) token = kept->token;
      if (!trust_given && url == kept->server) trust = kept->trust;
    }
  }
  if (url.empty()) {
    return Status(Code::kFailedPrecondition,
                  "no server: give --server URL, set FERRY_SERVER, or run `ferry login`");
  }
  return Open(url, token, trust);
}

Result<Json> Api::Get(const std::string& path, std::string* date) const {
  return Call(*this, token_, "GET", path,
              [&](httplib::Client& client, const std::string& at, const httplib::Headers& headers) {
                httplib::Result result = client.Get(at, headers);
                if (date != nullptr && result) *date = result->get_header_value("Date");
                return result;
              });
}

Result<Json> Api::Post(const std::string& path, const Json& body) const {
  const std::string text = WriteJson(body);
  return Call(*this, token_, "POST", path,
              [&](httplib::Client& client, const std::string& at, const httplib::Headers& headers) {
                return client.Post(at, headers, text, "application/json");
              });
}

Result<Json> Api::Put(const std::string& path, const Json& body) const {
  const std::string text = WriteJson(body);
  return Call(*this, token_, "PUT", path,
              [&](httplib::Client& client, const std::string& at, const httplib::Headers& headers) {
                return client.Put(at, headers, text, "application/json");
              });
}

Result<Json> Api::Delete(const std::string& path) const {
  return Call(*this, token_, "DELETE", path,
              [&](httplib::Client& client, const std::string& at, const httplib::Headers& headers) {
                return client.Delete(at, headers);
              });
}

Result<Json> Api::PutFile(const std::string& path, const std::string& file,
                          const std::function<void(uint64_t, uint64_t)>& progress) const {
  FERRY_ASSIGN_OR_RETURN(const auto reader, sys::SystemFileSystem().OpenForRead(file));
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, reader->Size());
  Bytes buffer(BufferBytes(kUploadPieceBytes));
  const auto provide = [&](size_t offset, size_t length, httplib::DataSink& sink) {
    const auto read =
        reader->ReadAt(offset, std::span(buffer).first(std::min(length, buffer.size())));
    if (!read.ok() || *read == 0) return false;
    if (progress) progress(offset + *read, size);
    return sink.write(reinterpret_cast<const char*>(buffer.data()), *read);
  };
  return Call(*this, token_, "PUT", path,
              [&](httplib::Client& client, const std::string& at, const httplib::Headers& headers) {
                return client.Put(at, headers, size, provide, "application/octet-stream");
              });
}

Status Api::GetBytes(const std::string& path, const std::function<Status(ByteView)>& take) const {
  Status taken;
  std::string refused;  // what the server says in place of bytes
  const auto result = CallRaw(
      *this, token_, "GET " + path, [&](httplib::Client& client, const httplib::Headers& headers) {
        int status = 0;
        httplib::Result answer = client.Get(
            path, headers,
            [&](const httplib::Response& response) {
              status = response.status;
              return true;
            },
            [&](const char* data, size_t size) {
              if (status != 200) {
                refused.append(data, std::min(size, kMaxRefusal - refused.size()));
                return true;
              }
              taken = take(AsBytes(std::string_view(data, size)));
              return taken.ok();
            });
        if (answer && answer->status != 200) answer->body = refused;
        return answer;
      });
  return taken.ok() ? AsStatus(result) : taken;
}

}  // namespace ferry::cli
