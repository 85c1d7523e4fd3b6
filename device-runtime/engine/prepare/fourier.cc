// Discrete Fourier transforms: lines are read into complex numbers, transformed and written.
#include <algorithm>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/ops/shared/parts/fourier.h"

namespace ferry::engine {
namespace {

// A real signal's spectrum from its first half.
template <typename T>
void Mirror(std::vector<std::complex<T>>& spectrum) {
  const size_t n = spectrum.size();
  spectrum[0] = spectrum[0].real();
  for (size_t k = n / 2 + 1; k < n; ++k) spectrum[k] = std::conj(spectrum[n - k]);
  if (n % 2 == 0) spectrum[n / 2] = spectrum[n / 2].real();
}

// T: what is added and multiplied; E: the elements.
template <typename T, typename E>
struct Transformer {
  explicit Transformer(const ir::FourierPrim& prim)
      : p(prim),
        fourier(prim.length, prim.inverse),
        signal(static_cast<size_t>(prim.length)),
        read(std::min(prim.size, prim.half ? prim.length / 2 + 1 : prim.length)),
        scale(static_cast<T>(prim.inverse ? 1 / static_cast<double>(prim.length) : 1)) {}

  void Line(int64_t line, const E* x, E* y) {
    std::ranges::fill(signal, std::complex<T>());
    const int64_t outer = line / p.inner, inner = line % p.inner;
    for (int64_t i = 0; i < read; ++i) {
      const E* from = x + ((outer * p.size + i) * p.inner + inner) * p.parts;
      signal[static_cast<size_t>(i)] = {static_cast<T>(from[0]),
                                        p.parts == 2 ? static_cast<T>(from[1]) : T{0}};
    }
    if (p.half) Mirror(signal);
    fourier.Run(signal);
    for (int64_t i = 0; i < p.bins; ++i) {
      E* to = y + ((outer * p.bins + i) * p.inner + inner) * p.out_parts;
      to[0] = static_cast<E>(signal[static_cast<size_t>(i)].real() * scale);
      if (p.out_parts == 2) to[1] = static_cast<E>(signal[static_cast<size_t>(i)].imag() * scale);
    }
  }

  ir::FourierPrim p;
  ops::Fourier<T> fourier;
  std::vector<std::complex<T>> signal;
  int64_t read;
  T scale;
};

template <typename T, typename E>
PreparedStep StepOf(const ir::FourierPrim& prim, int x, int y) {
  auto transformer = std::make_shared<Transformer<T, E>>(prim);
  return {[=](const RunContext& c) {
            for (int64_t line = 0; line < transformer->p.outer * transformer->p.inner; ++line) {
              transformer->Line(line, reinterpret_cast<const E*>(c.at[x]),
                                reinterpret_cast<E*>(c.at[y]));
            }
            return OkStatus();
          },
          ""};
}

}  // namespace

Result<PreparedStep> PrepareFourier(Preparer& p, const ir::FourierPrim& prim,
                                    const ir::Step& step) {
  const int x = step.inputs[0], y = step.outputs[0];
  FERRY_TRY(ops::CheckFourier(prim.length));
  if (p.TypeOf(x) == DType::kF64) return StepOf<double, double>(prim, x, y);
  return prim.exact ? StepOf<double, float>(prim, x, y) : StepOf<float, float>(prim, x, y);
}

}  // namespace ferry::engine
