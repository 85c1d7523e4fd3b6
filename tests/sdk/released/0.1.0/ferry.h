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
  int64_t kv_bytes;        /* most memory for the KV caches of one language model's sessions;
                              0: four texts as long as the model reads, at most half of the
                              memory that the machine has to spare */
  /* Fills the 32 bytes of the key that seals what `outbox_path` keeps (AES-256-GCM: rows, tables,
   * state and the log of events), of the system's key store. Called once, before
   * ferry_runtime_create returns; FERRY_kOk, or an error that it returns then. A file that lay
   * plain is sealed from then on; FERRY_kWrongKey when it is sealed under another key. NULL: files
   * are plain, readable by the app's user alone. An agent without a key of its own has this one. */
  int (*at_rest_key)(void* context, unsigned char key[32]);
  void* at_rest_context;
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
  size_t size;            /* sizeof(ferry_agent_options) */
  const char* directory;  /* the device's state: keys, packages, queue; made when missing */
  const char* join_token; /* needed the first time; NULL later */
  /* {"os","app_version","device_class","tags","extra","user"}, of the app and of who uses it; NULL:
   * nothing. Memory, free space, "isa", "measured_class" are found out where it leaves them out. */
  const char* profile_json;
  int push;        /* 0: finds out by polling alone */
  int64_t poll_ms; /* 0: six hours with push */
  /* Fills the 32 bytes of the key that seals, on this device's disk, packages with "at_rest":
   * "sealed", the log of events and the outbox with its rows, tables and state; of the system's key
   * store: it must not lie in `directory`. Called once, before ferry_agent_start returns;
   * FERRY_kOk, or an error that it returns then. NULL: that of ferry_options; with neither such
   * packages are not offered to this device, and refused. */
  int (*at_rest_key)(void* context, unsigned char key[32]);
  void* at_rest_context;
  /* 1: what lies sealed under a key that is lost (rows that wait, tables, state, the log of events)
   * is removed where ferry_agent_start would answer FERRY_kWrongKey, and the device goes on. */
  int forget_sealed;
} ferry_agent_options;

/* Starts the agent: it joins, then pulls, verifies, installs and runs what is released to this
 * device, also while the server is away. Returns at once; ferry_status tells how it goes. */
int ferry_agent_start(ferry_runtime* runtime, const ferry_agent_options* options);

/* {"id","page","time_ms","data"} to all running tasks; only "id" is needed. While the agent loads
 * what is installed, events wait for it (up to 10,000). FERRY_kMalformed, FERRY_kLimitExceeded (too
 * large, or too many wait). */
int ferry_event_send(ferry_runtime* runtime, const char* event_json);
/* The same, and when it returns FERRY_kOk the event is in the agent's state directory: should the
 * process be killed before its tasks are done with it, they get it after the next start. Rows that
 * come of it reach the server once. Its result has a member "event", the event's number; one whose
 * callback did not return before the kill comes again with that number. Tasks of ferry_task_open
 * are to be opened before the agent is started. FERRY_kFailedPrecondition without an agent,
 * FERRY_kLimitExceeded (100,000 events or 64 MiB wait), FERRY_kDiskFull, FERRY_kIo. */
int ferry_event_send_durable(ferry_runtime* runtime, const char* event_json);
/* What the device is at, for releases that install only then: {"idle","charging","unmetered",
 * "utc_offset_minutes"}, each of which may be left out. Idle and unmetered are taken for granted
 * until the app says otherwise; charging and the zone are found out where it leaves them out. Seen
 * within 15 seconds. FERRY_kMalformed, FERRY_kFailedPrecondition without an agent. */
int ferry_conditions_set(ferry_runtime* runtime, const char* conditions_json);
/* Waits until all events sent before with ferry_event_send to tasks of ferry_task_open are done;
 * FERRY_kDeadlineExceeded after `timeout_ms`. */
int ferry_flush(ferry_runtime* runtime, int64_t timeout_ms);

/* Calls a function of an opened or installed task's script with one argument, any JSON. It runs
 * behind what the events that tasks were given before have started; what it returns comes as a
 * result with a member "call", which is `*call` (may be NULL). Rows that it emits and tables that
 * it writes are as those of an event. A call is gone with the process. FERRY_kNotFound names the
 * package; a function that is not there is the result's error, FERRY_kNotFound, too.
 * FERRY_kMalformed, FERRY_kInvalidArgument (no name of a function), FERRY_kLimitExceeded (an
 * argument above 1 MiB, or too much waits for the task). */
int ferry_task_call(ferry_runtime* runtime, const char* package, const char* function,
                    const char* argument_json, uint64_t* call);

/* A file of a task that was opened here or that the agent has installed, as the script's
 * `ferry.files` reads it: one that came for this device alone before one of the package. Bytes of
 * `*size` to be freed with ferry_bytes_free; FERRY_kNotFound names the package or the file. */
int ferry_file_read(ferry_runtime* runtime, const char* package, const char* name, uint8_t** bytes,
                    size_t* size);
void ferry_bytes_free(uint8_t* bytes);

