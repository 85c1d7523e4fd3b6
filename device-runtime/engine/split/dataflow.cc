#include "device-runtime/engine/split/dataflow.h"

#include <functional>
#include <queue>

namespace ferry::engine {

using ir::BufferId;

Dataflow::Dataflow(const ir::Program& program) : after(program.steps.size()) {
  std::vector<int> value_of(program.buffers.size(), -1);  // by root
  const auto value = [&](BufferId id) -> Value& {
    const BufferId root = program.Root(id);
    int& at = value_of[static_cast<size_t>(root)];
    if (at < 0) {
      const ir::BufferInfo& buffer = program.buffers[static_cast<size_t>(root)];
      at = static_cast<int>(values.size());
      values.emplace_back();
      values.back().root = root;
      values.back().bytes =
          buffer.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(buffer.dtype));
    }
    return values[static_cast<size_t>(at)];
  };
  int drawn = -1;  // the latest step that draws random numbers: they are drawn in order
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const ir::Step& step = program.steps[i];
    const int number = static_cast<int>(i);
    for (const BufferId id : step.inputs) {
      if (id < 0 || program.buffers[static_cast<size_t>(program.Root(id))].constant) continue;
      Value& read = value(id);
      if (!read.readers.empty() && read.readers.back() == number) continue;
      read.readers.push_back(number);
      if (read.producer >= 0) after[static_cast<size_t>(read.producer)].push_back(number);
    }
    for (const BufferId id : step.outputs) {
      if (id >= 0) value(id).producer = number;
    }
    const auto* random = std::get_if<ir::RandomPrim>(&step.primitive);
    if (random == nullptr || random->key) continue;
    if (drawn >= 0) after[static_cast<size_t>(drawn)].push_back(number);
    drawn = number;
  }
  for (const BufferId id : program.outputs) {
    if (!program.buffers[static_cast<size_t>(program.Root(id))].constant)
      value(id).is_output = true;
  }
}

std::vector<int> GroupedOrder(const Dataflow& flow, std::span<const int> labels, int label_count) {
  std::vector<int> waits_for(labels.size(), 0);
  for (const auto& later : flow.after) {
    for (const int step : later) ++waits_for[static_cast<size_t>(step)];
  }
  using Ready = std::priority_queue<int, std::vector<int>, std::greater<>>;
  std::vector<Ready> ready(static_cast<size_t>(label_count));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (waits_for[i] == 0) ready[static_cast<size_t>(labels[i])].push(static_cast<int>(i));
  }
  std::vector<int> order;
  size_t turn = 0;
  while (order.size() < labels.size()) {
    if (ready[turn].empty()) {
      size_t next = 0;
      for (size_t label = 1; ready[0].empty() && label < ready.size(); ++label) {
        if (ready[label].empty()) continue;
        if (next == 0 || ready[label].top() < ready[next].top()) next = label;
      }
      turn = next;
    }
    const int step = ready[turn].top();
    ready[turn].pop();
    order.push_back(step);
    for (const int later : flow.after[static_cast<size_t>(step)]) {
      if (--waits_for[static_cast<size_t>(later)] > 0) continue;
      ready[static_cast<size_t>(labels[static_cast<size_t>(later)])].push(later);
    }
  }
  return order;
}

}  // namespace ferry::engine
