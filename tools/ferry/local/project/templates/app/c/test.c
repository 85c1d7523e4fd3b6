#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s; Ferry says: %s\n", what, ferry_error_text());
  exit(1);
}

int main(int argc, char** argv) {
  const float features[APP_FEATURES] = {1, 0, 0, 0};
  const float expected[APP_CLASSES] = {0.651564f, 0.216887f, 0.131549f};
  float prob[APP_CLASSES];
  char* rows = NULL;
  app app;
  int i;

  check(argc == 2, "usage: app_test MODEL");
  check(app_open(&app, argv[1]) == FERRY_kOk, "the model opens");
  check(app_classify(&app, features, prob) == FERRY_kOk, "the model runs");
  for (i = 0; i < APP_CLASSES; ++i)
    check(prob[i] > expected[i] - 1e-4f && prob[i] < expected[i] + 1e-4f, "the probabilities");
  check(app_send(&app, 1) == FERRY_kOk && app_send(&app, 2) == FERRY_kOk, "events are taken");
  check(app_rows(&app, &rows) == FERRY_kOk && strcmp(rows, "[]") == 0, "no mean of two readings");
  ferry_string_free(rows);
  check(app_send(&app, 4.5) == FERRY_kOk, "events are taken");
  check(app_rows(&app, &rows) == FERRY_kOk && strstr(rows, "\"mean\":2.5"), "the mean of three");
  ferry_string_free(rows);
  app_close(&app);
  check(app_open(&app, "no such file") == FERRY_kNotFound, "a model that is not there");
  app_close(&app);
  puts("passed");
  return 0;
}
