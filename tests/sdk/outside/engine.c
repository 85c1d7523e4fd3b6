/* Runs the digits model on an image of one value; prints the number of classes and their sum. C99. */
#include <ferry.h>
#include <stdio.h>

int main(int argc, char** argv) {
  float image[64], prob[10], sum = 0;
  ferry_engine* engine = NULL;
  ferry_engine_session* session = NULL;
  ferry_tensor x = {sizeof(ferry_tensor), "image", FERRY_TYPE_F32, 4, {1, 1, 8, 8}, NULL, 0};
  ferry_tensor y = {sizeof(ferry_tensor), "prob", 0, 0, {0}, NULL, 0};
  int i;
  if (argc != 2) return 2;
  for (i = 0; i < 64; ++i) image[i] = 0.5f;
  x.data = image;
  x.bytes = sizeof image;
  y.data = prob;
  y.bytes = sizeof prob;
  if (ferry_engine_open(argv[1], NULL, &engine) != FERRY_kOk ||
      ferry_engine_session_create(engine, NULL, &session) != FERRY_kOk ||
      ferry_engine_run(session, &x, 1, &y, 1) != FERRY_kOk) {
    fprintf(stderr, "%s\n", ferry_error_text());
    return 1;
  }
  for (i = 0; i < (int)y.shape[1]; ++i) sum += prob[i];
  printf("%s %d %.3f\n", ferry_version(), (int)y.shape[1], sum);
  ferry_engine_session_destroy(session);
  ferry_engine_close(engine);
  return 0;
}
