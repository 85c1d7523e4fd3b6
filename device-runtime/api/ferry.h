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

/* Shown by the shared libraries; nothing else is. */
#if defined(_WIN32)
#define FERRY_API
#else
#define FERRY_API __attribute__((visibility("default")))
#endif

/* The version of this header; ferry_version is the library's. Of one major number, a library serves
 * programs that were compiled with any header that is not newer; with a newer one it serves all
 * that it knows, and says so where it does not (FERRY_kUnsupported). */
#define FERRY_VERSION_MAJOR 0
#define FERRY_VERSION_MINOR 1
#define FERRY_VERSION_PATCH 0

/* The error table. Numbers never change their meaning. */
enum ferry_code {
  FERRY_kOk = 0,
  FERRY_kInvalidArgument = 1,      /* an argument or a field has a wrong value */
  FERRY_kNotFound = 2,             /* the thing does not exist */
  FERRY_kAlreadyExists = 3,        /* the thing exists already */
  FERRY_kPermissionDenied = 4,     /* the caller may not do this */
  FERRY_kUnauthenticated = 5,      /* the caller did not prove who it is */
  FERRY_kFailedPrecondition = 6,   /* the present state does not allow this */
  FERRY_kConflict = 7,             /* someone else changed the thing at the same time */
  FERRY_kOutOfRange = 8,           /* a position lies outside the thing */
  FERRY_kLimitExceeded = 9,        /* a named limit was passed */
  FERRY_kOutOfMemory = 10,         /* memory could not be had */
  FERRY_kDiskFull = 11,            /* the disk has not enough room */
  FERRY_kIo = 12,                  /* reading or writing failed */
  FERRY_kUnavailable = 13,         /* the other side cannot be reached now */
  FERRY_kDeadlineExceeded = 14,    /* it took too long */
  FERRY_kCancelled = 15,           /* the caller gave up */
  FERRY_kUnsupported = 16,         /* this version of Ferry cannot do this */
  FERRY_kInternal = 17,            /* a fault of Ferry's own */
  FERRY_kMalformed = 18,           /* bytes do not follow their format */
  FERRY_kBadSignature = 30,        /* a signature does not match or too few keys signed */
  FERRY_kExpired = 31,             /* signed metadata is past its expiry */
  FERRY_kVersionRollback = 32,     /* metadata is older than what was seen before */
  FERRY_kUntrustedServer = 33,     /* the server's certificate is not of the pinned authority */
  FERRY_kWrongKey = 34,            /* the key does not open this */
  FERRY_kNotAuthorizedTarget = 35, /* offline keys did not sign this artefact */
  FERRY_kWrongDevice = 36,         /* this was signed for another device */
  FERRY_kCorruptContent = 50,      /* content does not match its hash or tag */
  FERRY_kTruncatedContent = 51,    /* content ends too early */
  FERRY_kBadPackage = 52,          /* a package does not follow its format */
  FERRY_kBadDelta = 53,            /* a delta does not fit its base */
  FERRY_kBadModel = 70,            /* a model file does not follow its format */
  FERRY_kUnsupportedOperator = 71, /* the engine has no such operator */
  FERRY_kShapeMismatch = 72,       /* shapes or dtypes do not fit each other */
  FERRY_kScriptSyntax = 90,        /* a script does not parse */
  FERRY_kScriptRaised = 91,        /* a script raised an exception */
  FERRY_kScriptTime = 92,          /* a script passed its limit of steps */
  FERRY_kScriptMemory = 93,        /* a script passed its limit of memory */
  FERRY_kScriptDepth = 94,         /* a script passed its limit of call depth */
  FERRY_kProbeFailed = 110,        /* the probe run of an installed package failed */
  FERRY_kSimulationFailed = 111,   /* the simulation before a release failed */
  FERRY_kBadRule = 112,            /* a rule of a policy does not parse */
  FERRY_kCrashLoop = 113,          /* the process died again and again with this version */
  FERRY_kClockSkew = 114,          /* this clock and the server's differ too much */
  FERRY_kStateCopied = 115,        /* another process uses a copy of this state */
  FERRY_kQuotaUsed = 116,          /* a quota is used up for now; come back later */
  FERRY_kBlocked = 117             /* the operators blocked this device */
};

