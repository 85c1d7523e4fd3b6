#include "common/base/json.h"
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

Result<Output> ListBackends() {
  Output out;
  Json rows = Json::array();
  out.text = fmt::format("{:<12} {:<10} {}\n", "backend", "available", "primitives");
  for (const engine::BackendInfo& backend : engine::Backends()) {
    const bool is_there = backend.available.ok();
    Json row = {
        {"name", backend.name}, {"available", is_there}, {"primitives", backend.primitives}};
    if (!is_there) row["reason"] = backend.available.ToString();
    rows.push_back(std::move(row));
    out.text += fmt::format("{:<12} {:<10} {}\n", backend.name, is_there ? "yes" : "no",
                            fmt::join(backend.primitives, " "));
    if (!is_there) out.text += fmt::format("  {}\n", backend.available.ToString());
  }
  out.json() = {{"backends", std::move(rows)}};
  return out;
}

}  // namespace ferry::cli
