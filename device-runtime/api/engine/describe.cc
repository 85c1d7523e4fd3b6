// What a model takes and gives.
#include <algorithm>

#include "common/base/json.h"
#include "device-runtime/api/engine/engine_handle.h"
#include "device-runtime/api/engine/types.h"
#include "device-runtime/ir/graph.h"

namespace {

using ferry::Code;
using ferry::Json;
using ferry::Status;
using ferry::api::GiveText;
using ferry::api::Missing;
using ferry::api::Return;
using ferry::engine::IoInfo;

bool IsNamed(const IoInfo& info, size_t axis) {
  return info.dims[axis] < 0 && axis < info.symbols.size() && !info.symbols[axis].empty();
}

// `io` may be of another version: its members are filled in as far as it goes.
Status Describe(std::span<const IoInfo> infos, std::span<const ferry_engine::Affine> affines,
                int index, ferry_engine_io* io) {
  if (io == nullptr) return Status(Code::kInvalidArgument, "io is NULL");
  const size_t size = io->size;
  if (size < offsetof(ferry_engine_io, kind) || size > ferry::api::kMaxOptionsBytes)
    return Status::Of(Code::kInvalidArgument, "ferry_engine_io.size is {}", size);
  if (index < 0 || static_cast<size_t>(index) >= infos.size()) {
    return Status::Of(Code::kOutOfRange, "index {}: the model has {}", index, infos.size());
  }
  const IoInfo& info = infos[static_cast<size_t>(index)];
  ferry_engine_io out = {};
  out.size = size;
  out.name = info.name.c_str();
  out.type = ferry::api::TypeOfDType(info.dtype);
  out.rank = info.has_shape ? static_cast<int>(info.dims.size()) : -1;
  std::ranges::fill(out.symbols, "");
  for (size_t axis = 0; axis < info.dims.size() && axis < FERRY_MAX_RANK; ++axis) {
    out.shape[axis] = info.dims[axis];
    if (IsNamed(info, axis)) out.symbols[axis] = info.symbols[axis].c_str();
  }
  out.kind = info.kind.c_str();
  out.scale = affines[static_cast<size_t>(index)].scale;
  out.zero_point = affines[static_cast<size_t>(index)].zero_point;
  std::copy_n(reinterpret_cast<const char*>(&out), std::min(size, sizeof(out)),
              reinterpret_cast<char*>(io));
  return ferry::OkStatus();
}

Json IoJson(std::span<const IoInfo> infos, std::span<const ferry_engine::Affine> affines) {
  Json out = Json::array();
  for (size_t i = 0; i < infos.size(); ++i) {
    const IoInfo& info = infos[i];
    Json shape = Json::array();
    for (size_t axis = 0; axis < info.dims.size(); ++axis)
      shape.push_back(IsNamed(info, axis) ? Json(info.symbols[axis]) : Json(info.dims[axis]));
    Json one = {{"name", info.name},
                {"type", ferry::tensor::DTypeName(info.dtype)},
                {"shape", info.has_shape ? std::move(shape) : Json()}};
    if (!info.kind.empty()) one["kind"] = info.kind;
    if (affines[i].scale != 0) {
      one["scale"] = affines[i].scale;
      one["zero_point"] = affines[i].zero_point;
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

extern "C" {

int ferry_engine_input_count(const ferry_engine* engine) {
  std::shared_ptr<ferry_engine> self;
  const Status found = ferry::api::Find(engine, "engine", &self);
  Return(found);
  return found.ok() ? static_cast<int>(self->model->inputs().size()) : 0;
}

int ferry_engine_output_count(const ferry_engine* engine) {
  std::shared_ptr<ferry_engine> self;
  const Status found = ferry::api::Find(engine, "engine", &self);
  Return(found);
  return found.ok() ? static_cast<int>(self->model->outputs().size()) : 0;
}

int ferry_engine_input(const ferry_engine* engine, int index, ferry_engine_io* io) {
  FERRY_FIND(ferry_engine, self, engine);
  return Return(Describe(self->model->inputs(), self->inputs, index, io).Context("input"));
}

int ferry_engine_output(const ferry_engine* engine, int index, ferry_engine_io* io) {
  FERRY_FIND(ferry_engine, self, engine);
  return Return(Describe(self->model->outputs(), self->outputs, index, io).Context("output"));
}

int ferry_engine_info(const ferry_engine* engine, char** json) {
  if (json == nullptr) return Missing("json");
  *json = nullptr;
  FERRY_FIND(ferry_engine, self, engine);
  const ferry::engine::Model& model = *self->model;
  return GiveText(ferry::WriteJson({{"name", model.name()},
                                    {"inputs", IoJson(model.inputs(), self->inputs)},
                                    {"outputs", IoJson(model.outputs(), self->outputs)},
                                    {"nodes", model.graph().nodes.size()},
                                    {"parameters", model.parameter_count()},
                                    {"weight_bytes", model.weight_bytes()}}),
                  json);
}

int ferry_engine_isas(char** json) {
  if (json == nullptr) return Missing("json");
  return GiveText(ferry::WriteJson(Json(ferry::engine::AvailableIsas())), json);
}

}  // extern "C"
