// The commands of ferry-device. Each returns the program's exit status: 0, or 1 after an error that
// was printed to standard error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ferry::device {

struct RunOptions {
  std::string directory;
  std::string join;               // token text or the name of a file that holds it; empty: enrolled
  std::string profile_file;       // JSON of policy attributes; empty: nothing known
  std::vector<std::string> user;  // "key=value", attributes of the user beside the profile's
  bool push = true;
  double poll_seconds = 6 * 3600;
  double measure_seconds = 60;
  std::string events;          // file or FIFO of JSON lines that is tailed; "-": standard input
  std::string results;         // file that result lines are added to; "-": standard output
  std::string status_file;     // replaced as the status changes; empty: none
  int threads = 1;             // of kernels
  std::string conditions;      // JSON file of what the host is at; empty: none
  std::string at_rest_key;     // file with the key, "-": standard input; empty: none
  bool forget_sealed = false;  // what lies sealed under a key that is lost goes
  std::string consent;         // "yes" or "no", which is kept; empty: as it was
};
// Runs until SIGTERM or SIGINT.
int Run(const RunOptions& options);

struct SimulateOptions {
  std::string package_file;
  bool json = false;
  int64_t memory_mb = 4096;  // of address space
  int64_t cpu_seconds = 300;
  std::string isa;       // of the kernels; empty: the fastest that runs here
  std::string cases_of;  // a package whose recorded cases are run; empty: its own
  bool outputs = false;  // the report has what each case gave
  bool details = false;  // and what it printed, said and took
};
// Runs the package's recorded cases within the limits, as the server's simulation gate calls it:
// 0 when all passed. With `json` the last line of standard output is the report, that of
// TaskHost::Simulate with "peak_bytes", the most memory that the process had in use. An instruction
// set that does not run here gives {"not_here": its name} instead, and 1.
int Simulate(const SimulateOptions& options);

struct GraphOptions {
  std::string package_file;
  std::string model;  // of a package with several
};
// Prints the graph of the package's model as a line of JSON (tools/model_graph), as the server asks
// for it; of a failure {"error":{"code","name","text"}}, and 1.
int PrintGraph(const GraphOptions& options);

struct StatusOptions {
  std::string directory;
  bool json = false;
};
// What the state directory says, whether a device runs on it or not.
int PrintStatus(const StatusOptions& options);

}  // namespace ferry::device
