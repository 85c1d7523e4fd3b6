#include "device-runtime/kernels/recurrent/recurrent.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/recurrent/activate.h"

namespace ferry::kernels {
namespace {

// Multiplications of one step of the sequence that are worth a round of the threads: they take some
// 5 us on one, a round up to 3. Steps wait for each other, so that there is a round for each.
constexpr int64_t kLeastSplitProduct = 256 * 1024;

// Of kGru, the gates z and r are one product, the candidate another.
int64_t FirstColumns(const RecurrentShape& s) {
  return s.kind == CellKind::kGru ? 2 * s.hidden : s.gates() * s.hidden;
}

class Steps {
 public:
  Steps(const KernelTable& table, sys::Parallel& parallel, const RecurrentShape& s,
        const RecurrentInputs& in, const RecurrentOutputs& out, float* workspace)
      : table_(table),
        parallel_(s.batch * s.gates() * s.hidden * s.hidden < kLeastSplitProduct
                      ? sys::SerialParallel()
                      : parallel),
        s_(s),
        in_(in),
        out_(out),
        gates_(workspace),
        more_(workspace + s.batch * s.gates() * s.hidden),
        h_(more_ + s.batch * s.hidden) {}

  void Run() {
    Load(in_.h0, h_);
    if (s_.kind == CellKind::kLstm) Load(in_.c0, out_.c);
    for (int64_t i = 0; i < s_.steps; ++i) OneStep(s_.reverse ? s_.steps - 1 - i : i);
    std::memcpy(out_.h, h_, Bytes(s_.batch));
  }

 private:
  size_t Bytes(int64_t rows) const { return static_cast<size_t>(rows * s_.hidden) * sizeof(float); }
  void Load(const float* from, float* to) const {
    if (from != nullptr) {
      std::memcpy(to, from, Bytes(s_.batch));
    } else {
      std::memset(to, 0, Bytes(s_.batch));
    }
  }
  // to[batch, columns] = a packed + bias + add; rows of `to` and `add` are `stride` apart.
  void Multiply(int64_t columns, const float* a, const float* packed, const float* bias,
                const float* add, float* to, int64_t stride) const {
    Epilogue epilogue;
    epilogue.bias = bias;
    epilogue.add = add;
    Gemm(table_, parallel_, {s_.batch, columns, s_.hidden}, {a, s_.hidden, 1}, packed, epilogue, to,
         stride, nullptr);
  }

  void OneStep(int64_t t) {
    const int64_t width = s_.gates() * s_.hidden;
    const float* x = in_.x + t * s_.batch * width;
    Multiply(FirstColumns(s_), h_, in_.packed_r, nullptr, x, gates_, width);
    if (s_.kind == CellKind::kGru) Candidate(x);
    for (int64_t n = 0; n < s_.batch; ++n) {
      float* h = h_ + n * s_.hidden;
      float* all = out_.all + (t * s_.batch + n) * s_.hidden;
      if (in_.lengths != nullptr && t >= in_.lengths[n]) {
        std::memset(all, 0, Bytes(1));
        continue;
      }
      float* gates = gates_ + n * width;
      if (s_.kind == CellKind::kRnn) Rnn(gates, h);
      if (s_.kind == CellKind::kGru) Gru(gates, h);
      if (s_.kind == CellKind::kLstm) Lstm(gates, h, out_.c + n * s_.hidden);
      std::memcpy(all, h, Bytes(1));
    }
  }

  void Rnn(float* gates, float* h) const {
    Activated(0, s_.hidden, gates);
    std::memcpy(h, gates, Bytes(1));
  }

  // Makes the third gate's sums, behind the reset gate.
  void Candidate(const float* x) {
    const int64_t hidden = s_.hidden, width = 3 * hidden;
    const float* packed = in_.packed_r + PackedBSize(table_, hidden, 2 * hidden);
    for (int64_t n = 0; n < s_.batch; ++n) Activated(0, 2 * hidden, gates_ + n * width);
    if (s_.flag) {
      Multiply(hidden, h_, packed, in_.r_bias, nullptr, more_, hidden);
      for (int64_t n = 0; n < s_.batch; ++n) {
        float* gates = gates_ + n * width;
        for (int64_t i = 0; i < hidden; ++i) {
          gates[2 * hidden + i] =
              x[n * width + 2 * hidden + i] + gates[hidden + i] * more_[n * hidden + i];
        }
      }
      return;
    }
    for (int64_t n = 0; n < s_.batch; ++n) {
      const float* reset = gates_ + n * width + hidden;
      for (int64_t i = 0; i < hidden; ++i) more_[n * hidden + i] = reset[i] * h_[n * hidden + i];
    }
    Multiply(hidden, more_, packed, nullptr, x + 2 * hidden, gates_ + 2 * hidden, width);
  }

