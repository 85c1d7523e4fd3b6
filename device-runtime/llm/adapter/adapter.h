// LoRA adapters: low-rank changes of some of a model's matrices, applied beside them and never
// merged: y = W x + scale * B (A x). Source: Hu et al., "LoRA" (2021).
//
//   FERRY_ASSIGN_OR_RETURN(auto adapter, llm::Adapter::Load(fs, "style", model));
//   FERRY_ASSIGN_OR_RETURN(auto set, llm::AdapterSet::Create(model, {{adapter, 1.0f}}));
//   FERRY_ASSIGN_OR_RETURN(auto session, llm::Session::Create(model, {.adapters = set}));
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

inline constexpr int64_t kMaxAdapterRank = 512;
inline constexpr size_t kMaxAdaptersOfSet = 16;

// The change of one matrix. Borrows an adapter's numbers, float32 or bfloat16; of a base whose
// products meet rows of 8 bits (few bits, unless LoadOptions::exact) always bfloat16.
struct LowRank {
  std::string name;         // of the tensor
  kernels::WeightMatrix a;  // [rank][columns]
  kernels::WeightMatrix b;  // [rows][rank]
  float scale = 0;          // alpha / rank, or alpha / sqrt(rank)

  int64_t rank() const { return a.rows; }
};

// Immutable and shared; keeps its base. Any thread.
class Adapter {
 public:
  // A folder of Hugging Face's PEFT or a file that WriteAdapterFile wrote. A file is for the base
  // of its digest alone; a folder names none, so that names and shapes must be the base's. Errors
  // name file and tensor: kNotFound, kMalformed (JSON), kUnsupported (DoRA, modules_to_save and
  // others that are no low-rank change of a product), kBadModel (another base, wrong shapes or
  // ranks, NaN, a damaged file), kLimitExceeded (a rank over kMaxAdapterRank), kOutOfMemory.
  static Result<std::shared_ptr<const Adapter>> Load(sys::FileSystem& fs, const std::string& path,
                                                     std::shared_ptr<const Model> base);
  // Such a file in memory that lives as long as `owner`.
  static Result<std::shared_ptr<const Adapter>> FromBytes(ByteView file,
                                                          std::shared_ptr<const void> owner,
                                                          std::shared_ptr<const Model> base);
  ~Adapter();

  const Model& base() const;
  // In the order of the base's tensors.
  const std::vector<LowRank>& changes() const;
  // Of the tensor at a place among the base's (Matrix::tensor), or null.
  const LowRank* Of(int32_t tensor) const;
  int64_t rank() const;  // the largest
  int64_t parameters() const;
  int64_t bytes() const;  // as stored
  // SHA-256 over what it changes: equal for folder and file.
  const Digest& digest() const;

  struct State;  // of bind.h
  explicit Adapter(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

// What some rows of a forward pass have: adapters of one base, each with a factor of its own,
// summed in this order. Immutable; any thread.
class AdapterSet {
 public:
  struct Part {
    std::shared_ptr<const Adapter> adapter;
    float scale = 1;
  };
  // Null for no parts. kInvalidArgument for an adapter of another base or a scale that is not
  // finite, kLimitExceeded past kMaxAdaptersOfSet.
  static Result<std::shared_ptr<const AdapterSet>> Create(const std::shared_ptr<const Model>& base,
                                                          std::vector<Part> parts);

  const Model& base() const { return *base_; }
  std::span<const Part> parts() const { return parts_; }
  // Of adapters and scales: what rows of a model depend on beside their tokens.
  const Digest& digest() const { return digest_; }

 private:
  AdapterSet() = default;
  std::shared_ptr<const Model> base_;
  std::vector<Part> parts_;
  Digest digest_{};
};

// kInvalidArgument unless `adapters` is null or of `model`.
Status CheckAdapters(const AdapterSet* adapters, const Model& model);
// Where prefixes that were read with `adapters` (or null) are shared, of those who share `scope`.
PrefixScope ScopeWith(const AdapterSet* adapters, const PrefixScope& scope = {});

// Whether `path` is a PEFT folder or an adapter's file rather than a model.
bool IsAdapter(sys::FileSystem& fs, const std::string& path);
// Writes an adapter with its base's digest (file/format.h), its numbers as it has them (a base that
// was loaded exact keeps float32), and returns the file's size; the old file or the new.
Result<int64_t> WriteAdapterFile(sys::FileSystem& fs, const Adapter& adapter,
                                 const std::string& path);

}  // namespace ferry::llm