/* Tables of tasks ("tables" of task.json), as their scripts have them in `ferry.tables`. `package`
 * is one that was opened here or that the agent has installed: those opened here share their
 * tables, kept in `outbox_path`, and so do those of the agent, kept in its directory. NULL or "":
 * those of `outbox_path` if there is one, else the agent's. A key is a list of the values of the
 * table's key columns; a row is an object with a member a column, "null" when it is not there.
 * Reads see what is committed; a write is a commit of its own, on the disk when it returns.
 * FERRY_kNotFound (package or table), FERRY_kInvalidArgument (names the column),
 * FERRY_kLimitExceeded (a row above 64 KiB, all tables above 256 MiB), FERRY_kUnavailable (nothing
 * keeps tables), FERRY_kDiskFull, FERRY_kIo. Texts are to be freed with ferry_string_free. */
int ferry_table_get(ferry_runtime* runtime, const char* package, const char* table,
                    const char* key_json, char** row_json);
int ferry_table_put(ferry_runtime* runtime, const char* package, const char* table,
                    const char* row_json);
int ferry_table_delete(ferry_runtime* runtime, const char* package, const char* table,
                       const char* key_json);
/* The rows whose key begins with "prefix", in order of the key, as a list: `query_json` is
 * {"prefix":[..],"limit":n,"descending":bool}, each of which may be left out, or NULL; at most
 * 10,000 rows. */
int ferry_table_range(ferry_runtime* runtime, const char* package, const char* table,
                      const char* query_json, char** rows_json);

/* Whether rows of tasks may go to the server (1: yes, as it is until this says otherwise; 0: no).
 * Kept over restarts. Without consent rules, streams, tables, models and results go on; rows for
 * the cloud are counted and not kept, and those that waited are removed. What the agent reports of
 * releases (versions, outcomes, run times) goes on too. FERRY_kFailedPrecondition without an
 * outbox_path and an agent, FERRY_kDiskFull, FERRY_kIo. */
int ferry_consent_set(ferry_runtime* runtime, int given);

/* Removes what this runtime knows of who uses the app, for good: the log of events (and the key
 * that it lay under), half-matched rules, windows, tables, rows and results that wait, what scripts
 * keep in variables; files and packages of releases stay. A process that is killed amid it finishes
 * it at its next start. With an agent the server removes its rows of this device too, now or when
 * the line is back; ferry_status has the receipts. *receipt_json (may be NULL), to be freed:
 * {"number","asked","asked_ms","device":{"events","event_bytes","key_destroyed","records",
 * "state_pairs","table_rows","bytes","erased_ms"},"cloud":null until the server has answered, then
 * {"id","records","refused","texts","erased_ms","audit":{"seq","hash"}}}. FERRY_kDiskFull,
 * FERRY_kIo: what is left is removed by the next call or start. */
int ferry_data_erase(ferry_runtime* runtime, char** receipt_json);

/* {"version","tasks":{name:{"version","events","fired","errors","inferences","p50_ms","p99_ms",
 * "streams":{name:{"rows_in","rows_out","late","refused","errors","last_error"}}}},
 * "events":{"sent","waiting","waiting_bytes","future"},"agent":{..}|null,"verifier":{"ready",..}|
 * null} as JSON; free it with ferry_string_free. `future`: events dated more than five minutes
 * ahead of their arrival, which got its time. */
int ferry_status(ferry_runtime* runtime, char** json);
void ferry_string_free(char* text);

/* ---- Language models: on this device alone, or split: a small model here drafts, the server's
 * large one verifies, and the text is bit for bit the large one's. */

typedef struct ferry_model ferry_model;
typedef struct ferry_session ferry_session;

enum ferry_mode {
  FERRY_MODE_DEVICE_ONLY = 0, /* nothing leaves the device */
  FERRY_MODE_SPLIT = 1,       /* token ids go to the server and back */
  FERRY_MODE_CLOUD_ONLY = 2   /* the server generates alone */
};
/* Who chose a token: the server's model agreed with a draft or corrected it, the server's model
 * alone, or this device's model alone. */
enum ferry_source { FERRY_SOURCE_VERIFIED = 0, FERRY_SOURCE_CLOUD = 1, FERRY_SOURCE_DEVICE = 2 };

/* Opens a model: a Hugging Face folder, a .flm file, or "package:model" of a task that was opened
 * here or that the agent has installed (FERRY_kNotFound while it has not). It stays as it is for
 * its sessions, whatever is installed later. Needs no server. */
int ferry_model_open(ferry_runtime* runtime, const char* name, ferry_model** out);
/* Sessions of the model live on. NULL is ok. */
void ferry_model_close(ferry_model* model);
/* {"architecture","parameters","weight_bytes","vocabulary","context","chat","package","version"}
 * as JSON; free it with ferry_string_free. */
int ferry_model_info(const ferry_model* model, char** json);

/* Opens a LoRA adapter for sessions with `model`: a PEFT folder, a file that `ferry llm import
 * --adapter` wrote, or "package:adapter", the file adapter.fla of a package that was opened here or
 * that the agent has installed. FERRY_kNotFound while it is not there, FERRY_kBadModel when it is
 * of another base: ferry_error_text names both. It stays as it is, whatever is installed later. */
