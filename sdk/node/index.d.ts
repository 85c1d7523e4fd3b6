/** The Ferry runtime for Node.js 18 and later: models on tensors, tasks, streams, language models. */
/// <reference lib="es2020" />

/** "0.1.0", of the library. */
export const version: string;
/** The numbers of the error table, by name: codes.shape_mismatch is 72. */
export const codes: Readonly<Record<string, number>>;

/** What every failed call throws, or rejects with. What a callback throws is the process's "uncaughtException". */
export class FerryError extends Error {
  private constructor();
  /** The number in the error table. */
  readonly code: number;
  /** Its name, "shape_mismatch". The message says what and where. */
  readonly name: string;
}

export type TypeName =
  | 'f32' | 'f64' | 'f16' | 'bf16' | 'u8' | 'i8' | 'u16' | 'i16' | 'u32' | 'i32' | 'u64' | 'i64' | 'bool' | 'string'
  | 'f8e4m3fn' | 'f8e4m3fnuz' | 'f8e5m2' | 'f8e5m2fnuz' | 'f4e2m1' | 'f8e8m0' | 'u4' | 'i4' | 'u2' | 'i2';
export type TypedArray =
  | Float32Array | Float64Array | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array
  | BigUint64Array | BigInt64Array;
/** Of the type's own class (f16 and bf16: Uint16Array), or its bytes as Uint8Array; texts as a list. */
export type Data = TypedArray | string[];

export interface Tensor {
  type: TypeName;
  /** Extents, row-major; [] for a scalar. */
  shape: number[];
  data: Data;
}
/** An input: type and shape are the model's where they are left out and the data tell the one extent that is free. */
export type Input = Data | { type?: TypeName; shape?: number[]; data: Data | ArrayBuffer | SharedArrayBuffer };
export type Inputs = Record<string, Input>;

export interface RunOptions {
  /** The outputs that are wanted; as an object: where the library writes them. All when it is left out. */
  outputs?: string[] | Record<string, TypedArray | null | undefined>;
  /** Ends the run before its next node, with the error "cancelled". Not for runSync. */
  signal?: AbortSignal;
}

export interface SessionOptions {
  /** Of kernels; 0 (default): one a core. */
  threads?: number;
  precision?: 'default' | 'exact' | 'fast';
  /** One of Model.isas(); the fastest when it is left out. */
  isa?: string;
  /** Devices beside the CPU, names with commas; FERRY_BACKEND in the environment wins over it. */
  backends?: string;
  /** Most memory of activations; 0: no limit. */
  memoryBytes?: number;
  /** Times each node, for profile(). */
  profile?: boolean;
  /** What was measured on this device is kept here. */
  tuneFile?: string;
  /** Measures what tuneFile does not know, at most two seconds. */
  tune?: boolean;
  /** Of random operators without one of their own. */
  seed?: number | bigint;
}
export interface ModelOptions extends SessionOptions {
  /** Reads all weights of Ferry's own file and compares their checksum. */
  verify?: boolean;
}
/** A path, the file's bytes (copied), or a part of an open file (length 0: to its end), as in an archive. */
export type Source = string | URL | ArrayBuffer | ArrayBufferView | { descriptor: number; offset?: number; length?: number };

/** An input or output as the model declares it. */
export interface Io {
  name: string;
  type: TypeName;
  /** "tensor"; "sequence", "optional", ..: this package cannot run it. */
  kind: string;
  /** A free extent is its name, or null; null: the rank is known only after a run. */
  shape: (number | string | null)[] | null;
  /** Of integers that stand for reals: scale * (integer - zeroPoint); scale 0: they do not. */
  scale: number;
  zeroPoint: number;
}
export interface ModelInfo {
  name: string;
  inputs: { name: string; type: TypeName; shape: (number | string)[] }[];
  outputs: { name: string; type: TypeName; shape: (number | string)[] }[];
  nodes: number;
  parameters: number;
  weight_bytes: number;
}
export interface SessionInfo {
  steps: number;
  arena_bytes: number;
  is_static: boolean;
  threads: number;
  isa: string;
}
export interface Step {
  node: string;
  operator: string;
  sizes: string;
  choice: string;
  backend: string;
  runs: number;
  median_us: number | null;
  predicted_us: number;
  flops: number;
  bytes: number;
}

/**
 * A runner of a model with activations of its own.
 *
 * Inputs are read and outputs written where they lie; an output without memory of its own gets a new ArrayBuffer that the
 * library writes into. Copied are outputs alone whose shape depends on values of the run. Buffers of `run` must stay as they
 * are until its promise is settled: not written, not transferred (resizable ones are refused).
 */
