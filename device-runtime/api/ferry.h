/* Ferry for apps: runs released tasks inside the app's own process, connected to a Ferry server or
 * on its own. Plain C; ferry.hpp is the same for C++. Source: own.
 *
 *   ferry_runtime* ferry = NULL;
 *   if (ferry_runtime_create(NULL, on_result, app, &ferry) != FERRY_kOk) puts(ferry_error_text());
 *   ferry_task_open(ferry, "digits.fpk");                 local-only: no server at all
 *   ferry_event_send(ferry, "{\"id\":\"page_enter\",\"page\":\"scan\"}");
 *   ferry_runtime_destroy(ferry);
 *
 * Threads: any thread may call any function, but destroy only once and last. Results come on a
 * thread of the runtime, one at a time; a result callback may send events and read the status, but
 * not flush or destroy. Texts are UTF-8, ended by a zero byte. Every function that returns int
 * returns FERRY_kOk or another code of the one table; ferry_error_text() then says what went wrong.
 */
#ifndef FERRY_H
#define FERRY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The error table: FERRY_kInvalidArgument = 1, ... Numbers never change their meaning. */
enum ferry_code {
  FERRY_kOk = 0,
#define FERRY_ERROR(id, name, number, http, text) FERRY_##id = number,
#include "common/base/errors.inc"
#undef FERRY_ERROR
};

typedef struct ferry_runtime ferry_runtime;

/* "0.1.0". */
const char* ferry_version(void);
/* Why the last call of this thread failed, in one sentence; "" after a success. It stays until the
 * thread's next call. */
const char* ferry_error_text(void);
/* The name of a code, "disk_full"; "internal" for a number that is not in the table. */
const char* ferry_code_name(int code);

typedef struct ferry_options {
  size_t size;             /* sizeof(ferry_options): later versions add members at the end */
  int threads;             /* for kernels: 0 one a core, 1 the tasks' thread alone */
  const char* outbox_path; /* file for rows of tasks opened by ferry_task_open; NULL: they are
                              counted and dropped. An agent has its own outbox in its directory */
} ferry_options;

/* One result or failure of a task, as JSON: {"package","version","time_ms","latency_us","result"}
 * or {.., "error":{"code","name","text"}}. `json` lives until the callback returns. */
typedef void (*ferry_result_callback)(void* user, const char* json);

/* `options` and `on_result` may be NULL. */
int ferry_runtime_create(const ferry_options* options, ferry_result_callback on_result, void* user,
                         ferry_runtime** out);
/* Finishes the events sent so far, closes open windows and the line to the server. NULL is ok. */
void ferry_runtime_destroy(ferry_runtime* runtime);

/* Opens a package file, checks it whole, runs its probe and keeps its task running: local-only.
 * FERRY_kAlreadyExists for a second package of one name. */
int ferry_task_open(ferry_runtime* runtime, const char* package_path);

typedef struct ferry_agent_options {
  size_t size;              /* sizeof(ferry_agent_options) */
  const char* directory;    /* the device's state: keys, packages, queue; made when missing */
  const char* join_token;   /* needed the first time; NULL later */
  const char* profile_json; /* {"os","app_version","device_class","tags","extra"}; NULL: nothing */
  int push;                 /* 0: finds out by polling alone */
  int64_t poll_ms;          /* 0: six hours with push */
} ferry_agent_options;

/* Starts the agent: it joins, then pulls, verifies, installs and runs what is released to this
 * device, also while the server is away. Returns at once; ferry_status tells how it goes. */
int ferry_agent_start(ferry_runtime* runtime, const ferry_agent_options* options);

/* {"id","page","time_ms","data"} to all running tasks; only "id" is needed. FERRY_kMalformed,
 * FERRY_kLimitExceeded (too large, or too many wait). */
int ferry_event_send(ferry_runtime* runtime, const char* event_json);
/* Waits until all events sent before to tasks of ferry_task_open are done; FERRY_kDeadlineExceeded
 * after `timeout_ms`. */
int ferry_flush(ferry_runtime* runtime, int64_t timeout_ms);

/* {"version","tasks":{name:{"version","events","fired","errors","inferences","p50_ms","p99_ms"}},
 * "agent":{..}|null} as JSON; free it with ferry_string_free. */
int ferry_status(ferry_runtime* runtime, char** json);
void ferry_string_free(char* text);

/* Whether a policy's rule reaches a device: *matches is 0 or 1, *reason (may be NULL) the first
 * condition that failed, in words, to be freed. `attributes_json` as in ferry_agent_options, with
 * "device_id"; `salt` is the release's. FERRY_kBadRule names line and column. */
int ferry_policy_matches(const char* rule, const char* attributes_json, const char* salt,
                         int* matches, char** reason);

#ifdef __cplusplus
}
#endif

#endif
