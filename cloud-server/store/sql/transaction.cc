// All repositories of one connection.
#include "cloud-server/store/sql/batches/batches.h"
#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

class SqlTransaction : public Transaction {
 public:
  explicit SqlTransaction(Connection& sql)
      : devices_(MakeDeviceRepository(sql)),
        groups_(MakeGroupRepository(sql)),
        packages_(MakePackageRepository(sql)),
        releases_(MakeReleaseRepository(sql)),
        reports_(MakeReportRepository(sql)),
        records_(MakeRecordRepository(sql)),
        intake_(MakeIntakeRepository(sql)),
        retention_(MakeRetentionRepository(sql)),
        access_(MakeAccessRepository(sql)),
        accounts_(MakeAccountRepository(sql)),
        audit_(MakeAuditRepository(sql)),
        campaigns_(MakeCampaignRepository(sql)),
        webhooks_(MakeWebhookRepository(sql)),
        personal_(MakePersonalRepository(sql)),
        erasures_(MakeErasureRepository(sql)),
        fleet_(MakeFleetRepository(sql)),
        repeats_(MakeRepeatRepository(sql)),
        series_(MakeSeriesRepository(sql)),
        use_(MakeUseRepository(sql)),
        leases_(MakeLeaseRepository(sql)),
        nodes_(MakeNodeRepository(sql)),
        batches_(sql.dialect() == Connection::Dialect::kPostgres ? MakeBatchesOfLists(sql)
                                                                 : MakeBatchesOfCalls(*this)) {}
  DeviceRepository& devices() override { return *devices_; }
  GroupRepository& groups() override { return *groups_; }
  PackageRepository& packages() override { return *packages_; }
  ReleaseRepository& releases() override { return *releases_; }
  ReportRepository& reports() override { return *reports_; }
  RecordRepository& records() override { return *records_; }
  IntakeRepository& intake() override { return *intake_; }
  RetentionRepository& retention() override { return *retention_; }
  AccessRepository& access() override { return *access_; }
  AccountRepository& accounts() override { return *accounts_; }
  AuditRepository& audit() override { return *audit_; }
  CampaignRepository& campaigns() override { return *campaigns_; }
  WebhookRepository& webhooks() override { return *webhooks_; }
  PersonalRepository& personal() override { return *personal_; }
  ErasureRepository& erasures() override { return *erasures_; }
  FleetRepository& fleet() override { return *fleet_; }
  RepeatRepository& repeats() override { return *repeats_; }
  SeriesRepository& series() override { return *series_; }
  UseRepository& use() override { return *use_; }
  LeaseRepository& leases() override { return *leases_; }
  NodeRepository& nodes() override { return *nodes_; }
  BatchRepository& batches() override { return *batches_; }

 private:
  std::unique_ptr<DeviceRepository> devices_;
  std::unique_ptr<GroupRepository> groups_;
  std::unique_ptr<PackageRepository> packages_;
  std::unique_ptr<ReleaseRepository> releases_;
  std::unique_ptr<ReportRepository> reports_;
  std::unique_ptr<RecordRepository> records_;
  std::unique_ptr<IntakeRepository> intake_;
  std::unique_ptr<RetentionRepository> retention_;
  std::unique_ptr<AccessRepository> access_;
  std::unique_ptr<AccountRepository> accounts_;
  std::unique_ptr<AuditRepository> audit_;
  std::unique_ptr<CampaignRepository> campaigns_;
  std::unique_ptr<WebhookRepository> webhooks_;
  std::unique_ptr<PersonalRepository> personal_;
  std::unique_ptr<ErasureRepository> erasures_;
  std::unique_ptr<FleetRepository> fleet_;
  std::unique_ptr<RepeatRepository> repeats_;
  std::unique_ptr<SeriesRepository> series_;
  std::unique_ptr<UseRepository> use_;
  std::unique_ptr<LeaseRepository> leases_;
  std::unique_ptr<NodeRepository> nodes_;
  std::unique_ptr<BatchRepository> batches_;
};

}  // namespace

std::unique_ptr<Transaction> MakeTransaction(Connection& sql) {
  return std::make_unique<SqlTransaction>(sql);
}

}  // namespace ferry::server
