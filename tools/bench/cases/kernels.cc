#include <fmt/format.h>

#include "device-runtime/backends/cpu/device.h"
#include "device-runtime/kernels/conv/conv.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/quant/quant.h"
#include "device-runtime/kernels/raster/raster.h"
#include "device-runtime/kernels/split/ways.h"
#include "tools/bench/bench.h"
#include "tools/bench/data.h"
#include "tools/bench/peak.h"

namespace ferry::bench {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvShape;
using kernels::Epilogue;
using kernels::GemmShape;
using kernels::KernelTable;

constexpr GemmShape kGemms[] = {
    {512, 512, 512}, {1024, 1024, 1024}, {64, 8960, 1536}, {1, 8960, 1536},  {1, 1000, 1024},
    {49, 512, 512},  {196, 256, 1024},   {3136, 64, 64},   {12544, 24, 96},  {197, 192, 768},
    {197, 768, 192}, {256, 768, 768},    {256, 3072, 768}, {256, 768, 3072},
};

struct ConvCase {
  const char* name;
  int64_t size, in_c, out_c, kernel, stride, groups;
};

// Layers of ResNet, MobileNet and SqueezeNet.
constexpr ConvCase kConvs[] = {
    {"resnet stem 7x7/2", 224, 3, 64, 7, 2, 1},
    {"mobilenet stem 3x3/2", 224, 3, 32, 3, 2, 1},
    {"resnet 3x3 56x64", 56, 64, 64, 3, 1, 1},
    {"resnet 3x3 28x128", 28, 128, 128, 3, 1, 1},
    {"resnet 3x3 14x256", 14, 256, 256, 3, 1, 1},
    {"resnet 3x3 7x512", 7, 512, 512, 3, 1, 1},
    {"resnet 3x3/2 56x64", 56, 64, 128, 3, 2, 1},
    {"squeezenet fire 3x3", 27, 48, 192, 3, 1, 1},
    {"mobilenet 1x1 56x24", 56, 24, 144, 1, 1, 1},
    {"mobilenet 1x1 14x96", 14, 96, 576, 1, 1, 1},
    {"mobilenet 1x1 7x960", 7, 960, 160, 1, 1, 1},
    {"depthwise 3x3 112x32", 112, 32, 32, 3, 1, 32},
    {"depthwise 3x3/2 112x96", 112, 96, 96, 3, 2, 96},
    {"depthwise 3x3 14x576", 14, 576, 576, 3, 1, 576},
    {"depthwise 5x5 14x480", 14, 480, 480, 5, 1, 480},
    {"depthwise 3x3 7x960", 7, 960, 960, 3, 1, 960},
};

ConvShape ShapeOf(const ConvCase& c) {
  ConvShape s;
  s.in_h = s.in_w = c.size;
  s.in_c = c.in_c;
  s.out_c = c.out_c;
  s.kernel_h = s.kernel_w = c.kernel;
  s.stride_h = s.stride_w = c.stride;
  s.pad_top = s.pad_left = c.kernel / 2;
  s.groups = c.groups;
  s.out_h = s.out_w = (c.size + 2 * (c.kernel / 2) - c.kernel) / c.stride + 1;
  return s;
}

const KernelTable& TableByName(const std::string& isa) {
  return kernels::TableOf(kernels::IsaFromName(isa.c_str()).value());
}

Case ConvWith(const KernelTable& table, sys::Parallel& parallel, const char* name,
              ConvAlgorithm algorithm, const ConvShape& s) {
  const size_t weights = static_cast<size_t>(s.out_c * s.in_c / s.groups * s.kernel_h * s.kernel_w);
  const Floats x = RandomFloats(static_cast<size_t>(s.in_h * s.in_w * s.in_c));
  const Floats w = RandomFloats(weights);
  const Floats bias = RandomFloats(static_cast<size_t>(s.out_c));
  const Floats y = RandomFloats(static_cast<size_t>(s.out_h * s.out_w * s.out_c));
  const Floats packed = RandomFloats(kernels::ConvPackedSize(table, algorithm, s));
  kernels::ConvPack(table, algorithm, s, w.get(), packed.get());
  const Floats space =
      RandomFloats(kernels::ConvWorkspaceSize(table, algorithm, s, parallel.width()));
  Case item;
  item.group = "conv";
  item.name = fmt::format("{} {}", name, ConvAlgorithmName(algorithm));
  item.isa = kernels::IsaName(table.isa);
  item.flops = s.Flops();
  item.run = [=, &table, &parallel] {
    Epilogue e;
    e.bias = bias.get();
    e.activation = kernels::Activation::kClip;
    e.low = 0;
    kernels::Conv(table, parallel, algorithm, s, x.get(), packed.get(), e, y.get(), space.get());
  };
  return item;
}

}  // namespace

void AddPeak(const std::vector<std::string>& isas, std::vector<Case>* cases) {
  for (const std::string& isa : isas) {
    if (isa == "reference") continue;
    const auto loop = isa.starts_with("avx2") || isa == "avxvnni" ? PeakAvx2 : PeakAvx512;
    Case item;
    item.group = "peak";
    item.name = "fused multiply-adds in registers";
    item.isa = isa;
    loop(&item.flops);
    item.run = [loop] {
      double flops;
      volatile float keep = loop(&flops);
      (void)keep;
    };
    cases->push_back(item);
  }
}

