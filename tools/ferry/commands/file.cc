// ferry file: files for single devices, after publication.
#include "tools/ferry/command.h"
#include "tools/ferry/publisher/personal_files.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

struct FileOptions {
  std::string package, device, file, name, map;
};

Result<Output> PutFiles(const FileOptions& options, const Api& api) {
  std::vector<PersonalInput> inputs;
  if (options.map.empty()) {
    if (options.device.empty() || options.file.empty())
      return Status(Code::kInvalidArgument, "a file and --device, or --map");
    inputs.push_back({options.device, options.file,
                      options.name.empty() ? NameOfPersonal(options.file) : options.name});
  } else {
    FERRY_ASSIGN_OR_RETURN(inputs, ReadPersonalMap(options.map));
  }
  for (PersonalInput& input : inputs) {
    FERRY_ASSIGN_OR_RETURN(input.device, DeviceId(api, input.device));
  }
  FERRY_ASSIGN_OR_RETURN(Json done, PutPersonal(api, options.package, inputs));
  std::string text = fmt::format("{} files of {} for {} devices\n", Field(done, "put"),
                                 options.package, Field(done, "devices"));
  return Output{std::move(done), std::move(text)};
}

// Follows the pages to the end.
Result<Output> ListFiles(const FileOptions& options, const Api& api) {
  std::string query = "/personal?package=" + PathPart(options.package);
  FERRY_ASSIGN_OR_RETURN(const std::string device, DeviceId(api, options.device));
  if (!device.empty()) query += "&device=" + PathPart(device);
  Json files = Json::array();
  Table table({{"DEVICE", kIdColumns}, {"FILE", 40}, {"BYTES", 12, true}, {"ADDED BY", 20}});
  for (std::string after;;) {
    FERRY_ASSIGN_OR_RETURN(const Json answer,
                           api.Get(after.empty() ? query : query + "&after=" + PathPart(after)));
    FERRY_ASSIGN_OR_RETURN(const Json* page, GetArray(answer, "files"));
    for (const Json& file : *page) {
      table.Add({Field(file, "device"), Field(file, "name"), Field(file, "length"),
                 Field(file, "added_by")});
      files.push_back(file);
    }
    FERRY_ASSIGN_OR_RETURN(const std::string next, GetStringOr(answer, "next", ""));
    if (next.empty() || next == after) break;
    after = next;
  }
  return Output{Json{{"files", std::move(files)}}, table.TextOr("no files yet")};
}

Result<Output> RemoveFile(const FileOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string device, DeviceId(api, options.device));
  Json remove = Json::array({{{"device", device}, {"name", options.name}}});
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/personal", {{"package", options.package},
                                                             {"remove", std::move(remove)}}));
  if (Field(answer, "removed") == "0")
    return Status::Of(Code::kNotFound, "device {} has no file {} of {}", device, options.name,
                      options.package);
  return Output{std::move(answer), fmt::format("removed {} from {}\n", options.name, device)};
}

}  // namespace

void AddFileCommand(Commands& commands) {
  const auto options = std::make_shared<FileOptions>();
  CLI::App* group = commands.Group("file", "files for single devices, after publication");
  const auto add = [&](const char* name, const char* what, const char* example,
                       Result<Output> (*run)(const FileOptions&, const Api&)) {
    CLI::App* command = commands.AddOnline(
        group, name, what, example, [options, run](const GlobalOptions& global) -> Result<Output> {
          FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
          return run(*options, api);
        });
    command->add_option("--package", options->package, "whose task reads it by ferry.files")
        ->required();
    return command;
  };
  CLI::App* put = add("put", "give a device a file that only it gets; it is data, never run",
                      "ferry file put --package sums --device 3f2a... gain.json", PutFiles);
  put->add_option("file", options->file, "the file");
  put->add_option("--device", options->device, "who gets it");
  put->add_option("--name", options->name, "how the task calls it; else the file's own name");
  put->add_option("--map", options->map,
                  "many at once: a file with a line each, device,file[,name] or JSON objects");
  add("list", "who has which files", "ferry file list --package sums", ListFiles)
      ->add_option("--device", options->device, "only this device's");
  CLI::App* remove = add("remove", "take a file back from a device",
                         "ferry file remove --package sums --device 3f2a... gain.json", RemoveFile);
  remove->add_option("name", options->name, "the file's name")->required();
  remove->add_option("--device", options->device, "whose")->required();
}

}  // namespace ferry::cli
