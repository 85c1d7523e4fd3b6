#include <algorithm>
#include <filesystem>

#include "common/sys/filesystem.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/formats/onnx.h"
#include "tools/bench/bench.h"
#include "tools/bench/data.h"
#include "tools/bench/load.h"

namespace ferry::bench {

Result<std::shared_ptr<const engine::Model>> LoadModel(const std::filesystem::path& path) {
  sys::FileSystem& disk = sys::SystemFileSystem();
  if (path.extension() != ".onnx") {
    FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> file, disk.Map(path.string()));
    return engine::Model::FromBytes(file->bytes(), file);
  }
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, formats::ImportOnnxFile(disk, path.string()));
  return engine::Model::FromGraph(std::move(graph));
}

Result<std::vector<std::filesystem::path>> ModelFiles(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const auto begin = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
      const auto extension = entry.path().extension();
      if (extension == ".onnx" || extension == ".fm") files.push_back(entry.path());
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(begin), files.end());
  }
  if (files.empty()) return Status::Of(Code::kInvalidArgument, "no model files");
  return files;
}

namespace {

using engine::DType;
using engine::IoInfo;
using engine::NamedTensor;
using engine::Tensor;

// Random floats, zeros for other dtypes; free dimensions are 1.
Result<std::vector<NamedTensor>> RandomInputs(const engine::Model& model) {
  std::vector<NamedTensor> inputs;
  for (const IoInfo& info : model.inputs()) {
    std::vector<int64_t> dims = info.dims;
    std::replace(dims.begin(), dims.end(), int64_t{-1}, int64_t{1});
    FERRY_ASSIGN_OR_RETURN(const engine::Shape shape, engine::Shape::Make(dims));
    FERRY_ASSIGN_OR_RETURN(Tensor t, Tensor::Zeros(info.dtype, shape));
    if (info.dtype == DType::kF32) {
      const Floats values = RandomFloats(static_cast<size_t>(t.elements()));
      std::copy_n(values.get(), t.elements(), t.mutable_data<float>().begin());
    }
    inputs.push_back({info.name, t});
  }
  return inputs;
}

Status AddModel(const std::filesystem::path& path, const std::vector<std::string>& isas,
                sys::Parallel& parallel, std::vector<Case>* cases) {
  FERRY_ASSIGN_OR_RETURN(auto model, LoadModel(path));
  for (const std::string& isa : isas) {
    engine::SessionOptions options;
    options.parallel = &parallel;
    options.isa = isa;
    FERRY_ASSIGN_OR_RETURN(auto created, engine::Session::Create(model, options));
    const std::shared_ptr<engine::Session> session = std::move(created);
    FERRY_ASSIGN_OR_RETURN(auto inputs, RandomInputs(*model));
    FERRY_TRY(session->Execute(inputs));
    Case item;
    item.group = "model";
    item.name = path.stem().string();
    item.isa = isa;
    item.run = [session, inputs] { (void)session->Execute(inputs); };
    cases->push_back(item);
  }
  return OkStatus();
}

}  // namespace

Status AddModels(const std::vector<std::string>& paths, const std::vector<std::string>& isas,
                 sys::Parallel& parallel, std::vector<Case>* cases) {
  FERRY_ASSIGN_OR_RETURN(const auto files, ModelFiles(paths));
  for (const std::filesystem::path& file : files) {
    FERRY_TRY(AddModel(file, isas, parallel, cases).Context("model {}", file.string()));
  }
  return OkStatus();
}

}  // namespace ferry::bench
