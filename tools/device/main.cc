// ferry-device: one device as a program. `ferry-device --help` shows examples.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/device/commands.h"

namespace {

constexpr int kExitUsage = 2;
constexpr char kExamples[] =
    "Examples:\n"
    "  ferry-device run --dir state --join TOKEN --profile profile.json --events events.jsonl\n"
    "  ferry-device run --dir state --profile profile.json --no-push --poll-seconds 5\n"
    "  ferry-device simulate digits-1.0.0.fpk --json\n"
    "  ferry-device status --dir state --json\n";

void AddRun(CLI::App& app, ferry::device::RunOptions* run) {
  CLI::App* command = app.add_subcommand("run", "Be a device until SIGTERM");
  command->add_option("--dir", run->directory, "State directory")->required();
  command->add_option(
      "--join", run->join,
      "Join token, or a file with it (an empty one is none); for the first start, and where the "
      "server forgot the device");
  command
      ->add_option("--profile", run->profile_file,
                   "JSON: os, app_version, device_class, tags, user; else what was said before")
      ->check(CLI::ExistingFile);
  command->add_option("--user", run->user,
                      "plan=pro: what rules ask as user(\"plan\") (may repeat)");
  command->add_flag_callback(
      "--no-push", [run] { run->push = false; }, "Ask for no wake-ups; find out by polling alone");
  command->add_option("--poll-seconds", run->poll_seconds, "Mean time between polls")
      ->check(CLI::Range(0.05, 1e6))
      ->capture_default_str();
  command
      ->add_option("--measure-seconds", run->measure_seconds,
                   "How long after its first event a package is measured for the gates")
      ->check(CLI::Range(0.05, 1e6))
      ->capture_default_str();
  command->add_option("--events", run->events, "JSON lines: a file that is tailed, or - for stdin");
  command->add_option("--results", run->results, "File for result lines, or - for stdout");
  command->add_option("--status-file", run->status_file, "JSON, replaced as the status changes");
  command->add_option("--conditions", run->conditions,
                      "JSON: idle, charging, unmetered, utc_offset_minutes, for releases that wait "
                      "for them; read again while one does");
  command->add_option(
      "--at-rest-key", run->at_rest_key,
      "File with 32 bytes or 64 hexadecimal characters, or - for stdin: seals packages "
      "that ask for it on this disk; keep it elsewhere");
  command->add_flag("--forget-sealed", run->forget_sealed,
                    "When the key is lost: remove rows, tables and state that lie sealed under it, "
                    "and go on");
  command
      ->add_option("--consent", run->consent,
                   "Whether rows of tasks may go to the server, yes or no; kept, and yes until it "
                   "is said")
      ->check(CLI::IsMember({"yes", "no"}));
  command->add_option("--threads", run->threads, "Threads of kernels")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

void AddSimulate(CLI::App& app, ferry::device::SimulateOptions* simulate) {
  CLI::App* command = app.add_subcommand("simulate", "Run a package on its recorded cases");
  command->add_option("package", simulate->package_file, "The .fpk file")->required();
  command->add_flag("--json", simulate->json, "End with one line of JSON");
  command->add_option("--memory-mb", simulate->memory_mb, "Limit of address space")
      ->check(CLI::Range(64, 1 << 20))
      ->capture_default_str();
  command->add_option("--isa", simulate->isa,
                      "Instruction set of the kernels: reference, avx2, neon, ...; the fastest");
  command->add_option("--cases-of", simulate->cases_of,
                      "Run the recorded cases of this package instead of its own");
  command->add_flag("--outputs", simulate->outputs, "Report what each case gave");
  command->add_flag("--details", simulate->details,
                    "Report what each case printed, gave and took, for who writes the script");
  command->add_option("--cpu-seconds", simulate->cpu_seconds, "Limit of processor time")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
}

void AddGraph(CLI::App& app, ferry::device::GraphOptions* graph) {
  CLI::App* command =
      app.add_subcommand("graph", "Print the graph of a package's model as one line of JSON");
  command->add_option("package", graph->package_file, "The .fpk file")->required();
  command->add_option("--model", graph->model, "Its .fm file, where there are several");
}

void AddStatus(CLI::App& app, ferry::device::StatusOptions* status) {
  CLI::App* command = app.add_subcommand("status", "Show what the state directory says");
  command->add_option("--dir", status->directory, "State directory")->required();
  command->add_flag("--json", status->json, "One JSON object");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("ferry-device: runs tasks and models that a Ferry server releases", "ferry-device");
  app.footer(kExamples);
  app.require_subcommand(1);
  ferry::device::RunOptions run;
  ferry::device::SimulateOptions simulate;
  ferry::device::GraphOptions graph;
  ferry::device::StatusOptions status;
  AddRun(app, &run);
  AddSimulate(app, &simulate);
  AddGraph(app, &graph);
  AddStatus(app, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "ferry-device: usage: %s (try --help)\n", error.what());
    return kExitUsage;
  }
  if (app.got_subcommand("run")) return ferry::device::Run(run);
  if (app.got_subcommand("simulate")) return ferry::device::Simulate(simulate);
  if (app.got_subcommand("graph")) return ferry::device::PrintGraph(graph);
  return ferry::device::PrintStatus(status);
}
