#include "device-runtime/engine/split/partition.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ferry::engine {
namespace {

using ir::BufferId;

constexpr size_t kForever = std::numeric_limits<size_t>::max();

// The step that reads a buffer last, by root; kForever for outputs, 0 for what nobody reads.
std::vector<size_t> LastReads(const ir::Program& program) {
  std::vector<size_t> last(program.buffers.size(), 0);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    for (BufferId id : program.steps[i].inputs) {
      if (id >= 0) last[static_cast<size_t>(program.Root(id))] = i;
    }
  }
  for (BufferId id : program.outputs) last[static_cast<size_t>(program.Root(id))] = kForever;
  return last;
}

double CopyUs(const ir::Program& program, const Backend& backend, BufferId root) {
  const ir::BufferInfo& buffer = program.buffers[static_cast<size_t>(root)];
  return backend.CopyCost(buffer.shape.elements() *
                          static_cast<int64_t>(tensor::DTypeSize(buffer.dtype)));
}

// Costs of spans that begin at one step, as they grow to the right.
class GrowingSpan {
 public:
  GrowingSpan(const ir::Program& program, const std::vector<size_t>& last_reads,
              const Backend& backend)
      : program_(program), last_reads_(last_reads), backend_(backend), us_(backend.PartCost()) {}

  // Takes step `i` in; false when the backend does not run it.
  bool Add(size_t i) {
    const ir::Step& step = program_.steps[i];
    if (!backend_.Runs(program_, step)) return false;
    us_ += backend_.StepCost(program_, step);
    for (BufferId id : step.inputs) {
      if (id >= 0) Read(program_.Root(id), i);
    }
    for (BufferId id : step.outputs) {
      if (id >= 0) Make(program_.Root(id), i);
    }
    return true;
  }
  double us() const { return us_ + leaving_us_; }

 private:
  void Read(BufferId root, size_t i) {
    const bool is_constant = program_.buffers[static_cast<size_t>(root)].constant.has_value();
    const auto [at, is_new] = seen_.emplace(root, 0.0);
    if (is_new && !is_constant) us_ += CopyUs(program_, backend_, root);
    if (last_reads_[static_cast<size_t>(root)] != i) return;
    leaving_us_ -= at->second;  // nobody behind the span wants it any more
    at->second = 0;
  }
  void Make(BufferId root, size_t i) {
    const bool leaves = last_reads_[static_cast<size_t>(root)] > i;
    const double us = leaves ? CopyUs(program_, backend_, root) : 0;
    seen_[root] = us;
    leaving_us_ += us;
  }

  const ir::Program& program_;
  const std::vector<size_t>& last_reads_;
  const Backend& backend_;
  double us_;
  double leaving_us_ = 0;
  std::map<BufferId, double> seen_;  // what it costs to copy back what was made here
};

}  // namespace

Partition CheapestPartition(const ir::Program& program, std::span<const double> cpu_us,
                            std::span<const Backend* const> backends) {
  const size_t count = program.steps.size();
  struct Best {
    double us = std::numeric_limits<double>::infinity();
    size_t from = 0;
    const Backend* backend = nullptr;
  };
  std::vector<Best> best(count + 1);  // of the first steps
  best[0].us = 0;
  const std::vector<size_t> last_reads = LastReads(program);
  for (size_t i = 0; i < count; ++i) {
    // Equal costs stay on the CPU.
    if (best[i].us + cpu_us[i] <= best[i + 1].us)
      best[i + 1] = {best[i].us + cpu_us[i], i, nullptr};
    if (count > kMaxPartitionedSteps) continue;
    for (const Backend* backend : backends) {
      GrowingSpan span(program, last_reads, *backend);
      for (size_t j = i; j < count && span.Add(j); ++j) {
        const double us = best[i].us + span.us();
        if (us < best[j + 1].us) best[j + 1] = {us, i, backend};
      }
    }
  }
  Partition partition;
  partition.cost_us = best[count].us;
  for (size_t end = count; end > 0; end = best[end].from) {
    if (best[end].backend == nullptr) continue;
    partition.spans.push_back({best[end].from, end, best[end].backend});
  }
  std::ranges::reverse(partition.spans);
  return partition;
}

namespace {

class Extractor {
 public:
  Extractor(const ir::Program& program, ExtractedPart& part) : program_(program), part_(part) {}

  BufferId Read(BufferId id) {
    if (id < 0) return id;
    const BufferId root = program_.Root(id);
    if (!ids_.contains(root)) {
      ir::BufferInfo info = program_.buffers[static_cast<size_t>(root)];
      if (!info.constant) {
        info.input = static_cast<int>(part_.inputs.size());
        part_.inputs.push_back(root);
      }
      Add(root, std::move(info));
    }
    return Named(id, root);
  }
  BufferId Make(BufferId id) {
    if (id < 0) return id;
    const BufferId root = program_.Root(id);
    if (!ids_.contains(root)) Add(root, program_.buffers[static_cast<size_t>(root)]);
    return Named(id, root);
  }
  BufferId At(BufferId id) const { return ids_.at(id); }

 private:
  void Add(BufferId id, ir::BufferInfo info) {
    ids_[id] = static_cast<BufferId>(part_.program.buffers.size());
    part_.program.buffers.push_back(std::move(info));
  }
  // Another name keeps its own dtype and shape.
  BufferId Named(BufferId id, BufferId root) {
    if (!ids_.contains(id)) {
      const ir::BufferInfo& from = program_.buffers[static_cast<size_t>(id)];
      ir::BufferInfo info;
      info.dtype = from.dtype;
      info.shape = from.shape;
      info.alias = ids_[root];
      Add(id, std::move(info));
    }
    return ids_[id];
  }

  const ir::Program& program_;
  ExtractedPart& part_;
  std::map<BufferId, BufferId> ids_;
};

}  // namespace

ExtractedPart Extract(const ir::Program& program, const BackendSpan& span) {
  ExtractedPart part;
  Extractor extractor(program, part);
  const std::vector<size_t> last_reads = LastReads(program);
  for (size_t i = span.begin; i < span.end; ++i) {
    ir::Step step = program.steps[i];
    for (BufferId& id : step.inputs) id = extractor.Read(id);
    for (const BufferId id : step.outputs) {
      if (id < 0) continue;
      const BufferId root = program.Root(id);
      const size_t last = last_reads[static_cast<size_t>(root)];
      if (last >= span.end && std::ranges::find(part.outputs, root) == part.outputs.end()) {
        part.outputs.push_back(root);
      }
    }
    for (BufferId& id : step.outputs) id = extractor.Make(id);
    part.program.steps.push_back(std::move(step));
  }
  for (BufferId root : part.outputs) part.program.outputs.push_back(extractor.At(root));
  return part;
}

}  // namespace ferry::engine
