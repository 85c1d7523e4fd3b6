#include <stdio.h>

#include "app.h"

int main(int argc, char** argv) {
  const float features[APP_FEATURES] = {1, 0, 0, 0};
  float prob[APP_CLASSES];
  char* rows = NULL;
  app app;
  int i, code;

  code = app_open(&app, argc > 1 ? argv[1] : "classifier.onnx");
  if (code == FERRY_kOk) code = app_classify(&app, features, prob);
  for (i = 0; code == FERRY_kOk && i < 6; ++i) code = app_send(&app, i);
  if (code == FERRY_kOk) code = app_rows(&app, &rows);
  if (code == FERRY_kOk) {
    for (i = 0; i < APP_CLASSES; ++i) printf("class %d: %.3f\n", i, prob[i]);
    printf("%s\n", rows);
  } else {
    fprintf(stderr, "%s: %s\n", ferry_code_name(code), ferry_error_text());
  }
  ferry_string_free(rows);
  app_close(&app);
  return code == FERRY_kOk ? 0 : 1;
}