/* "0.1.0". */
FERRY_API const char* ferry_version(void);
/* Why the last call of this thread failed, in one sentence; "" after a success. It stays until the
 * thread's next call. */
FERRY_API const char* ferry_error_text(void);
/* The name of a code, "disk_full"; "internal" for a number that is not in the table. */
FERRY_API const char* ferry_code_name(int code);

/* ---- Models on tensors: the inference engine alone. It needs no runtime, no server, no thread of
 * its own; the component "engine" of the SDK is this part.
 *
 *   ferry_engine* engine = NULL;
 *   ferry_engine_session* session = NULL;
 *   ferry_engine_open("model.onnx", NULL, &engine);
 *   ferry_engine_session_create(engine, NULL, &session);
 *   ferry_tensor x = {sizeof x, "image", FERRY_TYPE_F32, 2, {1, 64}, pixels, sizeof pixels};
 *   ferry_tensor y = {sizeof y, "logits"};
 *   if (ferry_engine_run(session, &x, 1, &y, 1) == FERRY_kOk) use((const float*)y.data, y.bytes);
 *
 * Handles are checked: a NULL, closed or foreign one is FERRY_kInvalidArgument, one from before a
 * fork FERRY_kFailedPrecondition. */

typedef struct ferry_engine ferry_engine;                 /* a loaded model, shared by sessions */
typedef struct ferry_engine_session ferry_engine_session; /* one runner of it */

/* Element types. The numbers are those of ONNX (TensorProto.DataType). */
enum ferry_type {
  FERRY_TYPE_F32 = 1,
  FERRY_TYPE_U8 = 2,
  FERRY_TYPE_I8 = 3,
  FERRY_TYPE_U16 = 4,
  FERRY_TYPE_I16 = 5,
  FERRY_TYPE_I32 = 6,
  FERRY_TYPE_I64 = 7,
  FERRY_TYPE_STRING = 8, /* data is an array of const char*, UTF-8 ended by a zero byte */
  FERRY_TYPE_BOOL = 9,   /* a byte, 0 or 1 */
  FERRY_TYPE_F16 = 10,
  FERRY_TYPE_F64 = 11,
  FERRY_TYPE_U32 = 12,
  FERRY_TYPE_U64 = 13,
  FERRY_TYPE_BF16 = 16,
  FERRY_TYPE_F8E4M3FN = 17,
  FERRY_TYPE_F8E4M3FNUZ = 18,
  FERRY_TYPE_F8E5M2 = 19,
  FERRY_TYPE_F8E5M2FNUZ = 20,
  FERRY_TYPE_U4 = 21, /* of 4 and 2 bits: one element a byte, in its low bits */
  FERRY_TYPE_I4 = 22,
  FERRY_TYPE_F4E2M1 = 23,
  FERRY_TYPE_F8E8M0 = 24,
  FERRY_TYPE_U2 = 25,
  FERRY_TYPE_I2 = 26
};
#define FERRY_MAX_RANK 8

/* "f32", "i64", ..; NULL for a number that is no type. */
FERRY_API const char* ferry_type_name(int type);
/* Bytes of one element in memory (of FERRY_TYPE_STRING: of a pointer); 0 for no type. */
FERRY_API size_t ferry_type_bytes(int type);

/* An input or output of a run: dense elements, row-major, aligned as their type asks. */
typedef struct ferry_tensor {
  size_t size;                   /* sizeof(ferry_tensor); the same in all of an array */
  const char* name;              /* of the input or output; NULL: by its place in the array */
  int type;                      /* enum ferry_type */
  int rank;                      /* 0: a scalar */
  int64_t shape[FERRY_MAX_RANK]; /* `rank` extents */
  void* data;
  size_t bytes; /* of the elements; for an output with data: how much room there is */
} ferry_tensor;

