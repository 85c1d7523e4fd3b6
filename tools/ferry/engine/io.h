// Inputs and outputs of models as files and numbers: what `ferry run`, `compare` and `bench` share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device-runtime/engine/engine.h"
#include "tools/ferry/engine/picture.h"

namespace ferry::cli {

using InputShapes = std::map<std::string, std::vector<int64_t>>;  // by the input's name

// The model's input that `text` ("NAME=FILE", or "FILE" where there is one input) names, read from
// its file: .npy, .json, a picture (of the input's shape, see PictureTensor), or raw elements.
// kInvalidArgument for a name that the model has not.
Result<engine::NamedTensor> ReadNamedInput(const engine::Model& model, const std::string& text,
                                           const InputShapes& shapes = {},
                                           const PictureOptions& picture = {});

// "image f32 [n,3,224,224]"
std::string InputText(const engine::IoInfo& input);

// kInvalidArgument names the inputs that `given` lacks, with type, shape and how to give them.
Status CheckInputsGiven(const engine::Model& model, const std::vector<engine::NamedTensor>& given);

// Inputs that are not given, made up by the seed: floats in [-1, 1), integers 0 or 1 (8 bit ones
// over their whole range), free dimensions from `shapes`, else 1.
// kUnsupported for an input that is no tensor.
Result<std::vector<engine::NamedTensor>> FillInputs(const engine::Model& model,
                                                    std::vector<engine::NamedTensor> given,
                                                    const InputShapes& shapes, uint64_t seed);

// "NAME=1x3x224x224"; kInvalidArgument says what is wrong.
Result<std::pair<std::string, std::vector<int64_t>>> ParseInputShape(const std::string& text);
Result<InputShapes> ParseInputShapes(const std::vector<std::string>& texts);

// Names of values as names of files: letters, digits, ".", "_" and "-", each once.
class FileNames {
 public:
  std::string Of(const std::string& name);

 private:
  std::map<std::string, int> used_;
};

}  // namespace ferry::cli
