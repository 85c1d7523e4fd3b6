// Options that commands on language models share, and the model that they name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/sys/executor.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/session.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

struct ModelOptions {
  std::string model;        // a Hugging Face folder, a GGUF or a .flm file
  int threads = 0;          // 0: one a core, or FERRY_THREADS
  std::string isa;          // empty: FERRY_ISA, else the fastest that runs
  int64_t kv_mb = 0;        // 0: llm::KvOptions says
  std::string kv;           // empty: as the model says
  std::string family_file;  // in place of config.json's model_type; empty: none
  bool exact = false;
  int64_t memory_mb = 0;          // 0: no limit
  std::string spill;              // folder for keys and values beyond their memory; empty: none
  std::vector<std::string> lora;  // [NAME=]PATH[:SCALE], summed in this order
};

inline constexpr int kMaxThreads = 1024;

// MODEL, --arch, --exact, --threads, --isa, --kv, --memory-mb, --kv-mb, --spill; gives MODEL's.
CLI::Option* AddModelOptions(CLI::App* command, ModelOptions& options);
// --lora, for commands that run the model.
void AddLoraOption(CLI::App* command, ModelOptions& options);
// All but MODEL, for commands that name theirs otherwise.
void AddRunOptions(CLI::App* command, ModelOptions& options);

// A model with the threads that it computes on. Keep it longer than what was made from it.
struct OpenedModel {
  std::shared_ptr<const llm::Model> model;
  std::unique_ptr<sys::Parallel> parallel;
  llm::KvOptions kv;
  std::shared_ptr<const llm::AdapterSet> adapters;  // of --lora, all of them; null: none
  // The same for who chooses one by its name: those without a name, alone and with each of the
  // others.
  std::shared_ptr<const llm::AdapterSet> unnamed;
  std::map<std::string, std::shared_ptr<const llm::AdapterSet>> named;
};

// What one --lora says: "style=folder:0.5", "folder:0.5", "folder". The part behind the last colon
// is a scale where it is a number; a name has no slash.
struct LoraOption {
  std::string name;  // empty: not named
  std::string path;
  float scale = 1;
};
// kInvalidArgument for an empty name or path.
Result<LoraOption> ParseLora(const std::string& text);

// Where it is remembered which model files are sound (LoadOptions::checked); empty: nowhere.
std::string CheckedFolder();
// Model and adapters. Progress on standard error when it takes longer than a second.
Result<OpenedModel> OpenModel(const ModelOptions& options);
// The model's chat template; null when it has none. One that cannot be used is none, and standard
// error says why.
const llm::ChatTemplate* TemplateOf(const llm::Model& model);
// A session that shares no prefixes: for measures that are to compute everything.
// `prefix_cache`: a folder of prefixes from other processes; empty: none.
// `encodes`: SessionOptions.
Result<std::unique_ptr<llm::Session>> NewSession(const OpenedModel& opened,
                                                 const std::string& prefix_cache = "",
                                                 bool encodes = false);

// {"architecture", "parameters", "weights": "bf16", "weight_bytes", "digest": hex ...}
Json ModelToJson(const llm::Model& model);
// Names of instruction set and threads, as JSON members "isa" and "threads".
Status AddMachine(const ModelOptions& options, const OpenedModel& opened, Json* to);

}  // namespace ferry::cli
