// The repositories of store.h over one connection. Private to sqlite/.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cloud-server/store/sqlite/database.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

std::unique_ptr<DeviceRepository> MakeDeviceRepository(Database& database);
std::unique_ptr<GroupRepository> MakeGroupRepository(Database& database);
std::unique_ptr<PackageRepository> MakePackageRepository(Database& database);
std::unique_ptr<ReleaseRepository> MakeReleaseRepository(Database& database);
std::unique_ptr<ReportRepository> MakeReportRepository(Database& database);
std::unique_ptr<RecordRepository> MakeRecordRepository(Database& database);
std::unique_ptr<IntakeRepository> MakeIntakeRepository(Database& database);
std::unique_ptr<RetentionRepository> MakeRetentionRepository(Database& database);
std::unique_ptr<AccessRepository> MakeAccessRepository(Database& database);
std::unique_ptr<AccountRepository> MakeAccountRepository(Database& database);
std::unique_ptr<AuditRepository> MakeAuditRepository(Database& database);
std::unique_ptr<CampaignRepository> MakeCampaignRepository(Database& database);
std::unique_ptr<WebhookRepository> MakeWebhookRepository(Database& database);
std::unique_ptr<PersonalRepository> MakePersonalRepository(Database& database);
std::unique_ptr<ErasureRepository> MakeErasureRepository(Database& database);
std::unique_ptr<FleetRepository> MakeFleetRepository(Database& database);
std::unique_ptr<RepeatRepository> MakeRepeatRepository(Database& database);
std::unique_ptr<SeriesRepository> MakeSeriesRepository(Database& database);
std::unique_ptr<UseRepository> MakeUseRepository(Database& database);

// A list of texts as a JSON array, and back; kInternal when the stored text is something else.
std::string WriteTexts(const std::vector<std::string>& texts);
Result<std::vector<std::string>> ReadTexts(const std::string& json);

// Numbers by name as a JSON object, "" for none, and back.
std::string WriteNumbers(const std::map<std::string, double>& numbers);
Result<std::map<std::string, double>> ReadNumbers(const std::string& json);

// What a read that found no row says.
Status Missing(std::string_view what, std::string_view name);

}  // namespace ferry::server
