// Models on the command line: conversion, description, tensors from and to JSON.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "device-runtime/engine/engine.h"

namespace ferry::cli {

// A converted model: the bytes of its .fm file, and what changed on the way.
struct ConvertedModel {
  Bytes file;
  Json summary;  // {"name","onnx_bytes","fm_bytes","nodes_before","nodes_after","operators":{op:n},
                 //  "compiled_operators":{op:n},"weight_bytes","parameters",...}
};

// ONNX to .fm. Errors name file and node: kBadModel, kUnsupportedOperator, kShapeMismatch.
Result<ConvertedModel> ConvertOnnx(const std::string& path);

// Opens a .fm file, or converts an .onnx file in memory.
Result<std::shared_ptr<const engine::Model>> OpenModel(const std::string& path);

// Inputs, outputs, operators, sizes; with the plan's memory where shapes allow one.
Json DescribeModel(const std::shared_ptr<const engine::Model>& model);
// The same, without steps and activations, of an .onnx file with operators that Ferry has not,
// which `unknown` then tells.
Result<Json> DescribeUnknown(const std::string& path, Status* unknown);
// {"architecture","parameters","weight_bytes","vocabulary","context"} of a .flm file.
Result<Json> DescribeLanguageModel(const std::string& path);
// {"adapter_of": digest of the base, "base": its family, "tensors", "rank"} of an adapter's file.
Result<Json> DescribeAdapterFile(const std::string& path);
std::string ModelText(const Json& description);

// `file`: .json (nested arrays of numbers) or raw little-endian elements of the input's dtype. The
// one free dimension that the data decides is filled in.
Result<engine::Tensor> ReadInput(const engine::IoInfo& input, const std::string& file);
// Nested arrays; of a sequence an array of its items, of nothing null.
Json TensorToJson(const engine::Tensor& tensor);
Json ValueToJson(const tensor::Value& value);

}  // namespace ferry::cli
