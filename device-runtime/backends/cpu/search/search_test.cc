#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/kernels/tiled/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "device-runtime/backends/cpu/search/product_cost.h"
#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::backends {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvShape;
using kernels::Isa;

constexpr double kBound = 2.5e-5;

// A processor that is the same wherever the tests run.
CpuDescription Desktop(const kernels::KernelTable& table) {
  return {
      table.isa, table.gemm->vector, 32 * 1024, 1024 * 1024, {130, 0.3, 4, 42, 40, 60, 16, 1.0}};
}

ConvShape Square(int64_t size, int64_t in, int64_t out, int64_t kernel, int64_t stride = 1,
                 int64_t groups = 1) {
  ConvShape s;
  s.in_h = s.in_w = size;
  s.in_c = in;
  s.out_c = out;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.pad_top = s.pad_left = kernel / 2;
  s.out_h = s.out_w = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  s.groups = groups;
  return s;
}

// Without tile registers, which would take most of the products below.
const kernels::KernelTable& FastestKernels() {
  std::vector<Isa> isas = kernels::RunningIsas();
  std::erase(isas, Isa::kAmx);
  return kernels::TableOf(isas.back());
}

ConvAlgorithm Choice(const ConvShape& shape, double bound = kBound, int threads = 1) {
  return SearchConv(FastestKernels(), Desktop(FastestKernels()), shape, {bound, threads})
      .front()
      .algorithm;
}

TEST(SearchTest, TheTableOfChoices) {
  struct Row {
    ConvShape shape;
    ConvAlgorithm choice;
  };
  const Row rows[] = {
      {Square(14, 64, 64, 1), ConvAlgorithm::kPointwise},
      {Square(7, 960, 320, 1), ConvAlgorithm::kPointwise},
      {Square(14, 64, 64, 5), ConvAlgorithm::kIndirect},
      {Square(56, 64, 64, 3), ConvAlgorithm::kWinograd4},
      {Square(28, 128, 128, 3), ConvAlgorithm::kWinograd4},
      // The weights of 36 points would cross memory for four tiles only.
      {Square(7, 512, 512, 3), ConvAlgorithm::kWinograd2},
      {Square(56, 64, 128, 3, 2), ConvAlgorithm::kIndirect},
      {Square(224, 3, 64, 7, 2), ConvAlgorithm::kStem},
      {Square(224, 3, 32, 3, 2), ConvAlgorithm::kStem},
      {Square(28, 96, 96, 3, 1, 96), ConvAlgorithm::kDepthwise},
      {Square(32, 48, 96, 7, 2, 48), ConvAlgorithm::kMultiplied},
  };
  for (const Row& row : rows) {
    EXPECT_STREQ(kernels::ConvAlgorithmName(Choice(row.shape)),
                 kernels::ConvAlgorithmName(row.choice))
        << row.shape.in_h << " x " << row.shape.in_c << " kernel " << row.shape.kernel_h;
  }
}

TEST(SearchTest, WhatPassesTheErrorBoundIsNotTaken) {
  const ConvShape shape = Square(56, 64, 64, 3);
  EXPECT_EQ(Choice(shape, 0), ConvAlgorithm::kIndirect);
  EXPECT_EQ(Choice(shape, 1e-7), ConvAlgorithm::kIndirect);
  EXPECT_EQ(Choice(shape, std::nan("")), ConvAlgorithm::kIndirect);
  EXPECT_EQ(Choice(shape, kernels::ConvError(ConvAlgorithm::kWinograd2)),
            ConvAlgorithm::kWinograd2);
  const auto all = SearchConv(FastestKernels(), Desktop(FastestKernels()), shape, {0, 1});
  bool is_behind = false;  // those that are not admissible stand last, and are still listed
  for (const ConvCandidate& c : all) {
    EXPECT_EQ(c.is_admissible, c.error == 0) << c.Name();
    EXPECT_FALSE(is_behind && c.is_admissible);
    is_behind = is_behind || !c.is_admissible;
  }
  EXPECT_TRUE(is_behind);
}

TEST(SearchTest, ThreadsDoNotDecideAlgorithms) {
  for (int64_t size : {7, 14, 28, 56}) {
    for (int64_t channels : {16, 64, 512}) {
      const ConvShape shape = Square(size, channels, channels, 3);
      for (int threads : {2, 3, 8, 64}) {
        EXPECT_EQ(Choice(shape, kBound, threads), Choice(shape)) << size << " " << channels;
      }
    }
  }
}

