// What a session wishes of the devices beside the CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "device-runtime/tensor/budget.h"

namespace ferry::backends {

// kExact: only the order of sums may differ from the plain algorithm. kFast: numbers may be rounded
// to 16 bits where BackendSettings::error_bound allows it.
enum class Precision : uint8_t { kDefault, kExact, kFast };

struct BackendSettings {
  Precision precision = Precision::kDefault;
  // Largest error that an approximating algorithm may add, as max|a - b| / max|b| against the
  // direct one.
  double error_bound = 0;
  // Counts activations of the session, on the device too. Null: no limit.
  std::shared_ptr<tensor::MemoryBudget> budget;
  // Where compiled programs and measurements may be kept between processes; "": nowhere. The folder
  // need not be there.
  std::string cache_folder;
  // True: end what runs with kCancelled, soon. Null: nobody cancels. Lives as long as the part.
  const std::atomic<bool>* cancel = nullptr;
};

}  // namespace ferry::backends
