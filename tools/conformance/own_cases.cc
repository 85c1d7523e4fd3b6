#include "tools/conformance/own_cases.h"

#include "common/sys/filesystem.h"
#include "device-runtime/formats/testing/onnx_message.h"

namespace ferry::conformance {
namespace {

using formats::Message;

constexpr uint64_t kFloat = 1, kInt64 = 7;  // TensorProto.DataType
constexpr uint64_t kOpset = 13;

struct Data {
  uint64_t type;
  std::vector<int64_t> dims;
  std::string raw;
};

template <typename T>
Data Make(uint64_t type, std::vector<int64_t> dims, const std::vector<T>& values) {
  return {type, std::move(dims),
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
}
Data Floats(std::vector<int64_t> dims, const std::vector<float>& values) {
  return Make(kFloat, std::move(dims), values);
}
Data Integers(std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  return Make(kInt64, std::move(dims), values);
}

struct Set {
  std::vector<Data> inputs, outputs;
};

Message TensorProto(const Data& data) {
  Message out;
  for (int64_t dim : data.dims) out.Number(1, static_cast<uint64_t>(dim));
  return out.Number(2, data.type).Text(9, data.raw);
}

Message Io(const std::string& name, const Data& data) {
  Message shape;
  for (int64_t dim : data.dims) {
    shape.Sub(1, Message().Number(1, static_cast<uint64_t>(dim)));
  }
  return formats::ValueInfo(name, Message().Sub(1, Message().Number(1, data.type).Sub(2, shape)));
}

// A model of one node, whose values are named in_0, in_1... and out_0...
Message Model(std::string_view op, const Set& set) {
  Message node, graph;
  for (size_t i = 0; i < set.inputs.size(); ++i) node.Text(1, fmt::format("in_{}", i));
  for (size_t i = 0; i < set.outputs.size(); ++i) node.Text(2, fmt::format("out_{}", i));
  graph.Sub(1, node.Text(4, op)).Text(2, "case");
  for (size_t i = 0; i < set.inputs.size(); ++i) {
    graph.Sub(11, Io(fmt::format("in_{}", i), set.inputs[i]));
  }
  for (size_t i = 0; i < set.outputs.size(); ++i) {
    graph.Sub(12, Io(fmt::format("out_{}", i), set.outputs[i]));
  }
  return {formats::ModelOf(graph, kOpset)};
}

Status Write(const std::string& path, const Message& message) {
  sys::FileSystem& disk = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto file, disk.OpenForWrite(path, sys::WriteMode::kTruncate));
  FERRY_TRY(file->Append(message.bytes));
  return file->Close();
}

Status WriteCase(const std::string& folder, std::string_view op, const std::vector<Set>& sets) {
  sys::FileSystem& disk = sys::SystemFileSystem();
  for (size_t n = 0; n < sets.size(); ++n) {
    const std::string data = fmt::format("{}/test_data_set_{}", folder, n);
    FERRY_TRY(disk.MakeDirectories(data));
    for (size_t i = 0; i < sets[n].inputs.size(); ++i) {
      FERRY_TRY(Write(fmt::format("{}/input_{}.pb", data, i), TensorProto(sets[n].inputs[i])));
    }
    for (size_t i = 0; i < sets[n].outputs.size(); ++i) {
      FERRY_TRY(Write(fmt::format("{}/output_{}.pb", data, i), TensorProto(sets[n].outputs[i])));
    }
  }
  return Write(folder + "/model.onnx", Model(op, sets[0]));
}

struct Row {
  OwnCase about;
  std::string_view op;
  std::vector<Set> sets;
};

std::vector<Row> Rows() {
  const Data one_two = Floats({2}, {1, 2});
  const Data three = Floats({1}, {3});
  const Data matrix = Floats({2, 3}, {1, -2, 3, -4, 5, -6});
  const Set add{{one_two, three}, {Floats({2}, {4, 5})}};
  return {
      {{"add", ""}, "Add", {add}},
      {{"add_close", ""}, "Add", {{{one_two, three}, {Floats({2}, {4.003F, 5})}}}},
      {{"add_empty", ""}, "Add", {{{Floats({0}, {}), three}, {Floats({0}, {})}}}},
      {{"add_twice", ""}, "Add", {add, {{Floats({2}, {0, 1}), three}, {Floats({2}, {3, 4})}}}},
      {{"matmul", ""},
       "MatMul",
       {{{matrix, Floats({3, 1}, {1, 2, 3})}, {Floats({2, 1}, {6, -12})}}}},
      {{"relu", ""}, "Relu", {{{matrix}, {Floats({2, 3}, {1, 0, 3, 0, 5, 0})}}}},
      {{"shape", ""}, "Shape", {{{matrix}, {Integers({2}, {2, 3})}}}},
      {{"sub_ints", ""},
       "Sub",
       {{{Integers({2}, {5, 3}), Integers({1}, {1})}, {Integers({2}, {4, 2})}}}},
      {{"transpose", ""}, "Transpose", {{{matrix}, {Floats({3, 2}, {1, -4, -2, 5, 3, -6})}}}},
      {{"wrong/dtype", "i64 [2] instead of f32 [2]"}, "Shape", {{{matrix}, {Floats({2}, {2, 3})}}}},
      {{"wrong/integer", "1 of 2 elements differ, first [1]: 2 instead of 3"},
       "Sub",
       {{{Integers({2}, {5, 3}), Integers({1}, {1})}, {Integers({2}, {4, 3})}}}},
      {{"wrong/operator", "Frobnicate"}, "Frobnicate", {{{three}, {three}}}},
      {{"wrong/second_set", "data set 1: output 'out_0': 1 of 2 elements differ"},
       "Add",
       {add, {{Floats({2}, {0, 1}), three}, {Floats({2}, {3, 5})}}}},
      {{"wrong/value", "1 of 2 elements differ, first [0]: 4 instead of 4.00"},
       "Add",
       {{{one_two, three}, {Floats({2}, {4.005F, 5})}}}},
  };
}

}  // namespace

Result<std::vector<OwnCase>> WriteOwnCases(const std::string& directory) {
  std::vector<OwnCase> cases;
  for (const Row& row : Rows()) {
    FERRY_TRY(WriteCase(sys::JoinPath(directory, row.about.name), row.op, row.sets));
    cases.push_back(row.about);
  }
  return cases;
}

}  // namespace ferry::conformance
