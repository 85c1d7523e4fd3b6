// What a session of an engine keeps for its runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sdk/node/src/handle.h"

namespace ferry::node {

// Types, shapes and places pass in a Float64Array that JavaScript and the addon share, kCells
// numbers a tensor, inputs first: type, rank, eight extents, bytes, and of outputs where they go.
inline constexpr size_t kCells = 12;
inline constexpr size_t kRankCell = 1, kShapeCell = 2, kBytesCell = 10, kPlaceCell = 11;
// The numbers are those of lib/session.js.
enum class Place {
  kNone = 0,     // not wanted
  kGiven = 1,    // in a typed array
  kAsk = 2,      // how much it needs, by a run without room
  kSession = 3,  // the session's memory, copied when the run is done
};

struct RunState : Extra {
  std::shared_ptr<Inbox> inbox;
  ferry_engine_session* session = nullptr;
  bool is_running = false;  // runStart, without its runFinish
  double job = 0;           // of the run under way, for its message
  double* cells = nullptr;  // kCells a tensor; JavaScript keeps them as long as the session
  size_t input_count = 0;
  std::vector<const char*> output_names;  // live as long as the session
  std::vector<ferry_tensor> inputs;
  std::vector<ferry_tensor> outputs;            // those that are wanted
  std::vector<size_t> places;                   // which of the model's each is
  std::vector<std::vector<std::string>> texts;  // of inputs
  std::vector<std::vector<const char*>> text_pointers;
};

std::shared_ptr<RunState> NewRunState(Addon& addon, const ferry_engine* engine,
                                      ferry_engine_session* session);

}  // namespace ferry::node
