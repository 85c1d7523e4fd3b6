// The repositories of store.h over one connection. Private to this room.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cloud-server/store/sql/connection.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// All of them; `sql` must outlive it.
std::unique_ptr<Transaction> MakeTransaction(Connection& sql);

std::unique_ptr<DeviceRepository> MakeDeviceRepository(Connection& sql);
std::unique_ptr<GroupRepository> MakeGroupRepository(Connection& sql);
std::unique_ptr<PackageRepository> MakePackageRepository(Connection& sql);
std::unique_ptr<ReleaseRepository> MakeReleaseRepository(Connection& sql);
std::unique_ptr<ReportRepository> MakeReportRepository(Connection& sql);
std::unique_ptr<RecordRepository> MakeRecordRepository(Connection& sql);
std::unique_ptr<IntakeRepository> MakeIntakeRepository(Connection& sql);
std::unique_ptr<RetentionRepository> MakeRetentionRepository(Connection& sql);
std::unique_ptr<AccessRepository> MakeAccessRepository(Connection& sql);
std::unique_ptr<AccountRepository> MakeAccountRepository(Connection& sql);
std::unique_ptr<AuditRepository> MakeAuditRepository(Connection& sql);
std::unique_ptr<CampaignRepository> MakeCampaignRepository(Connection& sql);
std::unique_ptr<WebhookRepository> MakeWebhookRepository(Connection& sql);
std::unique_ptr<PersonalRepository> MakePersonalRepository(Connection& sql);
std::unique_ptr<ErasureRepository> MakeErasureRepository(Connection& sql);
std::unique_ptr<FleetRepository> MakeFleetRepository(Connection& sql);
std::unique_ptr<RepeatRepository> MakeRepeatRepository(Connection& sql);
std::unique_ptr<SeriesRepository> MakeSeriesRepository(Connection& sql);
std::unique_ptr<UseRepository> MakeUseRepository(Connection& sql);
std::unique_ptr<LeaseRepository> MakeLeaseRepository(Connection& sql);
std::unique_ptr<NodeRepository> MakeNodeRepository(Connection& sql);

// A list of texts as a JSON array, and back; kInternal when the stored text is something else.
std::string WriteTexts(const std::vector<std::string>& texts);
Result<std::vector<std::string>> ReadTexts(const std::string& json);

// Numbers by name as a JSON object, "" for none, and back.
std::string WriteNumbers(const std::map<std::string, double>& numbers);
Result<std::map<std::string, double>> ReadNumbers(const std::string& json);

// What a read that found no row says.
Status Missing(std::string_view what, std::string_view name);

}  // namespace ferry::server
