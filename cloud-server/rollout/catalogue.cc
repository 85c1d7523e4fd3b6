#include "cloud-server/rollout/rows.h"

namespace ferry::server {
namespace {

Status AddVersions(Transaction& tx, const std::string& name, Catalogue::Package* package) {
  std::set<std::string> wanted;
  for (const Catalogue::Release& release : package->releases) {
    wanted.insert(release.row.version);
    wanted.insert(release.row.fallback_version);
  }
  wanted.erase("");
  while (!wanted.empty()) {
    const std::string version = *wanted.begin();
    wanted.erase(wanted.begin());
    Catalogue::Version& entry = package->versions[version];
    const Result<PackageRow> row = tx.packages().Get(name, version);
    if (row.code() == Code::kNotFound) continue;
    FERRY_TRY(row);
    entry.fallback = row->fallback_version;
    FERRY_ASSIGN_OR_RETURN(
        entry.needs,
        requires_::RequiresFromText(row->requires_json).Context("{} {}", name, version));
    FERRY_ASSIGN_OR_RETURN(const std::vector<ArtefactRow> artefacts,
                           tx.packages().Artefacts(name, version));
    for (const char* kind : {"full", "delta"})
      for (const ArtefactRow& artefact : artefacts)
        if (artefact.kind == kind) entry.targets.push_back(artefact.path);
    // The whole chain of ways back.
    if (!entry.fallback.empty() && !package->versions.contains(entry.fallback))
      wanted.insert(entry.fallback);
  }
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<const Catalogue>> LoadCatalogue(Transaction& tx, const std::string& tenant) {
  auto catalogue = std::make_shared<Catalogue>();
  catalogue->tenant = tenant;
  FERRY_ASSIGN_OR_RETURN(const int64_t bins, tx.packages().TargetsBins());
  catalogue->in_bins = bins > 0;
  FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> rows, tx.releases().All());  // newest first
  for (ReleaseRow& row : rows) {
    if (row.tenant != tenant) continue;
    Catalogue::Release release;
    FERRY_ASSIGN_OR_RETURN(release.plan, PlanOf(row));
    FERRY_ASSIGN_OR_RETURN(const std::vector<ExclusiveRow> exclusive,
                           tx.releases().Exclusive(row.id));
    for (const ExclusiveRow& file : exclusive) release.exclusive.emplace(file.device, file.path);
    release.row = std::move(row);
    catalogue->packages[release.row.package].releases.push_back(std::move(release));
  }
  for (auto& [name, package] : catalogue->packages) FERRY_TRY(AddVersions(tx, name, &package));
  return std::shared_ptr<const Catalogue>(std::move(catalogue));
}

Result<DeviceView> LoadDevice(Transaction& tx, const std::string& device) {
  DeviceView view;
  FERRY_ASSIGN_OR_RETURN(view.device, tx.devices().Get(device));
  FERRY_ASSIGN_OR_RETURN(view.assignment, tx.devices().Assignment(device));
  FERRY_ASSIGN_OR_RETURN(std::vector<InstalledRow> installed, tx.devices().Installed(device));
  for (InstalledRow& row : installed) view.installed[row.package] = std::move(row);
  FERRY_ASSIGN_OR_RETURN(std::vector<MemberRow> members, tx.releases().MembersOfDevice(device));
  for (MemberRow& row : members) view.members[row.release] = std::move(row);
  FERRY_ASSIGN_OR_RETURN(view.personal, tx.personal().Change(device));
  return view;
}

Status StoreLook(Transaction& tx, const Look& look, int64_t now_ms, Effects* effects) {
  for (const std::string& release : look.taken) FERRY_TRY(TakeIn(tx, release, now_ms));
  for (const MemberRow& row : look.members) FERRY_TRY(tx.releases().PutMember(row));
  FERRY_TRY(tx.releases().AddTallies(look.tallies));
  FERRY_TRY(ForgetMeasured(tx, look.joined));
  if (!look.members.empty()) effects->changed = true;
  if (!look.assignment) return OkStatus();
  FERRY_TRY(tx.devices().PutAssignment(*look.assignment));
  if (look.news) effects->wake.emplace_back(look.assignment->device, look.assignment->counter);
  return OkStatus();
}

}  // namespace ferry::server
