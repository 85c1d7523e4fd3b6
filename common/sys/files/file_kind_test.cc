#include "common/sys/files/file_kind.h"

#include <gtest/gtest.h>

namespace ferry::sys {
namespace {

using namespace std::string_view_literals;

TEST(FileKindTest, KnownBeginnings) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "an empty file"},
      {" \n", "an empty text"},
      {"{\"a\": 1}", "a JSON text"},
      {"\xef\xbb\xbf [1]", "a JSON text"},
      {"\x89PNG\r\n\x1a\n\0\0"sv, "a PNG image"},
      {"\xff\xd8\xff\xe0"sv, "a JPEG image"},
      {"RIFF\1\2\3\4WEBPVP8 "sv, "a WebP image"},
      {"PK\x03\x04.."sv, "a zip archive, as PyTorch and NumPy's .npz are"},
      {"\x1f\x8b\x08"sv, "a gzip archive: unpack it first"},
      {"<!DOCTYPE html><html>",
       "an HTML page: perhaps the address of a download's page was fetched"},
      {"\n<HTML>", "an HTML page: perhaps the address of a download's page was fetched"},
      {"<?xml version='1.0'?>", "an XML text"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0",
       "a Git LFS pointer: `git lfs pull` fetches the file itself"},
      {"import os\n", "a text"},
      {"\x18\0\0\0TFL3"sv, "a TensorFlow Lite model"},
      {"FERRYMDL\2\0\0\0"sv, "a Ferry model (.fm)"},
      {"FERRYPKG\1\0\0\0"sv, "a Ferry package (.fpk)"},
      {"\x08\x07\x12\x07pytorch"sv, ""},  // an ONNX model
      {"\0\0\0\0"sv, ""},
  };
  for (const auto& [bytes, kind] : cases) EXPECT_EQ(FileKind(AsBytes(bytes)), kind) << bytes;
}

}  // namespace
}  // namespace ferry::sys
