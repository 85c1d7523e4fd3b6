// Brings one package to what is wanted of it, and reports that.
//
//   choose -> download -> key -> open and verify -> spare slot -> exclusive files -> personal
//   files -> packages that it needs -> load and probe -> switch -> confirm
//
// Until the switch nothing touches the running version, and each step leaves files from which the
// same wish can be begun again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/fetch.h"
#include "policy/requires/requires.h"

namespace ferry::agent {

// Path and entry of each personal file of one package, by path; nullopt: nothing is known of them,
// and what is there stays.
using PersonalFiles = std::optional<std::vector<std::pair<std::string, trust::TargetEntry>>>;

// What keys of personal files are asked for and wrapped by, in a release's place.
inline constexpr char kPersonalRelease[] = "personal";

class Install {
 public:
  struct Want {
    std::string package;
    trust::DesiredPackage wish;
    trust::Assignment assignment;  // what it says as an assignment of this package alone
    bool by_push = false;
    bool told = false;  // this wish was confirmed before: not again, if nothing is to be done
    // Its record in the journal has this error already.
    int reported_code = 0;
    PersonalFiles personal;  // what this device's document has for the package
  };
  struct Asks {
    // Another document was announced: this ends with kCancelled, at the latest before the switch
    // and without a report.
    std::function<bool()> superseded;
    // It waits for `needs()`, until GoOn.
    std::function<void()> on_parked;
    // How it ended: ok, as wanted and reported; IsTransient or kDiskFull, to be tried again;
    // another error, reported and final. May drop the install.
    std::function<void(const Status&)> on_end;
  };
  Install(const Parts& parts, Want want, Asks asks);

  // ---- install.cc
  void Start();
  const std::string& package() const { return want_.package; }
  const trust::DesiredPackage& wish() const { return want_.wish; }
  const PersonalFiles& personal() const { return want_.personal; }
  // Reports name this document from now on, which wants the same.
  void UseCounter(int64_t counter) { want_.assignment.counter = counter; }
  // Other packages that its manifest requires, known once it is in its slot.
  const std::vector<std::string>& needs() const { return needs_; }
  bool parked() const { return parked_; }
  // `f`, or nothing once this is gone.
  template <typename F>
  auto Guarded(F f) const {
    return alive_.Guard(std::move(f));
  }
  // What it needs is settled.
  void GoOn();
  // Room for the artefact sealed and opened; of an install that ended with kDiskFull.
  uint64_t room_needed() const { return entry_.length + entry_.plain_length + kSpareBytes; }

 private:
  void ReportStep(Step step, const Status& error = {}, const std::string& remark = {});
  void Fail(const Status& error);
  void End(const Status& status);
  bool Wants(trust::DesiredState state) const { return want_.wish.state == state; }
  // ---- choose.cc: which artefact
  Status Choose();
  Status CheckOrder();
  void ConsiderMade(const trust::Running* base);
  // Whether the version is to lie sealed, by its signed entry; an error where this device cannot.
  Status CheckAtRest();
  // What files of the version are written with.
  sys::FileSystem& slot_fs() const { return sealed_ ? parts_.at_rest->sealing() : *parts_.fs; }
  bool TakeFromOtherSlot();
  // ---- install.cc: into the slot
  void FetchPackage();
  bool GoesOnWithoutMade(const Status& status) const;
  void OnOpened(const Status& status);
  Status PutIntoSlot();
  // ---- exclusive.cc: the files for this device
  void PlanFiles();
  Status MakeRoomForFiles();
  bool HasFiles(const std::string& directory) const;
  bool TakeFile(const std::string& name, const trust::TargetEntry& wanted);
  void FetchNextFile();
  // ---- personal.cc: files that came after publication
  void PlanPersonal();
  void RefusePersonal(const std::string& path, const Status& why);
  void RefuseShadowing();
  Status MakeRoomForPersonal();
  bool TakePersonal(const std::string& name, const trust::TargetEntry& wanted);
  void FetchNextPersonal();
  Status SweepPersonal();
  // ---- settle.cc: what runs
  void CheckNeeds();
  void ProbePackage();
  void OnProbed(Result<std::shared_ptr<PackageRunner>> runner);
  Status Switch(std::shared_ptr<PackageRunner> runner);
  Status TakeBack(const Status& why);
  Current AfterSwitch() const;
  void ConfirmRunning();
  void Disable();
  void RemovePackage();
  void Done();

  Parts parts_;
  Want want_;
  Asks asks_;
  std::unique_ptr<Fetch> fetch_;
  std::optional<Current> current_;
  std::optional<trust::Running> removed_;  // what ran of a package that was taken away
  std::string path_;                       // of the artefact; empty: nothing to fetch
  trust::TargetEntry entry_;
  std::string slot_;
  bool made_ = false;  // path_ is of a delta that the server made
  bool without_made_ = false;
  bool without_deltas_ = false;
  bool same_version_ = false;  // it is there already: only files may be missing, or it does not run
  bool changed_ = false;       // something of it was done here
  bool sealed_ = false;        // its files lie sealed at rest
  std::vector<std::pair<std::string, trust::TargetEntry>> files_left_;  // by path, last first
  std::string files_;  // the directory of exclusive files in slot_ that is to be used
  std::vector<std::pair<std::string, trust::TargetEntry>> personal_left_;  // last first
  std::string personal_;               // the directory of personal files that is to be used
  requires_::Requires requires_here_;  // its packages alone
  std::vector<std::string> needs_;     // their names
  bool parked_ = false;
  uint64_t bytes_pulled_ = 0;
  Alive alive_;
};

// The newest version of a package that ran here, by the journal and the signed targets: where the
// slots say nothing. nullopt: none that is known.
std::optional<trust::Running> HighestThatRan(const Parts& parts, const std::string& package);
// ---- personal.cc
// What the verified document of this device has for the package; none where targets delegate none.
PersonalFiles PersonalFilesOf(const Parts& parts, const std::string& package);
// Whether there is a set of personal files where there should be one; not each file of it, for one
// may have been refused.
bool HasPersonal(const Parts& parts, const std::string& package, const Current& current);
// Whether what lies here is what `wish` wants, as far as that is seen without reading it all.
bool IsThere(const Parts& parts, const std::string& package, const trust::DesiredPackage& wish);

}  // namespace ferry::agent
