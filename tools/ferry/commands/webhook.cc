// ferry webhook: whom the server tells what happens, and what became of it.
#include "common/sys/filesystem.h"
#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxSecretFile = 4096;

struct WebhookOptions {
  std::string id, url, secret_file, since;
  std::vector<std::string> events;
  bool dead = false;
};

std::string WebhooksText(const Json& hooks) {
  Table table(
      {{"WEBHOOK", 12}, {"URL", 60}, {"EVENTS", 40}, {"WAITING", 8, true}, {"LAST ERROR", 60}});
  for (const Json& hook : hooks)
    table.Add({Field(hook, "id"), Field(hook, "url"), Field(hook, "events"), Field(hook, "waiting"),
               Field(hook, "error")});
  return table.TextOr("no webhooks");
}

Result<std::string> WebhookPath(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, WebhookId(api, options.id));
  return "/webhooks/" + PathPart(id);
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
  std::string text = WebhooksText(Json::array({answer}));
  return Output{std::move(answer), std::move(text)};
}

Result<Output> List(const WebhookOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/webhooks"));
  FERRY_ASSIGN_OR_RETURN(const Json* hooks, GetArray(answer, "webhooks"));
  std::string text = WebhooksText(*hooks);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> DeleteWebhook(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, WebhookId(api, options.id));
  FERRY_TRY(AsStatus(api.Delete("/webhooks/" + PathPart(id))));
  return Output{{{"deleted", id}}, fmt::format("webhook {} is gone\n", id)};
}

Result<Output> Deliveries(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, WebhookPath(options, api));
  FERRY_ASSIGN_OR_RETURN(Json answer,
                         api.Get(path + (options.dead ? "/deliveries?dead=1" : "/deliveries")));
  FERRY_ASSIGN_OR_RETURN(const Json* rows, GetArray(answer, "deliveries"));
  Table table({{"EVENT", 12, true}, {"TIME", 20}, {"KIND"}, {"STATE", 10}, {"ERROR", 60}});
  for (const Json& row : *rows)
    table.Add({Field(row, "event"), TimeField(row, "time_ms"), Field(row, "kind"),
               Field(row, "error") == "-" ? "delivered" : "dead", Field(row, "error")});
  return Output{std::move(answer), table.TextOr("no deliveries")};
}

Result<Output> Replay(const WebhookOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const int64_t since_ms,
                         trust::ParseTime(options.since).Context("--since"));
  FERRY_ASSIGN_OR_RETURN(const std::string path, WebhookPath(options, api));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path + "/replay", {{"since_ms", since_ms}}));
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
