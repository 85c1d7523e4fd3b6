/* Runs @NAME@.onnx and compares with what it must give. */
#include <ferry.h>
#include <math.h>
#include <stdio.h>

static const struct {
  float features[4], prob[3];
} kCases[] = {{{1, 0, 0, 0}, {0.651564f, 0.216887f, 0.131549f}},
              {{0, 2, 0, 1}, {0.038405f, 0.771376f, 0.190219f}}};
enum { kCount = sizeof kCases / sizeof kCases[0] };

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, ferry_error_text());
  return 1;
}

int main(int argc, char** argv) {
  ferry_engine* engine = NULL;
  ferry_engine_session* session = NULL;
  int at, i;

  if (argc != 2) return fail("usage: model_test MODEL");
  if (ferry_engine_open(argv[1], NULL, &engine) != FERRY_kOk) return fail("open");
  if (ferry_engine_session_create(engine, NULL, &session) != FERRY_kOk) return fail("session");
  for (at = 0; at < kCount; ++at) {
    float prob[3];
    ferry_tensor in = {sizeof in, "features", FERRY_TYPE_F32, 2, {1, 4}, NULL, 0};
    ferry_tensor out = {sizeof out, "prob", 0, 0, {0}, NULL, 0};
    in.data = (void*)kCases[at].features;
    in.bytes = sizeof kCases[at].features;
    out.data = prob;
    out.bytes = sizeof prob;
    if (ferry_engine_run(session, &in, 1, &out, 1) != FERRY_kOk) return fail("run");
    for (i = 0; i < 3; ++i) {
      if (fabs(prob[i] - kCases[at].prob[i]) < 1e-3) continue;
      fprintf(stderr, "case %d: prob[%d] is %f, expected %f\n", at, i, prob[i], kCases[at].prob[i]);
      return 1;
    }
  }
  printf("%d passed\n", kCount);
  ferry_engine_session_destroy(session);
  ferry_engine_close(engine);
  return 0;
}