  void Gru(float* gates, float* h) const {
    const int64_t hidden = s_.hidden;
    float* candidate = gates + 2 * hidden;
    Activated(1, hidden, candidate);
    for (int64_t i = 0; i < hidden; ++i) {
      h[i] = (1 - gates[i]) * candidate[i] + gates[i] * h[i];
    }
  }

  // Gates i, o, f, c.
  void Lstm(float* gates, float* h, float* c) const {
    const int64_t hidden = s_.hidden;
    float* in = gates;
    float* out = gates + hidden;
    float* forget = gates + 2 * hidden;
    float* cell = gates + 3 * hidden;
    AddPeephole(0, c, in);
    AddPeephole(2, c, forget);
    Activated(0, hidden, in);
    if (s_.flag) {
      for (int64_t i = 0; i < hidden; ++i) forget[i] = 1 - in[i];
    } else {
      Activated(0, hidden, forget);
    }
    Activated(1, hidden, cell);
    for (int64_t i = 0; i < hidden; ++i) {
      c[i] = forget[i] * c[i] + in[i] * cell[i];
      h[i] = c[i];
    }
    AddPeephole(1, c, out);
    Activated(0, hidden, out);
    Activated(2, hidden, h);
    for (int64_t i = 0; i < hidden; ++i) h[i] *= out[i];
  }

  void AddPeephole(int64_t which, const float* c, float* gate) const {
    if (in_.peepholes == nullptr) return;
    const float* weight = in_.peepholes + which * s_.hidden;
    for (int64_t i = 0; i < s_.hidden; ++i) gate[i] += weight[i] * c[i];
  }
  void Activated(int which, int64_t count, float* x) const {
    ActivateCell(table_, s_.activations[which], s_.clip, count, x);
  }

  const KernelTable& table_;
  sys::Parallel& parallel_;
  const RecurrentShape& s_;
  const RecurrentInputs& in_;
  const RecurrentOutputs& out_;
  float* gates_;  // [batch, gates * hidden]
  float* more_;   // [batch, hidden]
  float* h_;      // [batch, hidden]
};

}  // namespace

size_t PackedRecurrentSize(const KernelTable& table, const RecurrentShape& s) {
  const int64_t first = FirstColumns(s);
  const int64_t rest = s.gates() * s.hidden - first;
  return PackedBSize(table, s.hidden, first) + (rest > 0 ? PackedBSize(table, s.hidden, rest) : 0);
}

void PackRecurrent(const KernelTable& table, const RecurrentShape& s, const float* r,
                   float* packed) {
  const int64_t first = FirstColumns(s);
  const int64_t rest = s.gates() * s.hidden - first;
  PackB(table, s.hidden, first, {r, 1, s.hidden}, packed);
  if (rest == 0) return;
  PackB(table, s.hidden, rest, {r + first * s.hidden, 1, s.hidden},
        packed + PackedBSize(table, s.hidden, first));
}

size_t RecurrentWorkspaceSize(const RecurrentShape& s) {
  return static_cast<size_t>(s.batch * s.hidden * (s.gates() + 2));
}

bool Recurrent(const KernelTable& table, sys::Parallel& parallel, const RecurrentShape& s,
               const RecurrentInputs& in, const RecurrentOutputs& out, float* workspace) {
  for (int64_t n = 0; in.lengths != nullptr && n < s.batch; ++n) {
    if (in.lengths[n] < 0 || in.lengths[n] > s.steps) return false;
  }
  if (s.batch * s.hidden == 0) return true;
  Steps(table, parallel, s, in, out, workspace).Run();
  return true;
}

}  // namespace ferry::kernels