typedef struct ferry_adapter ferry_adapter;
int ferry_adapter_open(ferry_runtime* runtime, const ferry_model* model, const char* name,
                       ferry_adapter** out);
/* Sessions with the adapter live on, also amid a generation. NULL is ok. */
void ferry_adapter_close(ferry_adapter* adapter);
/* {"base","digest","tensors","rank","parameters","bytes"} as JSON; free it with ferry_string_free.
 */
int ferry_adapter_info(const ferry_adapter* adapter, char** json);

/* All zero is a good default: greedy, on this device alone. */
typedef struct ferry_session_options {
  size_t size;              /* sizeof(ferry_session_options) */
  int mode;                 /* enum ferry_mode; all but device-only need a started agent */
  int pipelined;            /* drafts on while a verification is under way */
  int no_fallback;          /* network gone: 0 goes on alone (marked), 1 waits for it */
  int ignore_end;           /* 1: goes on after the model's end tokens */
  uint64_t seed;            /* the same seed, prompt and options: the same text */
  float temperature;        /* 0: greedy */
  int64_t top_k;            /* 0: off */
  float top_p;              /* 0 or 1: off */
  float repetition_penalty; /* 0 or 1: off */
  int64_t max_new;          /* most tokens of one generation; 0: 128 */
  int64_t draft_tokens;     /* of one round; 0: chosen from what is measured */
  int64_t memory_bytes;     /* of this session's KV cache; 0: shared with the model's others */
  const char* target;       /* package of the server's model; NULL: its only one */
  /* Adapters of the session's model, from this very handle of it or one of the same package: their
   * changes are summed in this order, each times its scale. A split session drafts with them; the
   * text stays the server's. Read while the session is created. */
  const ferry_adapter* const* adapters;
  const float* adapter_scales; /* NULL: 1 each */
  size_t adapter_count;
} ferry_session_options;

/* Called on a thread of the runtime, one at a time and in order. Callbacks may call everything but
 * ferry_session_wait, _destroy and ferry_runtime_destroy. Texts and ids live until they return. */
typedef struct ferry_session_callbacks {
  size_t size; /* sizeof(ferry_session_callbacks) */
  void* user;  /* handed to each */
  /* New final tokens with what of their text can be shown: never half a character, so `text` may be
   * empty and the last call may have no ids. */
  void (*on_tokens)(void* user, const char* text, const int32_t* ids, size_t count, int source);
  /* The mode in force changed: asked for, or the network went or came back; `why` for people. */
  void (*on_mode)(void* user, int mode, const char* why);
  /* The generation is over: FERRY_kOk, FERRY_kCancelled or an error with its text in "error" of
   * `stats_json` (ferry_session_stats), whose "reason" is "stop", "length" or "context". */
  void (*on_end)(void* user, int code, const char* stats_json);
} ferry_session_callbacks;

/* `options` and `callbacks` may be NULL, and each callback. Several sessions run at once. */
int ferry_session_create(ferry_model* model, const ferry_session_options* options,
                         const ferry_session_callbacks* callbacks, ferry_session** out);
/* Ends what runs; no callback follows. NULL is ok. */
void ferry_session_destroy(ferry_session* session);

/* Begin a generation behind a text, a conversation ([{"role","content"}, ..], rendered by the
 * model's chat template) or token ids, and return at once. FERRY_kFailedPrecondition while one runs
 * or, without a server, in a mode that needs one. */
int ferry_session_start_text(ferry_session* session, const char* text);
int ferry_session_start_chat(ferry_session* session, const char* messages_json);
int ferry_session_start_ids(ferry_session* session, const int32_t* ids, size_t count);
/* From the next token on, also amid a sentence: none is lost or doubled. */
int ferry_session_set_mode(ferry_session* session, int mode);
int ferry_session_cancel(ferry_session* session);
/* Until the generation and its callbacks are done; FERRY_kDeadlineExceeded. Negative: for ever. */
int ferry_session_wait(ferry_session* session, int64_t timeout_ms);
/* Of the running or the last generation: {"mode","emitted","tokens":{"verified","cloud","device"},
 * "acceptance","compared","accepted","drafted","rounds","retransmits","reopens","fallbacks",
 * "bytes_up","bytes_down","setup_bytes_up","setup_bytes_down","round_bytes_per_token",
 * "round_trip_ms","tokens_per_s","first_token_ms","prompt_tokens"} as JSON, to be freed. */
int ferry_session_stats(ferry_session* session, char** json);

/* Whether a policy's rule reaches a device: *matches is 0 or 1, *reason (may be NULL) the first
 * condition that failed, in words, to be freed. `attributes_json` as in ferry_agent_options, with
 * "device_id"; `salt` is the release's. FERRY_kBadRule names line and column. */
int ferry_policy_matches(const char* rule, const char* attributes_json, const char* salt,
                         int* matches, char** reason);

#ifdef __cplusplus
}
#endif

#endif
