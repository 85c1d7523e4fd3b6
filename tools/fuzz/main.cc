// ferry-fuzz without libFuzzer: lists targets, writes their seeds, runs files or a plain mutator.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "common/sys/filesystem.h"
#include "tools/fuzz/mutate.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

constexpr size_t kMaxInputBytes = 64 << 10;

struct Arguments {
  std::string target;
  std::vector<std::string> files;
  std::string seeds_folder;
  double seconds = 10;
  uint32_t seed = 1;
};

Status RunFiles(const Target& target, const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(sys::SystemFileSystem(), path));
    target.run(bytes);
    fmt::print("ran {} ({} bytes)\n", path, bytes.size());
  }
  return OkStatus();
}

void RunMutations(const Target& target, const Arguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.seconds);
  std::mt19937 random(arguments.seed);
  const std::vector<Bytes> seeds = target.seeds();
  int64_t runs = 0;
  for (; Clock::now() < end; ++runs) {
    target.run(Mutate(seeds[random() % seeds.size()], seeds, kMaxInputBytes, random));
  }
  fmt::print("{}: {} inputs, none broke it\n", target.name, runs);
}

Status Run(const Arguments& arguments) {
  const Target* target = FindTarget(arguments.target);
  if (target == nullptr) {
    for (const Target& each : Targets()) fmt::print("{}\n", each.name);
    if (arguments.target.empty()) return OkStatus();
    return Status::Of(Code::kNotFound, "no target '{}'; they are listed above", arguments.target);
  }
  if (!arguments.seeds_folder.empty()) return WriteSeeds(*target, arguments.seeds_folder);
  if (!arguments.files.empty()) return RunFiles(*target, arguments.files);
  RunMutations(*target, arguments);
  return OkStatus();
}

}  // namespace
}  // namespace ferry::fuzz

int main(int argc, char** argv) {
  ferry::fuzz::Arguments arguments;
  CLI::App app("Runs one fuzz target on mutated seeds, or on files. Without a target lists them.");
  app.add_option("target", arguments.target, "name of the target");
  app.add_option("files", arguments.files, "files to run once, such as what crashed");
  app.add_option("--seconds", arguments.seconds, "how long to mutate")->capture_default_str();
  app.add_option("--seed", arguments.seed, "of the mutator")->capture_default_str();
  app.add_option("--write-seeds", arguments.seeds_folder, "writes the target's seeds there");
  CLI11_PARSE(app, argc, argv);
  const ferry::Status status = ferry::fuzz::Run(arguments);
  if (status.ok()) return 0;
  fmt::print(stderr, "ferry-fuzz: {}\n", status.message());
  return 1;
}
