#include "cloud-server/store/campaigns.h"

#include <algorithm>
#include <array>

#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

#define FERRY_CAMPAIGN_COLUMNS                                                                  \
  "id, number, name, spec_json, state, reason, account, groups, created_ms, releases, paused, " \
  "back, row_version, pending"

constexpr std::array<std::string_view, 9> kCampaignStates = {
    "waiting", "running",      "paused",      "complete", "stopped",
    "halted",  "rolling_back", "rolled_back", "killed"};

Result<CampaignRow> ReadCampaign(Row& row) {
  CampaignRow campaign;
  campaign.id = row.NextText();
  campaign.number = row.NextInt();
  campaign.name = row.NextText();
  campaign.spec_json = row.NextText();
  FERRY_ASSIGN_OR_RETURN(campaign.state, CampaignStateFromName(row.NextText()));
  campaign.reason = row.NextText();
  campaign.account = row.NextText();
  const std::string groups = row.NextText();
  if (!groups.empty()) {
    FERRY_ASSIGN_OR_RETURN(campaign.groups, ReadTexts(groups));
  }
  campaign.created_ms = row.NextInt();
  FERRY_ASSIGN_OR_RETURN(campaign.releases, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(campaign.paused, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(campaign.back, ReadTexts(row.NextText()));
  campaign.row_version = row.NextInt();
  campaign.pending = row.NextBool();
  return campaign;
}

class CampaignTables : public CampaignRepository {
 public:
  explicit CampaignTables(Connection& sql) : sql_(sql) {}

  Result<CampaignRow> Get(const std::string& id) override {
    FERRY_ASSIGN_OR_RETURN(
        std::vector<CampaignRow> rows,
        Select("SELECT " FERRY_CAMPAIGN_COLUMNS " FROM campaign WHERE id = ?1", {id}));
    if (rows.empty()) return Missing("campaign", id);
    return std::move(rows[0]);
  }

  Status Put(const CampaignRow& row) override {
    const std::string groups = row.groups ? WriteTexts(*row.groups) : "";
    const std::string releases = WriteTexts(row.releases), paused = WriteTexts(row.paused);
    const std::string back = WriteTexts(row.back);
    FERRY_TRY(sql_.Run(
        "INSERT INTO campaign (" FERRY_CAMPAIGN_COLUMNS
        ", open) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 + 1, ?14, ?15) "
        "ON CONFLICT (id) DO UPDATE SET state = ?5, reason = ?6, releases = ?10, paused = ?11, "
        "back = ?12, row_version = campaign.row_version + 1, pending = ?14, open = ?15 "
        "WHERE campaign.row_version = ?13",
        {row.id, row.number, row.name, row.spec_json, NameOf(row.state), row.reason, row.account,
         groups, row.created_ms, releases, paused, back, row.row_version, row.pending,
         row.pending || IsOpen(row.state)}));
    if (sql_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "campaign {} was changed in between", row.id);
  }

  Result<int64_t> NextNumber() override {
    int64_t number = 0;
    FERRY_TRY(sql_.Query("SELECT COALESCE(max(number), 0) + 1 FROM campaign", {}, [&](Row& row) {
      number = row.NextInt();
      return OkStatus();
    }));
    return number;
  }

  Result<std::vector<CampaignRow>> All() override {
    return Select("SELECT " FERRY_CAMPAIGN_COLUMNS " FROM campaign ORDER BY number DESC LIMIT ?1",
                  {uint64_t{kMaxCampaigns}});
  }

  Result<std::vector<CampaignRow>> Open() override {
    return Select("SELECT " FERRY_CAMPAIGN_COLUMNS " FROM campaign WHERE open = 1 ORDER BY number",
                  {});
  }

  Status AddEvent(const std::string& campaign, int64_t time_ms, const std::string& kind,
                  const std::string& text) override {
    return sql_.Run(
        "INSERT INTO campaign_event (campaign, seq, time_ms, kind, text) VALUES (?1, "
        "(SELECT COALESCE(max(seq), 0) + 1 FROM campaign_event WHERE campaign = ?1), ?2, ?3, ?4)",
        {campaign, time_ms, kind, text});
  }

  Result<std::vector<CampaignEventRow>> Events(const std::string& campaign) override {
    std::vector<CampaignEventRow> rows;
    FERRY_TRY(
        sql_.Query("SELECT seq, time_ms, kind, text FROM campaign_event WHERE campaign = ?1 "
                   "ORDER BY seq DESC LIMIT ?2",
                   {campaign, uint64_t{kMaxCampaignEvents}}, [&](Row& row) {
                     CampaignEventRow& event = rows.emplace_back();
                     event.seq = row.NextInt();
                     event.time_ms = row.NextInt();
                     event.kind = row.NextText();
                     event.text = row.NextText();
                     return OkStatus();
                   }));
    std::reverse(rows.begin(), rows.end());
    return rows;
  }

 private:
  Result<std::vector<CampaignRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<CampaignRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(CampaignRow campaign, ReadCampaign(row));
      rows.push_back(std::move(campaign));
      return OkStatus();
    }));
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::string_view NameOf(CampaignState state) {
  return kCampaignStates[static_cast<size_t>(state)];
}

Result<CampaignState> CampaignStateFromName(std::string_view name) {
  for (size_t i = 0; i < kCampaignStates.size(); ++i)
    if (kCampaignStates[i] == name) return static_cast<CampaignState>(i);
  return Status::Of(Code::kMalformed, "no campaign state is called {}", name);
}

bool IsOpen(CampaignState state) {
  return state == CampaignState::kWaiting || state == CampaignState::kRunning ||
         state == CampaignState::kPaused || state == CampaignState::kRollingBack;
}

std::unique_ptr<CampaignRepository> MakeCampaignRepository(Connection& sql) {
  return std::make_unique<CampaignTables>(sql);
}

}  // namespace ferry::server
