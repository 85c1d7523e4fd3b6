#include "device-runtime/llm/testing/random_adapter.h"

#include <cmath>
#include <random>

#include "common/base/json.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm::testing {
namespace {

// Tensors of two extents that blocks read as numbers have few columns, of convolutions, or are the
// embedding and positions.
bool ReadByProduct(const Model& base, const TensorSpec& spec) {
  const Description& d = base.description();
  if (spec.shape.size() != 2 || spec.name == d.embedding || spec.name == d.positions) return false;
  return spec.name.find("conv.conv") == std::string::npos &&
         spec.name.find("conv1d") == std::string::npos;
}

TinyTensor Numbers(const std::string& name, int64_t rows, int64_t columns, double spread,
                   const std::string& dtype, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, spread);
  TinyTensor tensor{name, {rows, columns}, dtype, {}};
  for (int64_t i = 0; i < rows * columns; ++i) {
    const auto value = static_cast<float>(normal(random));
    uint8_t bytes[4];
    if (dtype == "F32") {
      PutU32(bytes, std::bit_cast<uint32_t>(value));
      tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + 4);
      continue;
    }
    const uint16_t half =
        dtype == "F16" ? tensor::FloatToHalf(value) : tensor::FloatToBFloat16(value);
    PutU32(bytes, half);
    tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + 2);
  }
  return tensor;
}

}  // namespace

Json PeftConfigOf(const RandomAdapterOptions& options) {
  return {{"peft_type", "LORA"},
          {"r", options.rank},
          {"lora_alpha", options.alpha},
          {"bias", "none"},
          {"modules_to_save", nullptr},
          {"fan_in_fan_out", false},
          {"init_lora_weights", true},
          {"base_model_name_or_path", "a random model"},
          {"target_modules", {"q_proj", "v_proj"}}};
}

std::vector<TinyTensor> RandomAdapterTensors(const Model& base,
                                             const RandomAdapterOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<TinyTensor> tensors;
  for (const TensorSpec& spec : base.state().specs) {
    if (!ReadByProduct(base, spec) || (options.takes && !options.takes(spec.name))) continue;
    const int64_t rows = spec.shape[0];
    const int64_t columns = spec.shape[1];
    constexpr std::string_view kWeight = ".weight";
    const std::string module =
        "base_model.model." + spec.name.substr(0, spec.name.size() - kWeight.size());
    // Rows of A keep the size of what they meet; B spreads it over `rank` numbers.
    const double factor = options.alpha / static_cast<double>(options.rank);
    tensors.push_back(Numbers(module + ".lora_A.weight", options.rank, columns,
                              1 / std::sqrt(static_cast<double>(columns)), options.dtype, random));
    tensors.push_back(
        Numbers(module + ".lora_B.weight", rows, options.rank,
                options.spread / factor / std::sqrt(static_cast<double>(options.rank)),
                options.dtype, random));
  }
  return tensors;
}

Status WriteAdapterFolder(sys::FileSystem& fs, const std::string& folder, const Json& config,
                          const std::vector<TinyTensor>& tensors) {
  FERRY_TRY(fs.MakeDirectories(folder));
  FERRY_TRY(sys::WriteFileAtomically(fs, sys::JoinPath(folder, "adapter_config.json"),
                                     ToBytes(WriteJson(config))));
  return sys::WriteFileAtomically(fs, sys::JoinPath(folder, "adapter_model.safetensors"),
                                  SafetensorsFile(tensors));
}

void MergeInto(const LowRank& change, double factor, bool transposed, std::vector<float>* numbers) {
  const int64_t rows = change.b.rows;
  const int64_t columns = change.a.columns;
  const int64_t rank = change.rank();
  std::vector<float> a(static_cast<size_t>(rank * columns));
  std::vector<float> b(static_cast<size_t>(rows * rank));
  for (int64_t j = 0; j < rank; ++j) kernels::WidenRow(change.a, j, a.data() + j * columns);
  for (int64_t r = 0; r < rows; ++r) kernels::WidenRow(change.b, r, b.data() + r * rank);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (int64_t j = 0; j < rank; ++j) {
        sum += static_cast<double>(b[static_cast<size_t>(r * rank + j)]) *
               static_cast<double>(a[static_cast<size_t>(j * columns + c)]);
      }
      float& number = (*numbers)[static_cast<size_t>(transposed ? c * rows + r : r * columns + c)];
      number = static_cast<float>(static_cast<double>(number) +
                                  factor * static_cast<double>(change.scale) * sum);
    }
  }
}

}  // namespace ferry::llm::testing
