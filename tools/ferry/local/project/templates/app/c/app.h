/* @NAME@: what the app asks of Ferry. */
#ifndef APP_H
#define APP_H

#include <ferry.h>

#define APP_FEATURES 4
#define APP_CLASSES 3

typedef struct app {
  ferry_engine* engine;          /* the loaded model */
  ferry_engine_session* session; /* runs it: one a thread */
  ferry_stream* stream;          /* makes the means of readings */
} app;

/* Functions that return int return FERRY_kOk or another code; ferry_error_text() says why. */
int app_open(app* self, const char* model_path);
void app_close(app* self);
/* The probabilities of the classes. */
int app_classify(app* self, const float features[APP_FEATURES], float prob[APP_CLASSES]);
/* A reading of the sensor, as an event. */
int app_send(app* self, double reading);
/* The means since the last call, a JSON list of rows, to be freed with ferry_string_free. */
int app_rows(app* self, char** json);

#endif
