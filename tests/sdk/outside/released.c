/* Compiled with the header of a released version, run with today's library: what that header had still works. */
#include "ferry.h"

#include <stdio.h>
#include <string.h>

static int results = 0;
static void on_result(void* user, const char* json) {
  (void)user;
  results += strstr(json, "\"error\"") == NULL;
}

int main(int argc, char** argv) {
  ferry_options options;
  ferry_runtime* runtime = NULL;
  char* text = NULL;
  int matches = 0;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.threads = 1;
  if (argc != 2 || ferry_runtime_create(&options, on_result, NULL, &runtime) != FERRY_kOk) return 1;
  if (ferry_task_open(runtime, argv[1]) != FERRY_kOk) return 1;
  if (ferry_task_open(runtime, argv[1]) != FERRY_kAlreadyExists) return 1;
  if (ferry_event_send(runtime, "{") != FERRY_kMalformed || strlen(ferry_error_text()) == 0)
    return 1;
  if (ferry_event_send(runtime, "{\"id\":\"page_enter\",\"page\":\"scan\"}") != FERRY_kOk) return 1;
  if (ferry_flush(runtime, 60000) != FERRY_kOk || ferry_status(runtime, &text) != FERRY_kOk)
    return 1;
  if (strstr(text, "\"digits\"") == NULL) return 1;
  ferry_string_free(text);
  if (ferry_policy_matches("os == \"linux\"", "{\"os\":\"linux\"}", "", &matches, NULL) !=
      FERRY_kOk)
    return 1;
  if (!matches || strcmp(ferry_code_name(FERRY_kDiskFull), "disk_full") != 0) return 1;
  ferry_runtime_destroy(runtime);
  puts("ok");
  return 0;
}
