// Streams without a package, and rules of policies.
#include <memory>

#include "sdk/node/src/handle.h"

namespace ferry::node {
namespace {

ferry_stream* StreamOf(const Args& args) {
  return RawOf<ferry_stream>(args, 0, Kind::kStream);
}

// streamOpen(json)
napi_value Open(const Args& args) {
  ferry_stream* made = nullptr;
  CheckCall(ferry_stream_open(args.Text(0).c_str(), &made));
  return NewHandle(args.addon(), Kind::kStream, made);
}

// streamSend(stream, source, rowJson)
napi_value Send(const Args& args) {
  CheckCall(ferry_stream_send(StreamOf(args), args.Text(1).c_str(), args.Text(2).c_str()));
  return nullptr;
}

// streamSendEvent(stream, eventJson)
napi_value SendEvent(const Args& args) {
  CheckCall(ferry_stream_send_event(StreamOf(args), args.Text(1).c_str()));
  return nullptr;
}

// streamAdvance(stream, timeMs)
napi_value Advance(const Args& args) {
  CheckCall(ferry_stream_advance(StreamOf(args), args.Whole(1)));
  return nullptr;
}

// streamRead(stream, most)
napi_value Read(const Args& args) {
  auto* stream = StreamOf(args);
  const auto most = static_cast<size_t>(args.Whole(1));
  return AnswerText(args, false, [=](char** out) { return ferry_stream_read(stream, most, out); });
}

// streamStatus(stream)
napi_value Status(const Args& args) {
  auto* stream = StreamOf(args);
  return AnswerText(args, false, [=](char** out) { return ferry_stream_status(stream, out); });
}

// policyMatches(rule, attributesJson, salt): the reason, or undefined when the rule matches
napi_value Matches(const Args& args) {
  GivenText reason;
  int matches = 0;
  CheckCall(ferry_policy_matches(args.Text(0).c_str(), args.Text(1).c_str(), args.Text(2).c_str(),
                                 &matches, reason.out()));
  return matches != 0 ? nullptr : reason.Value(args.env());
}

}  // namespace

std::vector<Row> StreamRows() {
  return {{"streamOpen", &Entry<&Open>},           {"streamSend", &Entry<&Send>},
          {"streamSendEvent", &Entry<&SendEvent>}, {"streamAdvance", &Entry<&Advance>},
          {"streamRead", &Entry<&Read>},           {"streamStatus", &Entry<&Status>},
          {"policyMatches", &Entry<&Matches>}};
}

}  // namespace ferry::node
