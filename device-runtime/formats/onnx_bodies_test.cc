// Bodies and functions. Any operator may have bodies here: what they are for is the operator's
// affair.
#include <gtest/gtest.h>
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/testing/onnx_message.h"
#include "device-runtime/ir/text.h"

namespace ferry::formats {
namespace {

std::string ImportedBodies(const Bytes& file) {
  auto graph = ImportOnnx(file);
  if (!graph.ok()) return graph.status().ToString();
  return ir::Print(*graph);
}

void ExpectText(const Bytes& file, std::string_view text) {
  const std::string all = ImportedBodies(file);
  EXPECT_NE(all.find(text), std::string::npos) << all;
}

Message FloatOne(std::string_view name) {
  return Message().Number(1, 1).Number(2, 1).Float(4, 1).Text(8, name);
}

TEST(OnnxBodies, CaptureValuesThroughBodies) {
  // a reads x, and its own body x and h; b reads the constant w and passes h on.
  const Message inner =
      Message().Sub(1, Node("Add", {"x", "h"}, {"sum"}, "add")).Sub(12, ValueInfo("sum"));
  const Message a =
      Message()
          .Text(2, "a")
          .Sub(1, Node("Relu", {"i"}, {"r"}, "deep").Sub(5, GraphAttribute("body", inner)))
          .Sub(11, Message().Text(1, "i"))
          .Sub(12, ValueInfo("r"));
  const Message b = Message()
                        .Sub(1, Node("Neg", {"w"}, {"n"}, "neg"))
                        .Sub(12, ValueInfo("n"))
                        .Sub(12, ValueInfo("h"));
  const Message node = Node("Relu", {"h"}, {"y"}, "outer")
                           .Sub(5, GraphAttribute("z", a))
                           .Sub(5, GraphAttribute("b", b));
  const Message graph = Message()
                            .Sub(1, Node("Relu", {"x"}, {"h"}, "first"))
                            .Sub(1, node)
                            .Sub(5, FloatOne("w"))
                            .Sub(11, ValueInfo("x"))
                            .Sub(12, ValueInfo("y"));
  EXPECT_EQ(ImportedBodies(ModelOf(graph)),
            "graph graph\n"
            "input x f32 [2]\n"
            "node Relu@17 first (x) -> (h)\n"
            "node Relu@17 outer (h, h, x, h) -> (y) captured 3 b=g z=g\n"
            "{\n"
            "graph body captured 1\n"
            "input h f32 [2]\n"
            "const w f32 [1] = 1\n"
            "node Neg@17 neg (w) -> (n)\n"
            "output n f32 [2]\n"
            "output h f32 [2]\n"
            "}\n"
            "{\n"
            "graph a captured 2\n"
            "input i ?\n"
            "input x f32\n"
            "input h ?\n"
            "node Relu@17 deep (i, x, h) -> (r) captured 2 body=g\n"
            "{\n"
            "graph body captured 2\n"
            "input x f32\n"
            "input h ?\n"
            "node Add@17 add (x, h) -> (sum)\n"
            "output sum f32 [2]\n"
            "}\n"
            "output r f32 [2]\n"
            "}\n"
            "output y f32 [2]\n");
}

TEST(OnnxBodies, BrokenOnes) {
  auto with = [](const Message& body) {
    return ModelOf(OneNode(Node("Relu", {"x"}, {"y"}).Sub(5, GraphAttribute("body", body))));
  };
  ExpectText(
      with(Message().Sub(1, Node("Relu", {"q"}, {"r"}, "in"))),
      "node 'the node' (Relu, opset 17): body 'body': node 'in' (Relu, opset 17): reads 'q'");
  ExpectText(with(Message().Sub(1, Node("Relu", {"x"}, {"x"}, "in"))), "two values are named 'x'");
  ExpectText(with(Message().Sub(1, Node("Relu", {"y"}, {"r"}, "in"))), "reads 'y'");
  ExpectText(with(Message().Sub(12, ValueInfo("r"))), "'r' is never made");
  ExpectText(with(Message().Sub(1, Node("Frob", {"x"}, {"r"}, "in"))),
             "'Frob' (node 'in', opset 17)");
  Message deep = Message().Sub(1, Node("Relu", {"x"}, {"bottom"}));
  for (int i = 0; i < 20; ++i) {
    deep = Message().Sub(
        1, Node("Relu", {"x"}, {fmt::format("v{}", i)}).Sub(5, GraphAttribute("body", deep)));
  }
  ExpectText(with(deep), "limit_exceeded");
}

// A model of one node that calls `f` of domain "d".
Bytes CallOf(const Message& call, std::initializer_list<Message> functions) {
  Message model = Message().Sub(8, Opset(17)).Sub(8, Opset(1, "d"));
  model.Sub(7, OneNode(Message(call).Text(7, "d")));
  for (const Message& function : functions) model.Sub(25, function);
  return model.bytes;
}

Message Function(std::string_view name, std::initializer_list<std::string_view> in,
                 std::initializer_list<std::string_view> out) {
  Message function = Message().Text(1, name).Text(10, "d").Sub(9, Opset(15)).Sub(9, Opset(1, "d"));
  for (std::string_view input : in) function.Text(4, input);
  for (std::string_view output : out) function.Text(5, output);
  return function;
}

TEST(OnnxFunctions, AreInlined) {
  Message f = Function("f", {"x", "unused"}, {"out"});
  f.Text(6, "axis");
  f.Sub(11, IntAttribute("keep", 0));
  f.Sub(7, Node("Softmax", {"x"}, {"y"}, "soft").Sub(5, RefAttribute("axis", "axis", 2)));
  f.Sub(7, Node("g", {"y", "unused"}, {"t"}, "call").Text(7, "d"));
  f.Sub(7,
        Node("ReduceSum", {"t", ""}, {"out"}, "sum").Sub(5, RefAttribute("keepdims", "keep", 2)));
  Message g = Function("g", {"a", "b"}, {"c"});
  g.Sub(7, Node("Clip", {"a", "b"}, {"c"}, "clip").Sub(5, RefAttribute("gone", "none", 2)));
  EXPECT_EQ(
      ImportedBodies(CallOf(Node("f", {"x"}, {"y"}, "n").Sub(5, IntAttribute("axis", 1)), {f, g})),
      "graph graph\n"
      "input x f32 [2]\n"
      "node Softmax@15 n/soft (x) -> (n/y) axis=i1\n"
      "node Clip@15 n/call/clip (n/y) -> (n/t)\n"
      "node ReduceSum@15 n/sum (n/t) -> (y) keepdims=i0\n"
      "output y f32 [2]\n");
}

TEST(OnnxFunctions, OutputsThatAreInputsAreCopied) {
  const Message f = Function("f", {"x"}, {"x"});
  EXPECT_EQ(ImportedBodies(CallOf(Node("f", {"x"}, {"y"}, "n"), {f})),
            "graph graph\ninput x f32 [2]\nnode Identity y (x) -> (y)\noutput y f32 [2]\n");
}

TEST(OnnxFunctions, FreshNamesYieldToTheModels) {
  Message f = Function("f", {"x"}, {"out"});
  f.Sub(7, Node("Relu", {"x"}, {"t"}, "a")).Sub(7, Node("Relu", {"t"}, {"out"}, "b"));
  Message graph = Message()
                      .Sub(1, Node("f", {"x"}, {"one"}, "n").Text(7, "d"))
                      .Sub(1, Node("f", {"one"}, {"n/t"}, "n").Text(7, "d"))
                      .Sub(11, ValueInfo("x"))
                      .Sub(12, ValueInfo("n/t"));
  const Bytes file = Message().Sub(8, Opset(17)).Sub(7, graph).Sub(25, f).bytes;
  EXPECT_EQ(ImportedBodies(file),
            "graph graph\n"
            "input x f32 [2]\n"
            "node Relu@15 n/a (x) -> (n/t.1)\n"
            "node Relu@15 n/b (n/t.1) -> (one)\n"
            "node Relu@15 n/a (one) -> (n/t.2)\n"
            "node Relu@15 n/b (n/t.2) -> (n/t)\n"
            "output n/t f32 [2]\n");
}

TEST(OnnxFunctions, BodiesInsideAndHandedOver) {
  // f runs the body that it is given in a body of its own; both read values around them.
  Message f = Function("f", {"a"}, {"out"});
  const Message own =
      Message()
          .Sub(1, Node("Relu", {"a"}, {"r"}, "in").Sub(5, RefAttribute("body", "given", 5)))
          .Sub(12, ValueInfo("r"));
  f.Sub(7, Node("Neg", {"a"}, {"out"}, "neg").Sub(5, GraphAttribute("own", own)));
  const Message given = Message().Sub(1, Node("Neg", {"x"}, {"q"}, "q")).Sub(12, ValueInfo("q"));
  EXPECT_EQ(ImportedBodies(
                CallOf(Node("f", {"x"}, {"y"}, "n").Sub(5, GraphAttribute("given", given)), {f})),
            "graph graph\n"
            "input x f32 [2]\n"
            "node Neg@15 n/neg (x, x) -> (y) captured 1 own=g\n"
            "{\n"
            "graph body captured 1\n"
            "input x f32\n"
            "node Relu@15 in (x, x) -> (r) captured 1 body=g\n"
            "{\n"
            "graph body captured 1\n"
            "input x f32\n"
            "node Neg@15 q (x) -> (q)\n"
            "output q f32 [2]\n"
            "}\n"
            "output r f32 [2]\n"
            "}\n"
            "output y f32 [2]\n");
}

TEST(OnnxFunctions, BrokenOnes) {
  Message self = Function("f", {"x"}, {"y"});
  self.Sub(7, Node("f", {"x"}, {"y"}, "again").Text(7, "d"));
  ExpectText(CallOf(Node("f", {"x"}, {"y"}), {self}), "function 'f' calls itself");
  const Message none = Function("f", {"x"}, {"never"});
  ExpectText(CallOf(Node("f", {"x"}, {"y"}), {none}), "never makes its output 'never'");
  ExpectText(CallOf(Node("f", {"x", "x"}, {"y"}), {none}), "2 inputs and 1 outputs for a function");
  ExpectText(CallOf(Node("h", {"x"}, {"y"}), {none}), "'d:h' (node 'the node', opset 1)");
  ExpectText(ModelOf(OneNode(Node("Relu", {"x"}, {"y"}).Sub(5, RefAttribute("a", "b", 2)))),
             "outside a function");
}

// Functions that call the next one twice: 2^40 nodes from a small file.
TEST(OnnxFunctions, ExplosionsAreStopped) {
  Message model = Message().Sub(8, Opset(17)).Sub(8, Opset(1, "d"));
  model.Sub(7, OneNode(Node("f0", {"x"}, {"y"}).Text(7, "d")));
  for (int i = 0; i < 40; ++i) {
    Message f = Function(fmt::format("f{}", i), {"x"}, {"y"});
    const std::string next = fmt::format("f{}", i + 1);
    f.Sub(7, Node(next, {"x"}, {"t"}).Text(7, "d")).Sub(7, Node(next, {"t"}, {"y"}).Text(7, "d"));
    model.Sub(25, f);
  }
  model.Sub(25, Function("f40", {"x"}, {"y"}).Sub(7, Node("Relu", {"x"}, {"y"})));
  ExpectText(model.bytes, "limit_exceeded");
}

// A long text that each of many nodes takes from the call.
TEST(OnnxFunctions, AttributesOfCallsAreCounted) {
  Message f = Function("f", {"x"}, {"v4000"});
  f.Sub(7, Node("Relu", {"x"}, {"v0"}));
  for (int i = 0; i < 4000; ++i) {
    f.Sub(7, Node("Relu", {fmt::format("v{}", i)}, {fmt::format("v{}", i + 1)})
                 .Sub(5, RefAttribute("a", "text", 3)));
  }
  const Message text = Message().Text(1, "text").Text(4, std::string(100'000, 't')).Number(20, 3);
  ExpectText(CallOf(Node("f", {"x"}, {"y"}).Sub(5, text), {f}), "limit_exceeded");
}

}  // namespace
}  // namespace ferry::formats
