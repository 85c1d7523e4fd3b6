// A device beside the CPU: which primitives it runs, what they cost there, memory on it, and
// running a part of a program on it. README of backends says how to write one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/backend/settings.h"
#include "device-runtime/ir/program.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::backends {

// Bytes on a device, freed with it.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual int64_t bytes() const = 0;
};

// Constants on the device: each is brought there once a model and form, whatever sessions and parts
// use it. Given to Backend::Prepare, for its time.
class Uploads {
 public:
  using Memory = std::shared_ptr<const DeviceMemory>;
  virtual ~Uploads() = default;
  // What lies on the device for a constant of the part in a form that the backend names ("",
  // "winograd", ...). `upload` brings it there if nothing does yet; it may not come back to Get.
  // Errors are those of `upload`; kInternal where it gives nothing.
  virtual Result<Memory> Get(const tensor::Tensor& constant, const std::string& form,
                             const std::function<Result<Memory>()>& upload) = 0;
};

// A part of a program, prepared. One session's: one thread at a time.
class BackendPart {
 public:
  virtual ~BackendPart() = default;
  // Runs all steps, from the inputs (the program's, by BufferInfo::input) to the outputs
  // (Program::outputs); dense, at least as long as these buffers. May return before the end:
  // CopyOut waits for it, and gives its error.
  virtual Status Run(std::span<DeviceMemory* const> inputs,
                     std::span<DeviceMemory* const> outputs) = 0;
};

// Immutable, any thread; must outlive the models and sessions that use it. All costs are
// microseconds. What fails while a plan is made leaves steps to the CPU, with the error as the
// reason; what fails while it runs is the error of that run.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;  // small letters; not "cpu"
  // An error says why this machine has no such device.
  virtual Status Available() const { return OkStatus(); }
  // Names (ir::PrimitiveName) of those that Runs may take, for people.
  virtual std::vector<std::string> Primitives() const = 0;

  // Whether it runs this step of the program, whatever stands around it: primitive, dtypes, sizes.
  // It is not asked of steps on texts, nor of random numbers that the session's source draws.
  virtual bool Runs(const ir::Program& program, const ir::Step& step) const = 0;
  virtual double StepCost(const ir::Program& program, const ir::Step& step) const = 0;
  // One transfer between host and device, in either direction.
  virtual double CopyCost(int64_t bytes) const = 0;
  // Around each part: queueing it and waiting for its end.
  virtual double PartCost() const = 0;

  // Memory for at least so many bytes (1 or more), for inputs and outputs of parts.
  virtual Result<std::unique_ptr<DeviceMemory>> Allocate(int64_t bytes,
                                                         const BackendSettings& settings) const = 0;
  // Copies the first `bytes` of memory that this backend allocated. What the calls of one session
  // ask for happens in their order. CopyIn may return early if it keeps nothing of `host`.
  virtual Status CopyIn(const uint8_t* host, int64_t bytes, DeviceMemory& to) const = 0;
  virtual Status CopyOut(const DeviceMemory& from, int64_t bytes, uint8_t* host) const = 0;

  // Every step is one that Runs. Constants lie in the part's buffers, maybe unaligned.
  virtual Result<std::unique_ptr<BackendPart>> Prepare(ir::Program part, Uploads& uploads,
                                                       const BackendSettings& settings) const = 0;
};

}  // namespace ferry::backends
