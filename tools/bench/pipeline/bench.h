// What the parts of the pipeline's benchmark share. A part is a file and a row in main.cc's list.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::bench {

// A figure and what it must be: at least or at most `floor`; 0: told, not judged.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  double floor = 0;
  bool at_most = false;
  double aim = 0;  // 0: none
};

struct Options {
  int rounds = 5;  // a figure is the median over them
};

// ---- harness.cc

// Processor time of the calling thread, in seconds.
double ProcessorSeconds();
double MedianOf(std::vector<double> values);

// ---- device.cc

// tasks/ipv in an app: after page exit, and beside a package that is opened. In wall time; needs
// the program ferry beside this one.
Status MeasureDevice(const Options& options, std::vector<Figure>* out);

// ---- ipv.cc

// Bytes of tasks/ipv's features beside those of its events. From the top folder; needs python3.
Status MeasureIpv(const Options& options, std::vector<Figure>* out);

// ---- log.cc

// The log beside SQLite (WAL, synchronous=FULL) on the same disk, in turns.
Status MeasureLog(const Options& options, std::vector<Figure>* out);

// ---- realtime.cc

// From the top folder; needs the programs ferry, ferry-server and ferry-embed beside this one.
Status MeasureRealtime(const Options& options, std::vector<Figure>* out);

// ---- rules.cc

Status MeasureRules(const Options& options, std::vector<Figure>* out);

// ---- windows.cc

Status MeasureWindows(const Options& options, std::vector<Figure>* out);

}  // namespace ferry::bench
