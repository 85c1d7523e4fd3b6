/* Runs of a model by the C call alone, beside which bench.py sets those of Python. */
#include <stddef.h>
#include <time.h>

#include "device-runtime/api/ferry.h"

static ferry_engine* engine;
static ferry_engine_session* session;

/* 0, or a code of the table. */
int loop_open(const char* path) {
  ferry_engine_session_options options = {sizeof(options)};
  int code = ferry_engine_open(path, NULL, &engine);
  options.threads = 1;
  return code == FERRY_kOk ? ferry_engine_session_create(engine, &options, &session) : code;
}

/* Microseconds of a run, of `count` on inputs and an output of `width` floats; -1 when one failed.
 */
double loop_run(int count, int width, void* x, void* y, void* z) {
  const size_t bytes = (size_t)width * sizeof(float);
  const ferry_tensor in[2] = {{sizeof(in[0]), "x", FERRY_TYPE_F32, 2, {1, width}, x, bytes},
                              {sizeof(in[0]), "y", FERRY_TYPE_F32, 2, {1, width}, y, bytes}};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < count; ++i) {
    ferry_tensor out = {sizeof(out), "z", 0, 0, {0}, z, bytes};
    if (ferry_engine_run(session, in, 2, &out, 1) != FERRY_kOk) return -1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / 1e3 /
         count;
}