typedef struct ferry_engine_options {
  size_t size; /* sizeof(ferry_engine_options) */
  int verify;  /* 1: reads all weights of Ferry's own file and compares their checksum; 0: a mapped
                  file opens without being read */
} ferry_engine_options;

/* Opens a model file: ONNX (with the files beside it that keep its tensors) or Ferry's own, mapped:
 * it must not change while the engine lives. `options` may be NULL in each. FERRY_kNotFound,
 * FERRY_kBadModel, FERRY_kUnsupportedOperator: the text names file and node. */
FERRY_API int ferry_engine_open(const char* path, const ferry_engine_options* options,
                                ferry_engine** out);
/* From memory, which must stay as it is until `release` (may be NULL) is called with `context`: on
 * any thread, when the last user is gone, or before this returns an error. Weights are not copied
 * from memory aligned to 64 bytes. */
FERRY_API int ferry_engine_open_memory(const void* bytes, size_t size,
                                       const ferry_engine_options* options,
                                       void (*release)(void* context), void* context,
                                       ferry_engine** out);
/* From an open file, mapped from `offset` (any) for `length` bytes (0: to its end): a
 * resource of an app, say. The descriptor stays the caller's, who may close it at once. */
FERRY_API int ferry_engine_open_descriptor(int descriptor, uint64_t offset, uint64_t length,
                                           const ferry_engine_options* options, ferry_engine** out);
/* Sessions of it live on. NULL is ok. */
FERRY_API void ferry_engine_close(ferry_engine* engine);

/* An input or output as the model declares it. Texts live as long as the engine. */
typedef struct ferry_engine_io {
  size_t size; /* sizeof(ferry_engine_io), set by the caller */
  const char* name;
  int type;
  int rank;                            /* -1: known only after a run */
  int64_t shape[FERRY_MAX_RANK];       /* -1 where an extent is free */
  const char* symbols[FERRY_MAX_RANK]; /* name of a free extent, "batch"; "" where it has none */
  const char* kind; /* "" for a tensor; "sequence", "optional", ..: this interface cannot run it */
  /* Of integers that stand for reals, real = scale * (integer - zero_point); scale 0: they do not,
   * or by channel. */
  double scale;
  int64_t zero_point;
} ferry_engine_io;

/* How many inputs and outputs; 0 for a bad handle. */
FERRY_API int ferry_engine_input_count(const ferry_engine* engine);
FERRY_API int ferry_engine_output_count(const ferry_engine* engine);
/* FERRY_kOutOfRange for an index that is not there. */
FERRY_API int ferry_engine_input(const ferry_engine* engine, int index, ferry_engine_io* io);
FERRY_API int ferry_engine_output(const ferry_engine* engine, int index, ferry_engine_io* io);
/* {"name","inputs":[{"name","type","shape":[number or symbol],"scale","zero_point"}],"outputs",
 * "nodes","parameters","weight_bytes"} as JSON; free it with ferry_string_free. */
FERRY_API int ferry_engine_info(const ferry_engine* engine, char** json);
/* Instruction sets that this machine runs, the slowest first, as a JSON list; to be freed. */
FERRY_API int ferry_engine_isas(char** json);

enum ferry_precision {
  FERRY_PRECISION_DEFAULT = 0, /* fast algorithms within a quarter of 1e-4 of the direct one */
  FERRY_PRECISION_EXACT = 1,   /* only the order of sums may differ */
  FERRY_PRECISION_FAST = 2     /* within 1e-3 */
};

typedef struct ferry_engine_session_options {
  size_t size;     /* sizeof(ferry_engine_session_options) */
  int threads;     /* of kernels, the caller's included; 0: one a core */
  int precision;   /* enum ferry_precision */
  const char* isa; /* one of ferry_engine_isas; NULL: the fastest */
  /* Devices beside the CPU, which runs what they leave: names with commas; NULL: the CPU alone. The
   * environment variable FERRY_BACKEND wins over it. FERRY_kUnsupported names those there are. */
  const char* backends;
  int64_t memory_bytes;  /* most memory of activations; 0: no limit. FERRY_kOutOfMemory past it */
  int profile;           /* 1: times each node, for ferry_engine_profile */
  const char* tune_file; /* what was measured on this device is kept here; NULL: nothing is */
  int tune;              /* 1: measures what `tune_file` does not know, at most two seconds */
  uint64_t seed;         /* of random operators without one of their own; 0: the system's */
  const char* cache_folder; /* backends may keep what they compile there; NULL: nowhere */
} ferry_engine_session_options;

