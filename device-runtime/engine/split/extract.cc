#include "device-runtime/engine/split/extract.h"

#include <algorithm>
#include <limits>
#include <map>

namespace ferry::engine {
namespace {

using ir::BufferId;

constexpr size_t kForever = std::numeric_limits<size_t>::max();

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

ExtractedPart Extract(const ir::Program& program, const std::vector<size_t>& last_reads,
                      size_t begin, size_t end) {
  ExtractedPart part;
  Extractor extractor(program, part);
  for (size_t i = begin; i < end; ++i) {
    ir::Step step = program.steps[i];
    for (BufferId& id : step.inputs) id = extractor.Read(id);
    for (const BufferId id : step.outputs) {
      if (id < 0) continue;
      const BufferId root = program.Root(id);
      const size_t last = last_reads[static_cast<size_t>(root)];
      if (last >= end) part.outputs.push_back(root);  // a buffer is made once
    }
    for (BufferId& id : step.outputs) id = extractor.Make(id);
    part.program.steps.push_back(std::move(step));
  }
  for (BufferId root : part.outputs) part.program.outputs.push_back(extractor.At(root));
  return part;
}

}  // namespace ferry::engine
