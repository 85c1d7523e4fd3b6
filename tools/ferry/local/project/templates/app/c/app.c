#include "app.h"

#include <stdio.h>
#include <string.h>

/* A graph as "streams" of task.json has it: the mean of each three readings. */
static const char kStreams[] =
    "[{\"name\":\"means\",\"source\":\"reading\",\"app\":true,\"operators\":["
    "{\"op\":\"window\",\"kind\":\"count\",\"size\":3,"
    "\"aggregates\":[{\"op\":\"mean\",\"field\":\"value\",\"as\":\"mean\"}]}]}]";

int app_open(app* self, const char* model_path) {
  int code;
  memset(self, 0, sizeof *self);
  code = ferry_engine_open(model_path, NULL, &self->engine);
  if (code == FERRY_kOk) code = ferry_engine_session_create(self->engine, NULL, &self->session);
  if (code == FERRY_kOk) code = ferry_stream_open(kStreams, &self->stream);
  return code;
}

void app_close(app* self) {
  ferry_stream_close(self->stream);
  ferry_engine_session_destroy(self->session);
  ferry_engine_close(self->engine);
}

int app_classify(app* self, const float features[APP_FEATURES], float prob[APP_CLASSES]) {
  ferry_tensor in = {sizeof in, "features", FERRY_TYPE_F32, 2, {1, APP_FEATURES}, NULL, 0};
  ferry_tensor out = {sizeof out, "prob", 0, 0, {0}, NULL, 0};
  in.data = (void*)features; /* read where they lie */
  in.bytes = APP_FEATURES * sizeof(float);
  out.data = prob; /* and written here */
  out.bytes = APP_CLASSES * sizeof(float);
  return ferry_engine_run(self->session, &in, 1, &out, 1);
}

int app_send(app* self, double reading) {
  char event[96];
  snprintf(event, sizeof event, "{\"id\":\"reading\",\"data\":{\"value\":%.17g}}", reading);
  return ferry_stream_send_event(self->stream, event);
}

int app_rows(app* self, char** json) {
  return ferry_stream_read(self->stream, 0, json);
}