TEST(SearchTest, EveryShapeHasAnAdmissibleCandidate) {
  for (Isa isa : kernels::RunningIsas()) {
    const kernels::KernelTable& table = kernels::TableOf(isa);
    for (int64_t size : {1, 9, 40}) {
      for (int64_t channels : {0, 1, 3, 40}) {
        ConvShape shape = Square(size, channels, channels, 3);
        shape.groups = 1;
        const auto found = SearchConv(table, Desktop(table), shape, {0, 2}, true);
        ASSERT_FALSE(found.empty());
        EXPECT_TRUE(found.front().is_admissible);
        for (size_t i = 1; i < found.size(); ++i) {
          EXPECT_EQ(found[i].cost_us, found[i].cost_us);  // a number
          EXPECT_TRUE(!found[i].is_admissible ||
                      found[i].algorithm_us >= found[i - 1].algorithm_us);
        }
      }
    }
  }
}

TEST(SearchTest, TilesKeepTheLimitsOfRegistersAndCaches) {
  for (Isa isa : kernels::RunningIsas()) {
    const kernels::KernelTable& table = kernels::TableOf(isa);
    CpuDescription cpu = Desktop(table);
    const int registers = isa == Isa::kAvx2 ? 16 : 32;
    for (const kernels::Tiles& t : TileCandidates(table, cpu, 1000)) {
      EXPECT_TRUE(kernels::TilesRun(table, t));
      EXPECT_LE(t.rows * t.vectors + t.vectors + 1, registers);
      EXPECT_LE(t.rows * t.depth_block * 4, cpu.l1_bytes);
      EXPECT_LE(t.block_bytes, cpu.l2_bytes);
    }
    const size_t many = TileCandidates(table, cpu, 1000).size();
    EXPECT_GT(many, 3u);
    cpu.l1_bytes = 8 * 1024;
    EXPECT_LT(TileCandidates(table, cpu, 1000).size(), many);
  }
}

TEST(SearchTest, CostsGrowWithTheWork) {
  for (Isa isa : kernels::RunningIsas()) {
    const kernels::KernelTable& table = kernels::TableOf(isa);
    const CpuDescription cpu = Desktop(table);
    EXPECT_LT(SearchProduct(table, cpu, {64, 64, 64}, 1)[0].cost_us,
              SearchProduct(table, cpu, {128, 64, 64}, 1)[0].cost_us);
    EXPECT_GT(SearchProduct(table, cpu, {512, 512, 512}, 1)[0].cost_us,
              SearchProduct(table, cpu, {512, 512, 512}, 2)[0].cost_us * 1.5);
    const auto small = SearchConv(table, cpu, Square(14, 32, 32, 3), {kBound, 1});
    for (const ConvCandidate& c : small) {
      for (const ConvCandidate& large :
           SearchConv(table, cpu, Square(28, 32, 32, 3), {kBound, 1})) {
        EXPECT_TRUE(large.algorithm != c.algorithm || c.cost_us < large.cost_us) << c.Name();
      }
    }
  }
}

TEST(SearchTest, ThisMachineIsDescribed) {
  const CpuDescription cpu = DescribeCpu(FastestKernels());
  EXPECT_GE(cpu.l1_bytes, 8 * 1024);
  EXPECT_GE(cpu.l2_bytes, cpu.l1_bytes);
  EXPECT_FALSE(CpuModel().empty());
  EXPECT_EQ(CpuModel().find('\t'), std::string::npos);
}

// Where there are tile registers, and the error bound allows it, large products are split.
TEST(SearchTest, SplitsWhereThereAreTiles) {
  kernels::KernelTable table = kernels::TableOf(kernels::RunningIsas().back());
  kernels::TiledKernels tiles = *table.tiled;
  tiles.is_native = true;
  table.tiled = &tiles;
  const CpuDescription cpu = Desktop(table);
  const ConvShape s = Square(28, 256, 256, 1);
  const auto has_split = [](const std::vector<ConvCandidate>& all) {
    return std::ranges::find(all, ConvAlgorithm::kSplit, &ConvCandidate::algorithm) != all.end();
  };
  EXPECT_EQ(SearchConv(table, cpu, s, {kBound, 1})[0].algorithm, ConvAlgorithm::kSplit);
  EXPECT_NE(SearchConv(table, cpu, s, {0, 1})[0].algorithm, ConvAlgorithm::kSplit);
  kernels::GemmShape product = {784, 256, 256};
  const auto kind = [&](double bound, bool packs_once) {
    return SearchProduct(table, cpu, product, 1, {-1, bound, packs_once})[0].kind;
  };
  EXPECT_EQ(kind(kBound, true), ProductKind::kSplit);
  EXPECT_EQ(kind(0, true), ProductKind::kPacked);
  EXPECT_EQ(kind(kBound, false), ProductKind::kPacked);
  product = {1, 1000, 1280};  // read from memory once: nothing to win
  EXPECT_EQ(kind(kBound, true), ProductKind::kPacked);
  product = {784, 256, 256};
  EXPECT_TRUE(has_split(SearchConv(table, cpu, s, {0, 1})));
  tiles.is_native = false;
  EXPECT_FALSE(has_split(SearchConv(table, cpu, s, {kBound, 1})));
  EXPECT_EQ(kind(kBound, true), ProductKind::kPacked);
}

}  // namespace
}  // namespace ferry::backends
