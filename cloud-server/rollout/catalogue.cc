#include <algorithm>
#include <iterator>

#include "cloud-server/core/tally.h"
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
    if (release.plan.rate) {
      FERRY_ASSIGN_OR_RETURN(const PaceRow pace, tx.releases().Pace(row.id));
      release.paced =
          std::max(pace.per_minute, release.plan.rate->per_minute) < stage::kMaxPerMinute;
    }
    FERRY_ASSIGN_OR_RETURN(const std::vector<ExclusiveRow> exclusive,
                           tx.releases().Exclusive(row.id));
    for (const ExclusiveRow& file : exclusive) release.exclusive.emplace(file.device, file.path);
    release.row = std::move(row);
    catalogue->packages[release.row.package].releases.push_back(std::move(release));
  }
  for (auto& [name, package] : catalogue->packages) FERRY_TRY(AddVersions(tx, name, &package));
  return std::shared_ptr<const Catalogue>(std::move(catalogue));
}

Result<std::vector<DeviceView>> LoadViews(Transaction& tx,
                                          const std::vector<std::string>& devices) {
  FERRY_ASSIGN_OR_RETURN(DeviceRows rows, tx.batches().Devices({devices.begin(), devices.end()}));
  std::map<std::string, DeviceView> known;
  for (DeviceRow& row : rows.devices) {
    DeviceView& view = known[row.id];
    view.assignment.device = row.id;
    view.device = std::move(row);
  }
  for (auto& [device, row] : rows.assignments) known[device].assignment = std::move(row);
  for (InstalledRow& row : rows.installed)
    known[row.device].installed[row.package] = std::move(row);
  for (MemberRow& row : rows.members) known[row.device].members[row.release] = std::move(row);
  for (const auto& [device, change] : rows.personal) known[device].personal = change;
  std::vector<DeviceView> views;
  for (const std::string& device : devices) {
    auto view = known.extract(device);
    if (!view.empty()) views.push_back(std::move(view.mapped()));
  }
  return views;
}

void Looks::Add(Look look) {
  std::move(look.members.begin(), look.members.end(), std::back_inserter(members));
  std::move(look.joined.begin(), look.joined.end(), std::back_inserter(joined));
  AddTallies(tallies, look.tallies);
  if (!look.assignment) return;
  if (look.news) news.emplace_back(look.assignment->device, look.assignment->counter);
  assignments.push_back(std::move(*look.assignment));
}

Status StoreLooks(Transaction& tx, const Looks& looks, Effects* effects) {
  FERRY_TRY(tx.batches().PutMembers(looks.members));
  FERRY_TRY(tx.releases().AddTallies(looks.tallies));
  FERRY_TRY(ForgetMeasured(tx, looks.joined));
  if (!looks.members.empty()) effects->changed = true;
  FERRY_TRY(tx.batches().PutAssignments(looks.assignments));
  effects->wake.insert(effects->wake.end(), looks.news.begin(), looks.news.end());
  return OkStatus();
}

}  // namespace ferry::server
