// A device beside the CPU: which primitives it runs, what they cost there, and running a part of a
// program on it. README of backends says how to write one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/base/status.h"
#include "device-runtime/ir/program.h"

namespace ferry::backends {

// A part of a program, prepared: its constants lie on the device, its activations have memory
// there.
class BackendPart {
 public:
  virtual ~BackendPart() = default;
  // Copies the inputs (the program's, by BufferInfo::input) to the device, runs all steps and
  // copies the outputs (Program::outputs) back; returns when they are there. Host memory, dense.
  virtual Status Run(std::span<const uint8_t* const> inputs, std::span<uint8_t* const> outputs) = 0;
};

// Immutable, any thread; must outlive the sessions that use it. All costs are microseconds.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;
  // Whether it runs this step of the program, whatever stands around it: primitive, dtypes, sizes.
  virtual bool Runs(const ir::Program& program, const ir::Step& step) const = 0;
  virtual double StepCost(const ir::Program& program, const ir::Step& step) const = 0;
  // One transfer between host and device, in either direction.
  virtual double CopyCost(int64_t bytes) const = 0;
  // Around each part: queueing it and waiting for its end.
  virtual double PartCost() const = 0;
  // Every step is one that Runs. kOutOfMemory when the device has not enough: the plan fails.
  virtual Result<std::unique_ptr<BackendPart>> Prepare(ir::Program part) const = 0;
};

}  // namespace ferry::backends
