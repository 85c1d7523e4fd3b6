// The verifier refuses primitives that would leave their buffers.
#include <gtest/gtest.h>
#include "device-runtime/ir/program.h"

namespace ferry::ir {
namespace {

struct Buffer {
  DType dtype;
  Shape shape;
};

// A program of one step: its inputs are the program's.
Status VerifyStep(const Primitive& primitive, const std::vector<Buffer>& in,
                  const std::vector<Buffer>& out) {
  Program program;
  Step step;
  step.primitive = primitive;
  step.node = "n";
  for (const Buffer& b : in) {
    step.inputs.push_back(static_cast<BufferId>(program.buffers.size()));
    program.buffers.push_back({b.dtype, b.shape});
    program.buffers.back().input = static_cast<int>(program.buffers.size()) - 1;
  }
  for (const Buffer& b : out) {
    step.outputs.push_back(static_cast<BufferId>(program.buffers.size()));
    program.outputs.push_back(step.outputs.back());
    program.buffers.push_back({b.dtype, b.shape});
  }
  program.steps.push_back(std::move(step));
  return Verify(program);
}

constexpr DType kF32 = DType::kF32, kI64 = DType::kI64, kI32 = DType::kI32;

IndexGrid Rows(int64_t count) {
  IndexGrid grid;
  grid.rank = 1;
  grid.depth = 1;
  grid.size = {count};
  grid.index_stride = {1};
  grid.extent = {4};
  grid.extent_stride = {5};
  grid.inner = 5;
  return grid;
}

TEST(VerifySteps, GathersAndScatters) {
  const GatherPrim gather{Rows(3)};
  EXPECT_TRUE(VerifyStep(gather, {{kF32, {4, 5}}, {kI64, {3}}}, {{kF32, {3, 5}}}).ok());
  EXPECT_TRUE(VerifyStep(gather, {{kF32, {4, 5}}, {kI32, {3}}}, {{kF32, {3, 5}}}).ok());
  EXPECT_FALSE(VerifyStep(gather, {{kF32, {4, 4}}, {kI64, {3}}}, {{kF32, {3, 5}}}).ok());
  EXPECT_FALSE(VerifyStep(gather, {{kF32, {4, 5}}, {kI64, {2}}}, {{kF32, {3, 5}}}).ok());
  EXPECT_FALSE(VerifyStep(gather, {{kF32, {4, 5}}, {kF32, {3}}}, {{kF32, {3, 5}}}).ok());
  EXPECT_FALSE(VerifyStep(gather, {{kF32, {4, 5}}, {kI64, {3}}}, {{kF32, {3, 4}}}).ok());
  GatherPrim backwards = gather;
  backwards.grid.data_stride = {-1};
  EXPECT_FALSE(VerifyStep(backwards, {{kF32, {4, 5}}, {kI64, {3}}}, {{kF32, {3, 5}}}).ok());
  const ScatterPrim scatter{Rows(3), ScatterKind::kAdd};
  const Buffer x{kF32, {4, 5}}, indices{kI64, {3}};
  EXPECT_TRUE(VerifyStep(scatter, {x, indices, {kF32, {3, 5}}}, {x}).ok());
  EXPECT_FALSE(VerifyStep(scatter, {x, indices, {kF32, {3, 4}}}, {x}).ok());
  EXPECT_FALSE(VerifyStep(scatter, {x, indices, {kF32, {3, 5}}}, {{kF32, {3, 5}}}).ok());
}

TEST(VerifySteps, LinesOfNumbers) {
  const Buffer x{kF32, {2, 6, 3}}, small{kF32, {2, 5, 3}};
  const ScanPrim scan{false, false, false, 2, 6, 3};
  EXPECT_TRUE(VerifyStep(scan, {x}, {x}).ok());
  EXPECT_FALSE(VerifyStep(scan, {small}, {x}).ok());
  EXPECT_FALSE(VerifyStep(scan, {x}, {small}).ok());
  const SortPrim sort{2, 6, 3, 5, true};
  EXPECT_TRUE(VerifyStep(sort, {x}, {small, {kI64, {2, 5, 3}}}).ok());
  EXPECT_FALSE(VerifyStep(sort, {x}, {small, {kI32, {2, 5, 3}}}).ok());
  EXPECT_FALSE(VerifyStep(sort, {small}, {small, {kI64, {2, 5, 3}}}).ok());
  EXPECT_FALSE(VerifyStep(sort, {x}, {small}).ok());
  const ReducePrim most{ReduceKind::kArgMax, 2, 6, 3};
  EXPECT_TRUE(VerifyStep(most, {x}, {{kI64, {2, 3}}}).ok());
  EXPECT_FALSE(VerifyStep(most, {x}, {{kF32, {2, 3}}}).ok());
  EXPECT_FALSE(VerifyStep(ReducePrim{ReduceKind::kSum, 2, 6, 3}, {{DType::kString, {2, 6, 3}}},
                          {{DType::kString, {2, 3}}})
                   .ok());
}

TEST(VerifySteps, WindowsSamplesAndRegions) {
  WindowPrim window;
  window.axes = 1;
  window.planes = 2;
  window.in = {6};
  window.out = {5};
  window.kernel = {2};
  window.stride = {1};
  window.dilation = {1};
  EXPECT_TRUE(VerifyStep(window, {{kF32, {2, 6}}}, {{kF32, {2, 5}}}).ok());
  EXPECT_FALSE(VerifyStep(window, {{kF32, {1, 6}}}, {{kF32, {2, 5}}}).ok());
  EXPECT_FALSE(VerifyStep(window, {{kF32, {2, 6}}}, {{kF32, {2, 5}}, {kI64, {2, 4}}}).ok());
  window.dilation = {0};
  EXPECT_FALSE(VerifyStep(window, {{kF32, {2, 6}}}, {{kF32, {2, 5}}}).ok());
  SamplePrim sample;
  sample.axes = 2;
  sample.batch = 1;
  sample.channels = 3;
  sample.points = 7;
  sample.in = {4, 4};
  const Buffer image{kF32, {1, 3, 4, 4}};
  EXPECT_TRUE(VerifyStep(sample, {image, {kF32, {1, 7, 2}}}, {{kF32, {1, 3, 7}}}).ok());
  EXPECT_FALSE(VerifyStep(sample, {image, {kF32, {1, 6, 2}}}, {{kF32, {1, 3, 7}}}).ok());
  RegionPrim region;
  region.images = 1;
  region.channels = 3;
  region.in_h = region.in_w = 4;
  region.regions = 2;
  region.out_h = region.out_w = 2;
  const Buffer rois{kF32, {2, 4}}, y{kF32, {2, 3, 2, 2}};
  EXPECT_TRUE(VerifyStep(region, {image, rois, {kI64, {2}}}, {y}).ok());
  EXPECT_FALSE(VerifyStep(region, {image, rois, {kI64, {1}}}, {y}).ok());
  EXPECT_FALSE(VerifyStep(region, {image, {kF32, {1, 4}}, {kI64, {2}}}, {y}).ok());
}

TEST(VerifySteps, WhatWalksAlongSequences) {
  RecurrentPrim cell;
  cell.steps = 3;
  cell.batch = 2;
  cell.hidden = 4;
  cell.activations.resize(3);
  const std::vector<Buffer> in = {{kF32, {3, 2, 16}}, {kF32, {16, 4}}};
  const std::vector<Buffer> out = {{kF32, {3, 2, 4}}, {kF32, {2, 4}}, {kF32, {2, 4}}};
  EXPECT_TRUE(VerifyStep(cell, in, out).ok());
  EXPECT_FALSE(VerifyStep(cell, {in[0], {kF32, {15, 4}}}, out).ok());
  EXPECT_FALSE(VerifyStep(cell, {{kF32, {3, 2, 15}}, in[1]}, out).ok());
  EXPECT_FALSE(VerifyStep(cell, in, {out[0], out[1]}).ok());
  cell.activations.pop_back();
  EXPECT_FALSE(VerifyStep(cell, in, out).ok());
  FourierPrim fourier;
  fourier.outer = 2;
  fourier.size = fourier.length = fourier.bins = 8;
  fourier.inner = 1;
  EXPECT_TRUE(VerifyStep(fourier, {{kF32, {2, 8, 2}}}, {{kF32, {2, 8, 2}}}).ok());
  EXPECT_FALSE(VerifyStep(fourier, {{kF32, {2, 7, 2}}}, {{kF32, {2, 8, 2}}}).ok());
  fourier.bins = 9;
  EXPECT_FALSE(VerifyStep(fourier, {{kF32, {2, 8, 2}}}, {{kF32, {2, 9, 2}}}).ok());
}

TEST(VerifySteps, OnlyTextsAndTablesStayOperators) {
  auto node = std::make_shared<Node>();
  node->op = "StringConcat";
  const Buffer text{DType::kString, {1}};
  EXPECT_TRUE(VerifyStep(HostPrim{node}, {text, text}, {text}).ok());
  auto other = std::make_shared<Node>();
  other->op = "MatMul";
  EXPECT_FALSE(VerifyStep(HostPrim{other}, {text, text}, {text}).ok());
}

}  // namespace
}  // namespace ferry::ir
