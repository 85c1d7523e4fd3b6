// The report of `ferry quantize`.
#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "tools/ferry/engine/quantize.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr size_t kNamed = 5;  // layers that hurt most

// JSON has no infinity.
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

// Measured layers that lost something, the most harmful first: by what they do alone where that is
// known, else by the noise in their outputs.
std::vector<const quant::LayerReport*> ByHarm(const quant::Report& report) {
  std::vector<const quant::LayerReport*> out;
  for (const quant::LayerReport& layer : report.layers) {
    if (layer.measured && layer.form != "float") out.push_back(&layer);
  }
  const bool alone =
      std::ranges::any_of(out, [](const quant::LayerReport* layer) { return layer->alone >= 0; });
  std::ranges::stable_sort(out, [&](const auto* a, const auto* b) {
    return alone ? a->alone > b->alone : a->snr_db < b->snr_db;
  });
  return out;
}

}  // namespace

Json QuantizeReportJson(const quant::Report& report) {
  Json out = {{"layers", Json::array()}, {"outputs", Json::array()},
              {"notes", report.notes},   {"float_bytes", report.float_bytes},
              {"bytes", report.bytes},   {"evaluations", report.evaluations},
              {"worst", Json::array()}};
  for (const quant::LayerReport& layer : report.layers) {
    Json row = {{"name", layer.name},
                {"op", layer.op},
                {"form", layer.form},
                {"float_bytes", layer.float_bytes},
                {"bytes", layer.bytes}};
    if (layer.measured) {
      row["cosine"] = Number(layer.cosine);
      row["snr_db"] = Number(layer.snr_db);
    }
    if (layer.alone >= 0) row["error_alone"] = Number(layer.alone);
    out["layers"].push_back(std::move(row));
  }
  for (const quant::OutputReport& output : report.outputs) {
    out["outputs"].push_back({{"name", output.name},
                              {"cosine", Number(output.cosine)},
                              {"snr_db", Number(output.snr_db)},
                              {"relative_error", Number(output.relative_error)},
                              {"same_top1", output.same_top1}});
  }
  const auto harm = ByHarm(report);
  for (size_t i = 0; i < std::min(kNamed, harm.size()); ++i) out["worst"].push_back(harm[i]->name);
  return out;
}

std::string QuantizeReportText(const quant::Report& report) {
  std::string out;
  size_t width = 5;
  for (const quant::LayerReport& layer : report.layers) width = std::max(width, layer.name.size());
  width = std::min<size_t>(width, 60);
  out += fmt::format("{:<{}} {:<14} {:<12} {:>10} {:>9} {:>8} {:>9}\n", "layer", width, "operator",
                     "form", "weights", "cosine", "SNR dB", "alone");
  for (const quant::LayerReport& layer : report.layers) {
    out += fmt::format("{:<{}} {:<14} {:<12} {:>10}", layer.name, width, layer.op, layer.form,
                       SizeText(static_cast<uint64_t>(layer.bytes)));
    if (layer.measured) out += fmt::format(" {:>9.6f} {:>8.1f}", layer.cosine, layer.snr_db);
    if (layer.alone >= 0) out += fmt::format(" {:>9.2e}", layer.alone);
    out += "\n";
  }
  const auto harm = ByHarm(report);
  if (!harm.empty()) out += "hurt most:";
  for (size_t i = 0; i < std::min(kNamed, harm.size()); ++i) {
    out += fmt::format("{} {}", i == 0 ? "" : ",", harm[i]->name);
  }
  if (!harm.empty()) out += "\n";
  for (const quant::OutputReport& output : report.outputs) {
    out += fmt::format("output {}: cosine {:.6f}, SNR {:.1f} dB, relative error {:.3g}, top-1 {}\n",
                       output.name, output.cosine, output.snr_db, output.relative_error,
                       output.same_top1 ? "same" : "differs");
  }
  for (const std::string& note : report.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace ferry::cli
