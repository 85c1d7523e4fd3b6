// Rows of tasks' tables; each is a commit, so each is a promise.
#include "sdk/node/src/handle.h"

namespace ferry::node {
namespace {

// name(runtime, package, table, json), a promise for the text that `call` fills in
template <int (*F)(ferry_runtime*, const char*, const char*, const char*, char**)>
napi_value Read(const Args& args) {
  return AnswerText(
      args, true,
      [runtime = RawOf<ferry_runtime>(args, 0, Kind::kRuntime), package = args.Text(1),
       table = args.Text(2), json = args.Text(3)](char** out) {
        return F(runtime, package.c_str(), table.c_str(), json.c_str(), out);
      });
}

template <int (*F)(ferry_runtime*, const char*, const char*, const char*)>
napi_value Write(const Args& args) {
  return Answer(args, true,
                [runtime = RawOf<ferry_runtime>(args, 0, Kind::kRuntime), package = args.Text(1),
                 table = args.Text(2), json = args.Text(3)] {
                  return F(runtime, package.c_str(), table.c_str(), json.c_str());
                });
}

}  // namespace

std::vector<Row> TableRows() {
  return {{"tableGet", &Entry<&Read<&ferry_table_get>>},
          {"tableRange", &Entry<&Read<&ferry_table_range>>},
          {"tablePut", &Entry<&Write<&ferry_table_put>>},
          {"tableDelete", &Entry<&Write<&ferry_table_delete>>}};
}

}  // namespace ferry::node