export interface Session {
  /**
   * Runs on a thread of the library, one behind another; a run of less than 20 us is made in place, which holds the event
   * loop less than handing it over. "failed_precondition" from runSync while one is under way.
   */
  run(inputs: Inputs, options?: RunOptions): Promise<Record<string, Tensor>>;
  /** The same on this thread. */
  runSync(inputs: Inputs, options?: RunOptions): Record<string, Tensor>;
  /** Plans for these inputs' shapes, so that the first run does not. */
  resize(inputs: Inputs): Promise<void>;
  /** Ends what runs, before its next node. */
  cancel(): void;
  info(): SessionInfo;
  /** Each step of the plan with the median time of the latest runs; needs the option profile. */
  profile(): Step[];
  /** Ends what runs. */
  close(): void;
}

/** A loaded model, with a session of its own. What nothing refers to any more is closed by itself, sooner or later. */
export class Model {
  private constructor();
  static open(source: Source, options?: ModelOptions): Model;
  /** The same, read and planned on another thread. */
  static openAsync(source: Source, options?: ModelOptions): Promise<Model>;
  /** Instruction sets that this machine runs, the slowest first. */
  static isas(): string[];
  readonly inputs: Io[];
  readonly outputs: Io[];
  info(): ModelInfo;
  run(inputs: Inputs, options?: RunOptions): Promise<Record<string, Tensor>>;
  runSync(inputs: Inputs, options?: RunOptions): Record<string, Tensor>;
  resize(inputs: Inputs): Promise<void>;
  profile(): Step[];
  /** Another runner on the same weights, for runs at one time. */
  session(options?: SessionOptions): Session;
  /** Sessions of session() live on. */
  close(): void;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One result or failure of a task. */
export interface Result {
  package: string;
  version: string;
  time_ms: number;
  latency_us: number;
  result?: any;
  error?: { code: number; name: string; text: string };
  /** Of sendDurable: the event's number; it comes again with it after a kill. */
  event?: number;
}
export interface AppEvent {
  id: string;
  page?: string;
  time_ms?: number;
  data?: unknown;
}
export interface RuntimeOptions {
  /** For kernels: 0 (default) one a core, 1 the tasks' thread alone. */
  threads?: number;
  /** File for rows of tasks opened by openTask; without it they are counted and dropped. */
  outboxPath?: string;
  /** Most memory for the KV caches of one language model's chats. */
  kvBytes?: number;
  /** 32 bytes of the system's key store that seal what outboxPath keeps. */
  atRestKey?: Uint8Array;
  /** Called with each result that results() gives; the process does not live on for it. */
  onResult?: (result: Result) => void;
}
export interface AgentOptions {
  /** The device's state: keys, packages, queue; made when missing. */
  directory: string;
  /** Needed the first time. */
  joinToken?: string;
  /** Of the app and of who uses it; left out: as it was. */
  profile?: { os?: string; app_version?: string; device_class?: string; tags?: string[]; extra?: Json; user?: string };
  /** false: finds out by polling alone. */
  push?: boolean;
  pollMs?: number;
  /** 32 bytes of the system's key store that seal packages and queues on the disk. */
  atRestKey?: Uint8Array;
  /** What lies sealed under a key that is lost is removed. */
  forgetSealed?: boolean;
}

/** Rows of a task's table; each change is a commit of its own. */
export interface Table {
  /** The row under a list of key values; null when there is none. */
  get(key: Json[]): Promise<Record<string, any> | null>;
  put(row: Record<string, unknown>): Promise<void>;
  delete(key: Json[]): Promise<void>;
  /** Rows whose key begins with prefix, in order of the key; at most 10,000. */
  range(query?: { prefix?: Json[]; limit?: number; descending?: boolean }): Promise<Record<string, any>[]>;
}

/** Tasks, events and the line to the server. The process lives on for what is awaited, not for an open runtime. */
export class Runtime {
  constructor(options?: RuntimeOptions);
  /** Opens a package file, checks it whole, runs its probe and keeps its task running: local-only. */
  openTask(path: string | URL): Promise<void>;
  /** Joins, then pulls, verifies, installs and runs what is released to this device; status() tells how it goes. */
  startAgent(options: AgentOptions): Promise<void>;
  /** To all running tasks. */
  send(event: AppEvent): void;
  /** The same; kept when the event is on the disk. Needs the agent. */
  sendDurable(event: AppEvent): Promise<void>;
  /** For any request of the app to its own server; empty while there is none. */
  haveText(): Promise<string>;
  /** What its server got for it at POST /api/v1/have. */
  takeText(text: string): void;
  setConditions(conditions: { idle?: boolean; charging?: boolean; unmetered?: boolean; utc_offset_minutes?: number }): void;
  /** Until all events sent before to tasks of openTask are done; 30 seconds unless told. */
  flush(timeoutMs?: number): Promise<void>;
  /** What a function of a task's script returns for one argument. */
  call(package_: string, function_: string, argument?: unknown): Promise<any>;
  /** Results from now on, until the runtime is closed. */
  results(): AsyncIterableIterator<Result>;
  readFile(package_: string, name: string): Promise<Uint8Array>;
  table(package_: string | null, name: string): Table;
  /** Whether rows of tasks may go to the server; kept. */
  setConsent(given: boolean): Promise<void>;
  /** Removes what is known of who uses the app; the receipt. */
  eraseData(): Promise<any>;
  status(): Promise<any>;
  /** The model 'package:model' of a task. */
  model(name: string, options?: ModelOptions): Promise<Model>;
  /** A folder, a .flm file or 'package:model'. */
  languageModel(name: string): Promise<LanguageModel>;
  /** Finishes the events sent so far; their results still come. */
  close(): Promise<void>;
}

export type Mode = 'device-only' | 'split' | 'cloud-only';
export interface Message {
  role: string;
  content: string;
}
export interface ChatOptions {
  /** All but device-only need a started agent. */
  mode?: Mode;
  pipelined?: boolean;
  /** false: waits for the network where it would go on alone. */
  fallback?: boolean;
  ignoreEnd?: boolean;
  seed?: number | bigint;
  /** 0 (default): greedy. */
  temperature?: number;
  topK?: number;
  topP?: number;
  repetitionPenalty?: number;
  /** Most tokens of one generation; 128 unless told. */
  maxNew?: number;
  draftTokens?: number;
  memoryBytes?: number;
  /** Package of the server's model. */
  target?: string;
  adapters?: (Adapter | { adapter: Adapter; scale?: number })[];
  /** The mode in force changed; `why` is for people. */
  onMode?: (mode: Mode, why: string) => void;
}
/** New text with its tokens: never half a character, so it may be empty; who chose the tokens. */
export interface Piece {
  text: string;
  ids: Int32Array;
  source: 'verified' | 'cloud' | 'device';
}
/** A text as it is generated. Who leaves the loop over it ends it. */
export interface Generation extends AsyncIterableIterator<Piece> {
  /** All of it, when it is over. */
  text(): Promise<string>;
  /** When it is over; null before. */
  readonly stats: Record<string, any> | null;
  /** Ends it with the error "cancelled". */
  cancel(): void;
}
/** One generation after another; "failed_precondition" while one is under way. */
export interface Chat {
  /** The conversation so far; say() adds to it when an answer is complete. */
  messages: Message[];
  /** The answer to one more message of the user, by the model's chat template. */
  say(text: string): Generation;
  /** What follows a text, a conversation or token ids. */
  generate(prompt: string | Message[] | Int32Array): Generation;
  /** From the next token on. */
  setMode(mode: Mode): void;
  cancel(): void;
  stats(): Record<string, any>;
  close(): void;
}
export interface Adapter {
  info(): Record<string, any>;
  close(): void;
}
export interface LanguageModel {
  info(): Record<string, any>;
  /** The tokens of a text. With asText names of special tokens are text like any other: for texts of users. */
  encode(text: string, options?: { asText?: boolean }): Int32Array;
  decode(ids: Int32Array, options?: { skipSpecials?: boolean }): string;
  /** A PEFT folder, a .fla file or 'package:adapter'. */
  adapter(name: string): Promise<Adapter>;
  chat(options?: ChatOptions): Chat;
  /** Chats live on. */
  close(): void;
}

/** Rows through a graph of operators, as "streams" of task.json, without a package. */
export class Stream {
  constructor(streams: object[]);
  /** One row to every stream with this source; its time in time_ms (else now). */
  send(source: string, row: Record<string, unknown>): void;
  sendEvent(event: AppEvent): void;
  /** Event time has come to timeMs: windows that end before it close. Without it all do. */
  advance(timeMs?: number): void;
  /** Rows that have left streams with "app": true since the last call, at most `most`. */
  read(most?: number): { stream: string; row: Record<string, any> }[];
  status(): Record<string, any>;
  close(): void;
}

export const Policy: {
  /** Whether a rule reaches the device with these attributes; the first condition that failed, in words. */
  matches(rule: string, attributes: Record<string, unknown>, salt?: string): { matches: boolean; reason: string | null };
};
