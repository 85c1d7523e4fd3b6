/* Opens a task's package, sends an event of 64 pixels, prints the result. C99. */
#include <ferry.h>
#include <stdio.h>
#include <string.h>

static void on_result(void* user, const char* json) {
  *(int*)user += strstr(json, "\"error\"") == NULL;
  printf("%s\n", json);
}

int main(int argc, char** argv) {
  ferry_runtime* runtime = NULL;
  char event[512];
  int results = 0, i;
  size_t end;
  if (argc != 2) return 2;
  strcpy(event, "{\"id\":\"image\",\"page\":\"scan\",\"data\":{\"image\":1,\"pixels\":[0");
  for (i = 1; i < 64; ++i) strcat(event, ",7");
  end = strlen(event);
  strcpy(event + end, "]}}");
  if (ferry_runtime_create(NULL, on_result, &results, &runtime) != FERRY_kOk ||
      ferry_task_open(runtime, argv[1]) != FERRY_kOk ||
      ferry_event_send(runtime, "{\"id\":\"page_enter\",\"page\":\"scan\",\"data\":{}}") !=
          FERRY_kOk ||
      ferry_event_send(runtime, event) != FERRY_kOk || ferry_flush(runtime, 60000) != FERRY_kOk) {
    fprintf(stderr, "%s\n", ferry_error_text());
    return 1;
  }
  ferry_runtime_destroy(runtime);
  return results == 1 ? 0 : 1;
}