/* A session has activations of its own and is used by one thread at a time; several run at once.
 * `options` may be NULL. */
FERRY_API int ferry_engine_session_create(const ferry_engine* engine,
                                          const ferry_engine_session_options* options,
                                          ferry_engine_session** out);
/* Cancels and waits for a run of ferry_engine_run_async. NULL is ok. */
FERRY_API void ferry_engine_session_destroy(ferry_engine_session* session);

/* Plans for these input shapes (data is not read), so that the first run does not. A run with other
 * shapes than the last one plans by itself. */
FERRY_API int ferry_engine_resize(ferry_engine_session* session, const ferry_tensor* inputs,
                                  size_t input_count);

/* Runs on the caller's memory, without copies. `inputs` holds each input of the model once. Of
 * `outputs`, which may leave some of the model's out, type, rank, shape and bytes are filled in;
 * where `data` is set, kernels write there, else it is set to memory of the session, valid until
 * the session's next call or its end. Output memory may overlap nothing else of the run. Where an
 * output has too little room the run ends with FERRY_kShapeMismatch, before it begins unless types
 * depend on values, and `outputs` say how much each needs: with room of 0 bytes, one asks for it.
 *
 * Planned once for its shapes, a run allocates nothing, unless types depend on values (see
 * ferry_engine_session_info) or there are texts. FERRY_kInvalidArgument, FERRY_kShapeMismatch: the
 * text names the input or output; FERRY_kCancelled; FERRY_kFailedPrecondition while another thread
 * runs the session; errors of an operator name the node. */
FERRY_API int ferry_engine_run(ferry_engine_session* session, const ferry_tensor* inputs,
                               size_t input_count, ferry_tensor* outputs, size_t output_count);

/* `code` and `error_text` as ferry_engine_run would have them; on a thread of the session. It may
 * start the next run and destroy the session. */
typedef void (*ferry_engine_done)(void* user, int code, const char* error_text);
/* The same on another thread: returns at once. `inputs` may go then; their data and names, and
 * `outputs`, stay until `done` is called, which it is once if this returns FERRY_kOk. */
FERRY_API int ferry_engine_run_async(ferry_engine_session* session, const ferry_tensor* inputs,
                                     size_t input_count, ferry_tensor* outputs, size_t output_count,
                                     ferry_engine_done done, void* user);
/* Ends what the session runs, before its next node, with FERRY_kCancelled; any thread. Nothing
 * when it does not run. */
FERRY_API int ferry_engine_cancel(ferry_engine_session* session);

/* {"steps","arena_bytes","is_static","threads","isa"}: of the plan in force, to be freed.
 * "is_static" is false where types depend on values: such runs allocate. */
FERRY_API int ferry_engine_session_info(ferry_engine_session* session, char** json);
/* [{"node","operator","sizes","choice","backend","runs","median_us","predicted_us","flops",
 * "bytes"}]: each step of the plan, in order, with the median time of the latest runs; to be freed.
 * FERRY_kFailedPrecondition without `profile`. */
FERRY_API int ferry_engine_profile(ferry_engine_session* session, char** json);

FERRY_API void ferry_string_free(char* text);

/* ---- The runtime: tasks, streams, the line to the server. */

typedef struct ferry_runtime ferry_runtime;

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
FERRY_API int ferry_runtime_create(const ferry_options* options, ferry_result_callback on_result,
                                   void* user, ferry_runtime** out);
/* Finishes the events sent so far, closes open windows and the line to the server. NULL is ok. */
FERRY_API void ferry_runtime_destroy(ferry_runtime* runtime);

/* Opens a package file, checks it whole, runs its probe and keeps its task running: local-only.
 * FERRY_kAlreadyExists for a second package of one name. */
