// The audit log is whole, and holds the head that was noted before.
#include "cloud-server/store/audit.h"
#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static std::optional<std::string> AuditChainBroken(Sim& sim, const Event& event) {
  (void)event;
  server::AuditHead kept;
  kept.seq = sim.audit_seq();
  kept.hash = sim.audit_hash();
  const Result<server::AuditCheck> check = server::CheckAudit(*sim.backend().store, kept);
  if (!check.ok()) return check.status().ToString();
  if (check->broken_seq != 0)
    return fmt::format("audit row {}: {}", check->broken_seq, check->broken);
  // No command without its row.
  if (check->rows < sim.acts_done())
    return fmt::format("{} commands were carried out, and {} rows are there", sim.acts_done(),
                       check->rows);
  sim.NoteAudit(check->head.seq, check->head.hash);
  return std::nullopt;
}

extern const Invariant kAuditChainInvariant = {
    "audit_chain", Behind({EventKind::kServerUp, EventKind::kStage, EventKind::kEnd}),
    AuditChainBroken};

}  // namespace ferry::fleetsim
