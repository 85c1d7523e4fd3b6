#include "device-runtime/engine/split/hand_over.h"

#include <algorithm>

namespace ferry::engine {

constexpr int kMaxTries = 8;  // of one backend; then it gets no part

HandOver::HandOver(const ir::Program& program, std::vector<PartDraft>& parts,
                   const backends::BackendSettings& settings)
    : program_(program), parts_(parts), settings_(settings) {
  while (!Give()) {
  }
}

int64_t HandOver::BytesOf(ir::BufferId root) const {
  const ir::BufferInfo& buffer = program_.buffers[static_cast<size_t>(root)];
  return buffer.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(buffer.dtype));
}

// Each try has a part less.
bool HandOver::Give() {
  devices_.clear();
  last_part_.clear();
  device_bytes_ = 0;
  FindReaders();
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].running == nullptr) continue;
    for (const ir::BufferId root : parts_[i].inputs) last_part_[{parts_[i].span.backend, root}] = i;
    for (const ir::BufferId root : parts_[i].outputs)
      last_part_[{parts_[i].span.backend, root}] = i;
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].running == nullptr) continue;
    parts_[i].failed = GiveTo(i);
    if (parts_[i].failed.ok()) continue;
    parts_[i].running = nullptr;
    if (++tries_[parts_[i].span.backend] > kMaxTries) {
      GiveUp(*parts_[i].span.backend, parts_[i].failed);
    }
    return false;
  }
  return true;
}

void HandOver::GiveUp(const Backend& backend, const Status& failed) {
  for (PartDraft& part : parts_) {
    if (part.span.backend != &backend || part.running == nullptr) continue;
    part.failed = failed;
    part.running = nullptr;
  }
}

void HandOver::FindReaders() {
  std::vector<const Backend*> backend_of(program_.steps.size(), nullptr);
  for (const PartDraft& part : parts_) {
    if (part.running == nullptr) continue;
    std::fill(backend_of.begin() + static_cast<std::ptrdiff_t>(part.span.begin),
              backend_of.begin() + static_cast<std::ptrdiff_t>(part.span.end), part.span.backend);
  }
  std::vector<const Backend*> maker(program_.buffers.size(), nullptr);
  leaves_.assign(program_.buffers.size(), false);
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    for (const ir::BufferId id : program_.steps[i].inputs) {
      if (id < 0) continue;
      const auto root = static_cast<size_t>(program_.Root(id));
      if (maker[root] != backend_of[i]) leaves_[root] = true;
    }
    for (const ir::BufferId id : program_.steps[i].outputs) {
      if (id >= 0) maker[static_cast<size_t>(program_.Root(id))] = backend_of[i];
    }
  }
  for (const ir::BufferId id : program_.outputs) {
    leaves_[static_cast<size_t>(program_.Root(id))] = true;
  }
  only_there_.assign(program_.buffers.size(), false);
  for (size_t root = 0; root < maker.size(); ++root) {
    only_there_[root] = maker[root] != nullptr && !leaves_[root];
  }
}

Result<RunningPart::Memory> HandOver::Take(const Backend& backend, Device& device, int64_t bytes) {
  constexpr int64_t kMostWaste = 2;  // times what is asked
  const auto idle = device.idle.lower_bound(bytes);
  if (idle != device.idle.end() && idle->first <= kMostWaste * bytes) {
    RunningPart::Memory memory = std::move(idle->second);
    device.idle.erase(idle);
    return memory;
  }
  FERRY_ASSIGN_OR_RETURN(RunningPart::Memory memory, backend.Allocate(bytes, settings_));
  if (memory == nullptr || memory->bytes() < bytes) {
    return Status::Of(Code::kInternal, "it gave {} bytes of memory for {}",
                      memory == nullptr ? 0 : memory->bytes(), bytes);
  }
  device_bytes_ += memory->bytes();
  return memory;
}

Status HandOver::GiveTo(size_t part) {
  const PartDraft& draft = parts_[part];
  const Backend& backend = *draft.span.backend;
  Device& device = devices_[&backend];
  const auto value = [&](ir::BufferId root) -> Result<RunningPart::Value> {
    const int64_t bytes = BytesOf(root);
    RunningPart::Memory& memory = device.values[root];
    const bool is_new = memory == nullptr;
    if (is_new) {
      FERRY_ASSIGN_OR_RETURN(memory, Take(backend, device, std::max<int64_t>(bytes, 1)));
    }
    return RunningPart::Value{root, bytes, memory, is_new};
  };
  std::vector<RunningPart::Value> inputs, outputs;
  for (const ir::BufferId root : draft.inputs) {
    FERRY_ASSIGN_OR_RETURN(RunningPart::Value input, value(root));
    inputs.push_back(std::move(input));  // sent there unless an earlier part was, or made it
  }
  for (const ir::BufferId root : draft.outputs) {
    FERRY_ASSIGN_OR_RETURN(RunningPart::Value output, value(root));
    output.is_copied = leaves_[static_cast<size_t>(root)];
    outputs.push_back(std::move(output));
  }
  for (const auto* roots : {&draft.inputs, &draft.outputs}) {
    for (const ir::BufferId root : *roots) {
      if (last_part_[{&backend, root}] > part) continue;
      RunningPart::Memory memory = std::move(device.values[root]);
      device.values.erase(root);
      if (memory != nullptr) device.idle.emplace(memory->bytes(), std::move(memory));
    }
  }
  draft.running->SetValues(std::move(inputs), std::move(outputs));
  return OkStatus();
}

}  // namespace ferry::engine
