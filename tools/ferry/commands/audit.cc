// ferry audit: who did what, and whether the log of it is whole.
#include <charconv>

#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

constexpr int64_t kDefaultAuditRows = 100;
constexpr int64_t kMostAuditRows = 10'000'000;
constexpr int64_t kAuditPage = 1000;

struct AuditOptions {
  std::string since, user, package, head;
  int64_t limit = kDefaultAuditRows;
  bool verify = false, lines = false;
};

int64_t IntOf(const Json& object, const char* key) {
  const auto value = GetIntOr(object, key, 0);
  return value.ok() ? *value : 0;
}

Table AuditTable() {
  return Table({{"SEQ", 12, true},
                {"TIME", 20},
                {"USER", 20},
                {"FROM", 22},
                {"OUTCOME", 8},
                {"ACTION", 60},
                {"TARGET", 40},
                {"REASON", 60}});
}

void AddAuditRow(const Json& row, Table& table) {
  table.Add({Field(row, "seq"), TimeField(row, "time_ms"), Field(row, "user"), Field(row, "source"),
             Field(row, "outcome"), Field(row, "action"), Field(row, "target"),
             Field(row, "reason")});
}

std::string HeadText(const Json& answer) {
  const auto head = GetObject(answer, "head");
  if (!head.ok()) return "";
  return fmt::format("{}:{}", IntOf(**head, "seq"), Field(**head, "hash"));
}

// "SEQ:HASH", as this command prints it.
Result<std::string> HeadQuery(const std::string& text) {
  if (text.empty()) return std::string();
  const size_t colon = text.find(':');
  int64_t seq = 0;
  const char* end = text.data() + std::min(colon, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, seq);
  if (colon == std::string::npos || error != std::errc() || stop != end || seq < 1)
    return Status(Code::kInvalidArgument, "--head: wanted as \"ferry audit\" prints it, SEQ:HASH");
  return fmt::format("?seq={}&hash={}", seq, PathPart(text.substr(colon + 1)));
}

Result<Output> Verify(const AuditOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string query, HeadQuery(options.head));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/audit/verify" + query));
  FERRY_ASSIGN_OR_RETURN(const bool ok, GetBool(answer, "ok"));
  std::string text = fmt::format("{} rows from {}\nhead: {}\n", IntOf(answer, "rows"),
                                 IntOf(answer, "first_seq"), HeadText(answer));
  Status failed = OkStatus();
  if (!ok) {
    FERRY_ASSIGN_OR_RETURN(const Json* broken, GetObject(answer, "broken"));
    failed = Status::Of(Code::kCorruptContent, "the audit log is broken at row {}: {}",
                        IntOf(*broken, "seq"), Field(*broken, "why"));
  }
  Output out{std::move(answer), std::move(text)};
  out.failed = failed;
  return out;
}

Result<Output> List(const AuditOptions& options, const Api& api) {
  std::string query =
      fmt::format("?user={}&package={}", PathPart(options.user), PathPart(options.package));
  if (!options.since.empty()) {
    FERRY_ASSIGN_OR_RETURN(const int64_t since_ms,
                           trust::ParseTime(options.since).Context("--since"));
    query += fmt::format("&since_ms={}", since_ms);
  }
  Output out;
  Json rows = Json::array(), head;
  Table table = AuditTable();
  int64_t after = 0;
  while (static_cast<int64_t>(rows.size()) < options.limit) {
    const int64_t most = std::min(kAuditPage, options.limit - static_cast<int64_t>(rows.size()));
    FERRY_ASSIGN_OR_RETURN(const Json page,
                           api.Get(fmt::format("/audit{}&after={}&limit={}", query, after, most)));
    FERRY_ASSIGN_OR_RETURN(const Json* found, GetArray(page, "rows"));
    for (const Json& row : *found) {
      if (options.lines) out.text += WriteJson(row) + "\n";
      if (!options.lines) AddAuditRow(row, table);
      rows.push_back(row);
    }
    FERRY_ASSIGN_OR_RETURN(const Json* at, GetObject(page, "head"));
    head = *at;
    const int64_t next = IntOf(page, "next");
    if (next <= after) break;
    after = next;
  }
  out.json() = {{"rows", std::move(rows)}, {"head", std::move(head)}};
  out.exact = options.lines;
  if (!options.lines) out.text = table.Text() + fmt::format("head: {}\n", HeadText(out.json()));
  return out;
}

}  // namespace

void AddAuditCommand(Commands& commands) {
  const auto options = std::make_shared<AuditOptions>();
  CLI::App* audit = commands.AddOnline(
      nullptr, "audit", "who did what; --verify walks the chain of hashes",
      "ferry audit --since 2026-01-01T00:00:00Z --user vera\n"
      "  ferry audit --verify --head 812:9f2c...   # a head that was kept elsewhere",
      [options](const GlobalOptions& global) -> Result<Output> {
        FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
        return options->verify ? Verify(*options, api) : List(*options, api);
      });
  audit->add_option("--since", options->since, "rows from this time on (UTC)");
  audit->add_option("--user", options->user, "of this user");
  audit->add_option("--package", options->package, "about this package");
  audit->add_option("--limit", options->limit, "at most so many rows, the oldest first")
      ->check(CLI::Range(int64_t{1}, kMostAuditRows))
      ->capture_default_str();
  audit->add_flag("--lines", options->lines, "export: one JSON object a line");
  audit->add_flag("--verify", options->verify, "walk the chain and name the first broken row");
  audit->add_option("--head", options->head, "SEQ:HASH that was printed before: it must be there");
}

}  // namespace ferry::cli
