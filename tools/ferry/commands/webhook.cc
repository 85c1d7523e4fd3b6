// ferry webhook: whom the server tells what happens, and what became of it.
#include "common/sys/filesystem.h"
#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxSecretFile = 4096;

struct WebhookOptions {
  std::string id, url, secret_file, since;
  std::vector<std::string> events;
  bool dead = false;
};

std::string WebhookLine(const Json& hook) {
  const auto events = GetStringsOr(hook, "events");
  std::string kinds;
  for (const std::string& kind : events.ok() ? *events : std::vector<std::string>())
    kinds += (kinds.empty() ? "" : ",") + kind;
  const std::string error = Field(hook, "error"), waiting = Field(hook, "waiting");
  return fmt::format("{:<12}{} {}{}{}\n", Field(hook, "id"), Field(hook, "url"), kinds,
                     waiting.empty() || waiting == "0" ? "" : fmt::format("  {} wait", waiting),
                     error.empty() ? "" : "  last try: " + error);
}

// Without line ends, which editors put behind a last line.
Result<std::string> SecretOf(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxSecretFile));
  std::string secret(AsText(bytes));
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  return secret;
}

Result<Output> Create(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string secret, SecretOf(options.secret_file));
  Json body = {{"url", options.url}, {"secret", secret}};
  if (!options.events.empty()) body["events"] = options.events;
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/webhooks", body));
  std::string text = WebhookLine(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> List(const WebhookOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/webhooks"));
  FERRY_ASSIGN_OR_RETURN(const Json* hooks, GetArray(answer, "webhooks"));
  std::string text;
  for (const Json& hook : *hooks) text += WebhookLine(hook);
  if (text.empty()) text = "no webhooks\n";
  return Output{std::move(answer), std::move(text)};
}

Result<Output> DeleteWebhook(const WebhookOptions& options, const Api& api) {
  FERRY_TRY(AsStatus(api.Delete("/webhooks/" + PathPart(options.id))));
  return Output{{{"deleted", options.id}}, fmt::format("webhook {} is gone\n", options.id)};
}

Result<Output> Deliveries(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer,
                         api.Get(fmt::format("/webhooks/{}/deliveries{}", PathPart(options.id),
                                             options.dead ? "?dead=1" : "")));
  FERRY_ASSIGN_OR_RETURN(const Json* rows, GetArray(answer, "deliveries"));
  std::string text;
  for (const Json& row : *rows) {
    const auto time_ms = GetIntOr(row, "time_ms", 0);
    const std::string error = Field(row, "error");
    text += fmt::format("{:>6} {} {:<24} {}\n", Field(row, "event"),
                        trust::FormatTime(time_ms.ok() ? *time_ms : 0), Field(row, "kind"),
                        error.empty() ? "delivered" : "dead: " + error);
  }
  if (text.empty()) text = "no deliveries\n";
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Replay(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const int64_t since_ms,
                         trust::ParseTime(options.since).Context("--since"));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/webhooks/" + PathPart(options.id) + "/replay",
                                               {{"since_ms", since_ms}}));
  std::string text = fmt::format("{} events are told again\n", Field(answer, "events"));
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddWebhookCommand(Commands& commands) {
  const auto options = std::make_shared<WebhookOptions>();
  CLI::App* group = commands.Group("webhook", "whom the server tells what happens");
  const auto online = [options](Result<Output> (*run)(const WebhookOptions&, const Api&)) {
    return [options, run](const GlobalOptions& global) -> Result<Output> {
      FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
      return run(*options, api);
    };
  };
  const auto of_one = [&](const char* name, const char* what, const char* example, auto run) {
    CLI::App* command = commands.AddOnline(group, name, what, example, online(run));
    command->add_option("id", options->id, "the webhook")->required();
    return command;
  };
  CLI::App* create = commands.AddOnline(
      group, "create", "tell a URL what happens, signed with a secret",
      "ferry webhook create https://example.org/ferry --events 'release.*' --secret-file secret",
      online(Create));
  create->add_option("url", options->url, "http:// or https://")->required();
  create->add_option("--events", options->events,
                     "kinds, as globs (may repeat): release.*, package.*, approval.*, "
                     "user.changed, server.command, expiry.warning; all when left out");
  create->add_option("--secret-file", options->secret_file, "16 to 256 bytes, that sign each call")
      ->required();
  commands.AddOnline(group, "list", "all webhooks, and what waits", "ferry webhook list",
                     online(List));
  of_one("delete", "tell it nothing more", "ferry webhook delete 4c1f0a9b22", DeleteWebhook);
  CLI::App* deliveries = of_one("deliveries", "what was delivered or given up, the newest first",
                                "ferry webhook deliveries 4c1f0a9b22 --dead", Deliveries);
  deliveries->add_flag("--dead", options->dead, "only what was given up");
  CLI::App* replay = of_one("replay", "tell everything from a time on once more",
                            "ferry webhook replay 4c1f0a9b22 --since 2026-01-31T00:00:00Z", Replay);
  replay->add_option("--since", options->since, "UTC")->required();
}

}  // namespace ferry::cli
