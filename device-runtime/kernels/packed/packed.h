// Products of rows with weights of 8, 4, 3 or 2 bits in their stored form (layout.h): out = x *
// W^T. Rows of x are quantised to 8 bits once (QuantizeRows) and meet any number of matrices of the
// same columns and group; or they stay float32 (PackedLinearExact).
//
// Bits: element (m, r) depends on row m of x and row r of W alone: the same on EVERY instruction
// set, whatever the rows beside, threads or blocks. Products of codes are summed in whole numbers;
// groups are added from first to last in float32, one rounding each.
#pragma once

#include <cstdint>
#include <span>

#include "common/sys/executor.h"
#include "device-runtime/kernels/packed/layout.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// Borrowed. `data`: PackedBytes(form, rows, columns) bytes, aligned to kPackedAlignment; the form
// must be one (IsPackedForm).
struct PackedMatrix {
  PackedForm form;
  int64_t rows = 0;     // outputs
  int64_t columns = 0;  // inputs
  const void* data = nullptr;
};

// Whether a row of x has one scale, or one for each group (less error, a little slower).
enum class ActivationScale : uint8_t { kRow = 0, kGroup = 1 };

// Rows in 8 bits, QuantizedRowBytes(group, columns) apart; borrowed. Any row may stand alone.
struct QuantizedRows {
  const void* data = nullptr;
  int64_t columns = 0;
  int group = 32;
  ActivationScale scale = ActivationScale::kGroup;
};

// Row i of x, at x + i * x_stride, to 8 bits at `to` + i * QuantizedRowBytes(group, columns), for
// i < m: code = nearest of x / scale, halves to even, scale = largest |x| / 127. Where the largest
// is less than 2^-100, codes and scale are 0; where a number is infinite or NaN, the scale is NaN,
// so that every product of the row is. `to`: aligned to kPackedAlignment, the caller's.
QuantizedRows QuantizeRows(const KernelTable& table, sys::Parallel& parallel, const float* x,
                           int64_t x_stride, int64_t m, int64_t columns, int group,
                           ActivationScale scale, void* to);

// out[i * out_stride + r] = row i of x times row r of w, plus add[i * out_stride + r] when `add` is
// not null (it may be `out` itself), for i < m. x has w's columns and group. No allocation.
void PackedLinear(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& w,
                  const QuantizedRows& x, int64_t m, const float* add, float* out,
                  int64_t out_stride);

// One of several products of the same rows.
struct PackedProduct {
  const PackedMatrix* w = nullptr;
  const float* add = nullptr;
  float* out = nullptr;
  int64_t out_stride = 0;
};

// All of them at once, so that threads share the tiles of all: the same bits. All have x's columns
// and group.
void PackedLinears(const KernelTable& table, sys::Parallel& parallel,
                   std::span<const PackedProduct> products, const QuantizedRows& x, int64_t m);

// What becomes of two products of a row: gate[i] = f(gate[i]) * up[i] for i < count, number by
// number. Called from any thread.
struct Gating {
  void (*run)(const void* context, int64_t count, const float* up, float* gate) = nullptr;
  const void* context = nullptr;
};

// out[i * out_stride + r] = gating of rows r of `gate` and of `up` times row i of x. Products go
// through it while they are in a core's cache. Both matrices have one form and one shape.
void PackedGated(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& gate,
                 const PackedMatrix& up, const QuantizedRows& x, int64_t m, const Gating& gating,
                 float* out, int64_t out_stride);

// PackedLinear of float32 rows: products with the values that the codes stand for, in float32.
// Columns k mod 4 are summed apart from first to last, then (s0 + s1) + (s2 + s3).
void PackedLinearExact(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& w,
                       const float* x, int64_t x_stride, int64_t m, const float* add, float* out,
                       int64_t out_stride);

}  // namespace ferry::kernels
