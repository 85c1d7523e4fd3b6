#include "device-runtime/llm/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "device-runtime/kernels/packed/pack.h"
#include "device-runtime/llm/quantize/fit.h"

namespace ferry::llm {
namespace {

using kernels::kPackedTileRows;
using kernels::PackedForm;

struct MethodRow {
  std::string_view name;
  QuantizeMethod method;
  GroupFit (*fit)(const PackedForm&, const WeightGroup&);
};
constexpr MethodRow kMethods[] = {
#define FERRY_QUANTIZER(Name, name) {name, QuantizeMethod::k##Name, Fit##Name},
#include "device-runtime/llm/quantize/methods.inc"
#undef FERRY_QUANTIZER
};

const MethodRow& RowOf(QuantizeMethod method) {
  for (const MethodRow& row : kMethods) {
    if (row.method == method) return row;
  }
  return kMethods[0];
}

// What one thread needs to quantise tiles of one matrix.
class TileQuantizer {
 public:
  TileQuantizer(QuantizeMethod method, const PackedForm& form, int64_t columns)
      : fit_(RowOf(method).fit),
        form_(form),
        columns_(columns),
        groups_(kernels::PackedGroups(form.group, columns)),
        group_columns_(kernels::PackedGroupColumns(form.group, columns)),
        padded_(groups_ * group_columns_),
        weights_(static_cast<size_t>(kPackedTileRows * columns)),
        row_(static_cast<size_t>(padded_)),
        present_(static_cast<size_t>(padded_)),
        row_codes_(static_cast<size_t>(padded_)),
        codes_(static_cast<size_t>(kPackedTileRows * columns)),
        scales_(static_cast<size_t>(kPackedTileRows * groups_)),
        shifts_(scales_.size()),
        zeros_(scales_.size()) {
    std::fill_n(present_.begin(), columns, 1.0f);
  }

  Status Run(const ReadRows& read, int64_t first, int64_t rows, uint8_t* tile,
             QuantizeReport* report) {
    FERRY_TRY(read(first, rows, weights_.data()));
    for (int64_t r = 0; r < rows; ++r) {
      const float* weights = weights_.data() + r * columns_;
      for (int64_t k = 0; k < columns_; ++k) {
        if (std::fabs(weights[k]) <= kMaxQuantizedWeight) continue;  // not so for NaN
        return Status::Of(Code::kBadModel,
                          "the weight of row {}, column {} is {}; at most {} can be", first + r, k,
                          weights[k], kMaxQuantizedWeight);
      }
      std::copy_n(weights, columns_, row_.begin());
      OneRow(r, report);
    }
    kernels::PackedSource source;
    source.rows = rows;
    source.codes = codes_.data();
    source.scales = scales_.data();
    source.shifts = shifts_.data();
    source.zeros = zeros_.data();
    kernels::PackTile(form_, columns_, source, tile);
    return {};
  }

 private:
  void OneRow(int64_t r, QuantizeReport* report) {
    for (int64_t g = 0; g < groups_; ++g) {
      const int64_t from = g * group_columns_;
      const WeightGroup group = {row_.data() + from, present_.data() + from, group_columns_};
      const GroupFit fit = fit_(form_, group);
      const auto at = static_cast<size_t>(r * groups_ + g);
      scales_[at] = fit.scale;
      shifts_[at] = fit.shift;
      zeros_[at] = fit.zero;
      WriteCodes(form_, group, fit, row_codes_.data() + from);
      report->squared_error += fit.error;
      for (int64_t k = 0; k < group_columns_; ++k) {
        const double w = group.weights[k];
        report->squared_norm += w * w;
      }
    }
    std::copy_n(row_codes_.begin(), columns_, codes_.begin() + r * columns_);
  }

  GroupFit (*fit_)(const PackedForm&, const WeightGroup&);
  PackedForm form_;
  int64_t columns_, groups_, group_columns_, padded_;
  std::vector<float> weights_, row_, present_;
  std::vector<int8_t> row_codes_, codes_;
  std::vector<float> scales_, shifts_;
  std::vector<int8_t> zeros_;
};

}  // namespace

std::string_view QuantizeMethodName(QuantizeMethod method) {
  return RowOf(method).name;
}

Result<QuantizeMethod> QuantizeMethodFromName(std::string_view name) {
  std::string known;
  for (const MethodRow& row : kMethods) {
    if (row.name == name) return row.method;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return Status::Of(Code::kInvalidArgument, "quantisation method '{}' is unknown; known are {}",
                    name, known);
}

Result<QuantizeReport> QuantizeMatrix(sys::Parallel& parallel, QuantizeMethod method,
                                      const PackedForm& form, int64_t rows, int64_t columns,
                                      const ReadRows& read, std::span<uint8_t> out) {
  if (!kernels::IsPackedForm(form, columns) || rows < 0) {
    return Status::Of(Code::kInvalidArgument,
                      "{} rows and {} columns cannot have {} bits in groups of {}", rows, columns,
                      form.bits, form.group);
  }
  if (std::ssize(out) != kernels::PackedBytes(form, rows, columns)) {
    return Status::Of(Code::kInvalidArgument, "{} bytes are given where the matrix has {}",
                      out.size(), kernels::PackedBytes(form, rows, columns));
  }
  const int64_t tiles = kernels::PackedTiles(rows);
  const int64_t tile_bytes = kernels::LayoutOfTile(form, columns).bytes;
  std::vector<QuantizeReport> reports(static_cast<size_t>(tiles));
  std::mutex mutex;
  Status failed;
  int64_t failed_tile = tiles;
  parallel.For(tiles, 1, [&](int64_t begin, int64_t end) {
    TileQuantizer quantizer(method, form, columns);
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t first = tile * kPackedTileRows;
      const Status status =
          quantizer.Run(read, first, std::min(kPackedTileRows, rows - first),
                        out.data() + tile * tile_bytes, &reports[static_cast<size_t>(tile)]);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (tile < failed_tile) {  // the first one, whatever the threads
        failed = status;
        failed_tile = tile;
      }
      return;
    }
  });
  FERRY_TRY(failed);
  QuantizeReport total;
  for (const QuantizeReport& report : reports) {
    total.squared_error += report.squared_error;
    total.squared_norm += report.squared_norm;
  }
  return total;
}

}  // namespace ferry::llm