FERRY_API int ferry_task_open(ferry_runtime* runtime, const char* package_path);

typedef struct ferry_agent_options {
  size_t size;            /* sizeof(ferry_agent_options) */
  const char* directory;  /* the device's state: keys, packages, queue; made when missing */
  const char* join_token; /* needed the first time; NULL later */
  /* {"os","app_version","device_class","tags","extra","user"}, of the app and of who uses it; NULL:
   * what was said last, which `directory` keeps ("{}" takes it back). "os", memory, free space,
   * "isa" (with "x86_64" or "arm64") and "measured_class" are found out if it leaves them out. */
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
FERRY_API int ferry_agent_start(ferry_runtime* runtime, const ferry_agent_options* options);

/* What this device has, for the app to put into any request to its own server, as a header or in a
 * query: letters, digits and dots, at most 256, of a meaning to Ferry's server alone, and others
 * after each of its answers. The app's server gives it to POST /api/v1/have (up to 1,000 at once),
 * hands what it gets for it back in its answer, and the app gives that to ferry_take_text: so a
 * device hears of a release without waiting for its poll, whatever became of its line. "" while the
 * server has not given one; *text is to be freed. FERRY_kFailedPrecondition without an agent. */
FERRY_API int ferry_have_text(ferry_runtime* runtime, char** text);
/* What came back: the agent pulls within the time that it says, by a line that it opens if there is
 * none, at most every 30 seconds. "", and a text for another device or an earlier have text, do
 * nothing. FERRY_kMalformed for what no server of Ferry writes, FERRY_kFailedPrecondition. */
FERRY_API int ferry_take_text(ferry_runtime* runtime, const char* text);

/* {"id","page","time_ms","data"} to all running tasks; only "id" is needed. While the agent loads
 * what is installed, events wait for it (up to 10,000). FERRY_kMalformed, FERRY_kLimitExceeded (too
 * large, or too many wait). */
FERRY_API int ferry_event_send(ferry_runtime* runtime, const char* event_json);
/* The same, and when it returns FERRY_kOk the event is in the agent's state directory: should the
 * process be killed before its tasks are done with it, they get it after the next start. Rows that
 * come of it reach the server once. Its result has a member "event", the event's number; one whose
 * callback did not return before the kill comes again with that number. Tasks of ferry_task_open
 * are to be opened before the agent is started. FERRY_kFailedPrecondition without an agent,
 * FERRY_kLimitExceeded (100,000 events or 64 MiB wait), FERRY_kDiskFull, FERRY_kIo. */
FERRY_API int ferry_event_send_durable(ferry_runtime* runtime, const char* event_json);
/* What the device is at, for releases that install only then: {"idle","charging","unmetered",
 * "utc_offset_minutes"}, each of which may be left out. Idle and unmetered are taken for granted
 * until the app says otherwise; charging and the zone are found out where it leaves them out. Seen
 * within 15 seconds. FERRY_kMalformed, FERRY_kFailedPrecondition without an agent. */
FERRY_API int ferry_conditions_set(ferry_runtime* runtime, const char* conditions_json);
/* Waits until all events sent before with ferry_event_send to tasks of ferry_task_open are done;
 * FERRY_kDeadlineExceeded after `timeout_ms`. */
FERRY_API int ferry_flush(ferry_runtime* runtime, int64_t timeout_ms);

/* Calls a function of an opened or installed task's script with one argument, any JSON. It runs
 * behind what the events that tasks were given before have started; what it returns comes as a
 * result with a member "call", which is `*call` (may be NULL). Rows that it emits and tables that
 * it writes are as those of an event. A call is gone with the process. FERRY_kNotFound names the
 * package; a function that is not there is the result's error, FERRY_kNotFound, too.
 * FERRY_kMalformed, FERRY_kInvalidArgument (no name of a function), FERRY_kLimitExceeded (an
 * argument above 1 MiB, or too much waits for the task). */
FERRY_API int ferry_task_call(ferry_runtime* runtime, const char* package, const char* function,
                              const char* argument_json, uint64_t* call);

/* A file of a task that was opened here or that the agent has installed, as the script's
 * `ferry.files` reads it: one that came for this device alone before one of the package. Bytes of
 * `*size` to be freed with ferry_bytes_free; FERRY_kNotFound names the package or the file. */
FERRY_API int ferry_file_read(ferry_runtime* runtime, const char* package, const char* name,
                              uint8_t** bytes, size_t* size);
FERRY_API void ferry_bytes_free(uint8_t* bytes);

/* The model "package:model" of a task that was opened here or that the agent has installed, for the
 * functions on engines above: it stays as it is, whatever is installed later. FERRY_kNotFound names
 * package or model. */
FERRY_API int ferry_engine_open_package(ferry_runtime* runtime, const char* name,
                                        const ferry_engine_options* options, ferry_engine** out);

/* Tables of tasks ("tables" of task.json), as their scripts have them in `ferry.tables`. `package`
 * is one that was opened here or that the agent has installed: those opened here share their
 * tables, kept in `outbox_path`, and so do those of the agent, kept in its directory. NULL or "":
 * those of `outbox_path` if there is one, else the agent's. A key is a list of the values of the
 * table's key columns; a row is an object with a member a column, "null" when it is not there.
 * Reads see what is committed; a write is a commit of its own, on the disk when it returns.
 * FERRY_kNotFound (package or table), FERRY_kInvalidArgument (names the column),
 * FERRY_kLimitExceeded (a row above 64 KiB, all tables above 256 MiB), FERRY_kUnavailable (nothing
 * keeps tables), FERRY_kDiskFull, FERRY_kIo. Texts are to be freed with ferry_string_free. */
FERRY_API int ferry_table_get(ferry_runtime* runtime, const char* package, const char* table,
                              const char* key_json, char** row_json);
FERRY_API int ferry_table_put(ferry_runtime* runtime, const char* package, const char* table,
                              const char* row_json);
FERRY_API int ferry_table_delete(ferry_runtime* runtime, const char* package, const char* table,
                                 const char* key_json);
/* The rows whose key begins with "prefix", in order of the key, as a list: `query_json` is
 * {"prefix":[..],"limit":n,"descending":bool}, each of which may be left out, or NULL; at most
 * 10,000 rows. */
FERRY_API int ferry_table_range(ferry_runtime* runtime, const char* package, const char* table,
                                const char* query_json, char** rows_json);

/* Whether rows of tasks may go to the server (1: yes, as it is until this says otherwise; 0: no).
 * Kept over restarts. Without consent rules, streams, tables, models and results go on; rows for
 * the cloud are counted and not kept, and those that waited are removed. What the agent reports of
 * releases (versions, outcomes, run times) goes on too. FERRY_kFailedPrecondition without an
 * outbox_path and an agent, FERRY_kDiskFull, FERRY_kIo. */
FERRY_API int ferry_consent_set(ferry_runtime* runtime, int given);

/* Removes what this runtime knows of who uses the app, for good: the log of events (and the key
 * that it lay under), half-matched rules, windows, tables, rows and results that wait, what scripts
 * keep in variables; files and packages of releases stay. A process that is killed amid it finishes
 * it at its next start. With an agent the server removes its rows of this device too, now or when
 * the line is back; ferry_status has the receipts. *receipt_json (may be NULL), to be freed:
 * {"number","asked","asked_ms","device":{"events","event_bytes","key_destroyed","records",
 * "state_pairs","table_rows","bytes","erased_ms"},"cloud":null until the server has answered, then
 * {"id","records","refused","texts","erased_ms","audit":{"seq","hash"}}}. FERRY_kDiskFull,
 * FERRY_kIo: what is left is removed by the next call or start. */
FERRY_API int ferry_data_erase(ferry_runtime* runtime, char** receipt_json);

/* {"version","tasks":{name:{"version","events","fired","errors","inferences","p50_ms","p99_ms",
 * "streams":{name:{"rows_in","rows_out","late","refused","errors","last_error"}}}},
 * "events":{"sent","waiting","waiting_bytes","future"},"agent":{..}|null,"verifier":{"ready",..}|
 * null} as JSON; free it with ferry_string_free. `future`: events dated more than five minutes
 * ahead of their arrival, which got its time. */
FERRY_API int ferry_status(ferry_runtime* runtime, char** json);

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
FERRY_API int ferry_model_open(ferry_runtime* runtime, const char* name, ferry_model** out);
/* Sessions of the model live on. NULL is ok. */
FERRY_API void ferry_model_close(ferry_model* model);
/* {"architecture","parameters","weight_bytes","vocabulary","context","chat","end_tokens","package",
 * "version"} as JSON; free it with ferry_string_free. */
FERRY_API int ferry_model_info(const ferry_model* model, char** json);

/* Opens a LoRA adapter for sessions with `model`: a PEFT folder, a file that `ferry llm import
 * --adapter` wrote, or "package:adapter", the file adapter.fla of a package that was opened here or
 * that the agent has installed. FERRY_kNotFound while it is not there, FERRY_kBadModel when it is
 * of another base: ferry_error_text names both. It stays as it is, whatever is installed later. */
typedef struct ferry_adapter ferry_adapter;
FERRY_API int ferry_adapter_open(ferry_runtime* runtime, const ferry_model* model, const char* name,
                                 ferry_adapter** out);
/* Sessions with the adapter live on, also amid a generation. NULL is ok. */
FERRY_API void ferry_adapter_close(ferry_adapter* adapter);
/* {"base","digest","tensors","rank","parameters","bytes"} as JSON; free it with ferry_string_free.
 */
FERRY_API int ferry_adapter_info(const ferry_adapter* adapter, char** json);

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
FERRY_API int ferry_session_create(ferry_model* model, const ferry_session_options* options,
                                   const ferry_session_callbacks* callbacks, ferry_session** out);
/* Ends what runs; no callback follows. NULL is ok. */
FERRY_API void ferry_session_destroy(ferry_session* session);

/* Begin a generation behind a text, a conversation ([{"role","content"}, ..], rendered by the
 * model's chat template) or token ids, and return at once. FERRY_kFailedPrecondition while one runs
 * or, without a server, in a mode that needs one. */
FERRY_API int ferry_session_start_text(ferry_session* session, const char* text);
FERRY_API int ferry_session_start_chat(ferry_session* session, const char* messages_json);
FERRY_API int ferry_session_start_ids(ferry_session* session, const int32_t* ids, size_t count);
/* From the next token on, also amid a sentence: none is lost or doubled. */
FERRY_API int ferry_session_set_mode(ferry_session* session, int mode);
FERRY_API int ferry_session_cancel(ferry_session* session);
/* Until the generation and its callbacks are done; FERRY_kDeadlineExceeded. Negative: for ever. */
FERRY_API int ferry_session_wait(ferry_session* session, int64_t timeout_ms);
/* Of the running or the last generation: {"mode","emitted","tokens":{"verified","cloud","device"},
 * "acceptance","compared","accepted","drafted","rounds","retransmits","reopens","fallbacks",
 * "bytes_up","bytes_down","setup_bytes_up","setup_bytes_down","round_bytes_per_token",
 * "round_trip_ms","tokens_per_s","first_token_ms","prompt_tokens"} as JSON, to be freed. */
FERRY_API int ferry_session_stats(ferry_session* session, char** json);

/* The tokens of a text: *count is how many there are, of which as many as fit are written to `ids`
 * (ask with capacity 0 first). Names of special tokens in the text are those tokens, or with
 * `as_text` text like any other: for texts of users. */
FERRY_API int ferry_model_encode(const ferry_model* model, const char* text, int as_text,
                                 int32_t* ids, size_t capacity, size_t* count);
/* The text of tokens, with or without special ones; free it with ferry_string_free. */
FERRY_API int ferry_model_decode(const ferry_model* model, const int32_t* ids, size_t count,
                                 int skip_specials, char** text);

/* One sequence of tokens on this device with what the model keeps of them, for apps that choose
 * tokens themselves, score texts or branch. One call at a time: others are refused with
 * FERRY_kFailedPrecondition meanwhile. Sessions of the model go on between its steps. */
typedef struct ferry_sequence ferry_sequence;
/* `context`: most tokens, 0 for the model's. FERRY_kOutOfMemory. */
FERRY_API int ferry_sequence_create(ferry_model* model, int64_t context, ferry_sequence** out);
/* Ends what runs; NULL is ok. */
FERRY_API void ferry_sequence_destroy(ferry_sequence* sequence);
/* Reads tokens behind what is there; after an error it is as before. FERRY_kLimitExceeded past its
 * context. */
FERRY_API int ferry_sequence_append(ferry_sequence* sequence, const int32_t* ids, size_t count);
/* Forgets tokens from `length` on. */
FERRY_API int ferry_sequence_truncate(ferry_sequence* sequence, size_t length);
/* Its tokens, as ferry_model_encode gives them. */
FERRY_API int ferry_sequence_tokens(ferry_sequence* sequence, int32_t* ids, size_t capacity,
                                    size_t* count);
/* What follows the last token: a float each of the "vocabulary" of ferry_model_info. */
FERRY_API int ferry_sequence_logits(ferry_sequence* sequence, float* logits, size_t capacity);
/* Generates behind what is there and returns when it is done. `options` may be NULL; of them count
 * seed, temperature, top_k, top_p, repetition_penalty, max_new and ignore_end. `on_tokens` (may be
 * NULL) is called on this thread as that of a session, and ends the generation by what is not 0.
 * All tokens but the last are in the sequence then: append it to go on. *reason (may be NULL):
 * "stop", "length", "context" or "cancelled", not to be freed. */
FERRY_API int ferry_sequence_generate(ferry_sequence* sequence,
                                      const ferry_session_options* options,
                                      int (*on_tokens)(void* user, const char* text,
                                                       const int32_t* ids, size_t count),
                                      void* user, const char** reason);

/* ---- Streams: rows through operators, without a package. They need no runtime. */

typedef struct ferry_stream ferry_stream;

/* Opens a graph of streams, [{"name","source","operators":[..],"app":bool,"idle_ms"}, ..] as
 * "streams" of task.json; operators that need a model, a table or a script are not for it. Rows of
 * streams with "app": true are kept for ferry_stream_read. FERRY_kMalformed names stream and
 * operator. One thread at a time (others wait). */
FERRY_API int ferry_stream_open(const char* streams_json, ferry_stream** out);
/* NULL is ok. */
FERRY_API void ferry_stream_close(ferry_stream* stream);
/* One row to every stream with this source: an object, with its time in "time_ms" (else now).
 * FERRY_kNotFound when no stream has the source. */
FERRY_API int ferry_stream_send(ferry_stream* stream, const char* source, const char* row_json);
/* An event as in ferry_event_send: its "data" as a row under its "id". */
FERRY_API int ferry_stream_send_event(ferry_stream* stream, const char* event_json);
/* Event time has come to `time_ms`: windows that end before it close. Negative: the end, all
 * windows close. */
FERRY_API int ferry_stream_advance(ferry_stream* stream, int64_t time_ms);
/* Takes the rows that have left streams since the last call, [{"stream","row":{..}}, ..], at most
 * `most` (0: all); to be freed. FERRY_kLimitExceeded of ferry_stream_send: 100,000 wait. */
FERRY_API int ferry_stream_read(ferry_stream* stream, size_t most, char** rows_json);
/* {name:{"rows_in","rows_out","late","refused","errors","last_error"}}, to be freed. */
FERRY_API int ferry_stream_status(ferry_stream* stream, char** json);

/* ---- Policies. */

/* Whether a policy's rule reaches a device: *matches is 0 or 1, *reason (may be NULL) the first
 * condition that failed, in words, to be freed. `attributes_json` as in ferry_agent_options, with
 * "device_id"; `salt` is the release's. FERRY_kBadRule names line and column. */
FERRY_API int ferry_policy_matches(const char* rule, const char* attributes_json, const char* salt,
                                   int* matches, char** reason);

#ifdef __cplusplus
}
#endif

#endif