Case GemmWith(const KernelTable& table, sys::Parallel& parallel, const GemmShape& s,
              const kernels::ProductFunctions& functions, const char* name) {
  const Floats a = RandomFloats(static_cast<size_t>(s.m * s.k));
  const Floats b = RandomFloats(static_cast<size_t>(s.k * s.n));
  const Floats packed = RandomFloats(functions.packed_size(table, s.k, s.n));
  const Floats c = RandomFloats(static_cast<size_t>(s.m * s.n));
  const Floats workspace = RandomFloats(functions.workspace_size(s, 1));
  functions.pack(table, s.k, s.n, {b.get(), s.n, 1}, packed.get(), {});
  Case item;
  item.group = "gemm";
  item.name = fmt::format("{}{}x{}x{}", name, s.m, s.n, s.k);
  item.isa = kernels::IsaName(table.isa);
  item.flops = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k);
  item.run = [=, &table, &parallel, &functions] {
    functions.run(table, parallel, s, {a.get(), s.k, 1}, packed.get(), {}, c.get(), s.n,
                  workspace.get(), {});
  };
  return item;
}

void AddGemm(const std::vector<std::string>& isas, sys::Parallel& parallel,
             std::vector<Case>* cases) {
  for (const GemmShape& s : kGemms) {
    for (const std::string& isa : isas) {
      const KernelTable& table = TableByName(isa);
      cases->push_back(GemmWith(table, parallel, s, kernels::kFloatProduct, ""));
      if (kernels::HasBf16(table))
        cases->push_back(GemmWith(table, parallel, s, kernels::kBf16Product, "bf16 "));
      if (kernels::HasTiles(table))
        cases->push_back(GemmWith(table, parallel, s, kernels::kSplitProduct, "split "));
    }
  }
}

// In 8 bits, without the search's Winograd.
Case QuantConvWith(const KernelTable& table, sys::Parallel& parallel, const char* name,
                   const ConvShape& s) {
  const auto bytes = [](size_t count) { return RandomFloats(count / 4 + 16); };
  const Floats x = bytes(static_cast<size_t>(s.in_h * s.in_w * s.in_c));
  const Floats w =
      bytes(static_cast<size_t>(s.out_c * s.in_c / s.groups * s.kernel_h * s.kernel_w));
  const Floats y = bytes(static_cast<size_t>(s.out_h * s.out_w * s.out_c));
  const Floats packed = bytes(kernels::QuantPackedSize(table, s));
  const Floats space = bytes(kernels::QuantWorkspaceSize(table, s));
  const Floats factor = RandomFloats(static_cast<size_t>(s.out_c));
  const auto at = [](const Floats& f) { return reinterpret_cast<uint8_t*>(f.get()); };
  kernels::QuantPack(table, s, reinterpret_cast<const int8_t*>(w.get()), at(packed));
  Case item;
  item.group = "quant";
  item.name = fmt::format("{} {}", name, kernels::QuantConvName(s));
  item.isa = kernels::IsaName(table.isa);
  item.flops = s.Flops();
  item.run = [=, &table, &parallel] {
    kernels::QuantEpilogue e;
    e.factor = factor.get();
    e.low = 0;
    e.high = 255;
    kernels::RunQuantConv(table, parallel, {s, false, 0}, at(x), at(packed), nullptr, e, at(y),
                          at(space));
  };
  return item;
}

void AddQuant(const std::vector<std::string>& isas, sys::Parallel& parallel,
              std::vector<Case>* cases) {
  for (const ConvCase& c : kConvs)
    for (const std::string& isa : isas)
      cases->push_back(QuantConvWith(TableByName(isa), parallel, c.name, ShapeOf(c)));
}

void AddConv(const std::vector<std::string>& isas, sys::Parallel& parallel,
             std::vector<Case>* cases) {
  for (const ConvCase& c : kConvs) {
    const ConvShape s = ShapeOf(c);
    for (const std::string& isa : isas) {
      const KernelTable& table = TableByName(isa);
      for (int i = 0; i < kernels::kConvAlgorithmCount; ++i) {
        const auto algorithm = static_cast<ConvAlgorithm>(i);
        if (!ConvSupports(algorithm, s)) continue;
        if (algorithm == ConvAlgorithm::kSplit && (!kernels::HasTiles(table) || s.groups > 1))
          continue;
        // Pointwise and depthwise stand for what takes anything.
        const bool general =
            algorithm == ConvAlgorithm::kIndirect || algorithm == ConvAlgorithm::kIm2col;
        if (general && (s.groups > 1 || (c.kernel == 1 && c.stride == 1))) continue;
        cases->push_back(ConvWith(table, parallel, c.name, algorithm, s));
      }
    }
  }
}

void AddMove(sys::Parallel& parallel, std::vector<Case>* cases) {
  struct Shape {
    const char* name;
    int64_t dims[3];
    int permutation[3];
  };
  static constexpr Shape kShapes[] = {
      {"to channels-last 3x224x224", {1, 3, 50176}, {0, 2, 1}},
      {"to channels-last 512x7x7", {1, 512, 49}, {0, 2, 1}},
      {"to channels-last 64x56x56", {1, 64, 3136}, {0, 2, 1}},
      {"from channels-last 64x56x56", {1, 3136, 64}, {0, 2, 1}},
      {"channel shuffle 28x28x2x58", {784, 2, 58}, {0, 2, 1}},
  };
  for (const Shape& s : kShapes) {
    const size_t count = static_cast<size_t>(s.dims[0] * s.dims[1] * s.dims[2]);
    const Floats x = RandomFloats(count);
    const Floats y = RandomFloats(count);
    const kernels::Region region = kernels::TransposeRegion(3, s.dims, s.permutation);
    Case item;
    item.group = "move";
    item.name = s.name;
    item.isa = "any";
    item.bytes = static_cast<double>(count) * 8;
    item.run = [=, &parallel] { kernels::Copy(parallel, 4, region, x.get(), y.get()); };
    cases->push_back(item);
  }
}

}  // namespace ferry::bench
