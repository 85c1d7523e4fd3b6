// What the admin REST answers; cloud-server/admin/README.md says what the members mean.

export interface Counts {
  members: number; healthy: number; failed: number; back: number;
  device_cause?: number; overdue?: number; returned?: number; control?: number;
}
export type ReleaseState = 'draft' | 'simulating' | 'beta' | 'gray' | 'full' | 'complete' | 'paused' | 'rolling_back' | 'rolled_back' |
  'stopped' | 'failed_simulation' | 'superseded' | 'killed';
export interface Release {
  id: string; package: string; version: string; rule: string; trusted_only: boolean; salt: string; state: ReleaseState;
  stage: number; stage_kind: string; stage_name?: string; paused_from: string | null; reason: string; fallback_version: string;
  created_ms: number; stopped_slices?: string[]; counts: Counts;
}
export interface PlanStage {
  kind: 'simulation' | 'beta' | 'gray' | 'full';
  name?: string; who?: string; percent?: number; min_healthy_ms?: number; min_reports?: number; report_timeout_ms?: number;
  hold?: boolean; control?: number;
}
export interface Stage extends PlanStage {
  index: number; entered_ms: number; left_ms: number; planned: number; members: number;
  approved?: boolean; offered?: number; confirmed?: number; failed?: number; silent?: number; held_back?: number;
}
export interface ReleaseEvent { seq: number; time_ms: number; kind: string; text: string; numbers: Record<string, unknown> }
export interface Gate {
  stage: string; metric: string; slice: string; decision: string; devices: number; failed: number; healthy: number; pending: number;
  control: number; evidence: number; threshold: number; stop: boolean;
}
export interface Member {
  release: string; device: string; stage: number; offered_ms?: number; outcome: string; overdue?: boolean; done: boolean; back: boolean;
  step: string; step_ms?: number; error_code: number; error_name: string; error_text: string; bytes_pulled: number; was_delta: boolean;
  by_push: boolean; control?: boolean; attempt?: number; had_version?: string | null; metrics?: Record<string, number>;
}
export interface FullRelease extends Release {
  stages: Stage[]; events: ReleaseEvent[]; gates: Gate[]; members?: Member[]; exclusive?: {path: string; device: string}[];
  rate?: Record<string, number>; retries?: Record<string, number>; when?: Record<string, unknown>; per_minute?: number;
}
export interface Device {
  id: string; os: string; app_version: string; device_class: string; tags: string[]; operator_tags: string[]; extra: Record<string, unknown>;
  runtime_version: string; memory_bytes: number | null; free_bytes: number | null; isa: string[]; measured_class: string;
  utc_offset_minutes: number | null; user: Record<string, unknown>; at_rest: boolean; groups: string[]; enrolled_ms: number;
  last_seen_ms: number; blocked: boolean; running: Record<string, string>; state?: string; state_ms?: number;
}
export interface Report {
  seq: number; release_id: string; step: string; package: string; version: string; error_name: string; error_text: string;
  time_ms: number; received_ms: number; bytes_pulled: number; was_delta: boolean; by_push: boolean; previous_version: string;
}
export interface FullDevice extends Device {
  members: Member[]; reports: Report[]; clock_ahead_ms: number | null;
  desired?: {epoch: number; settled: boolean; packages: Record<string, {version?: string; state?: string; release?: string}>};
  packages?: {name: string; version: string; release: string; disabled: boolean}[];
}
export interface Package {
  name: string; version: string; release_counter: number; plain_sha256: string; plain_length: number; fallback_version: string;
  published_ms: number; requires?: Record<string, unknown>; licence?: string; description?: string;
}
export interface FullPackage extends Package {
  artefacts: {path: string; kind: string; length: number; sha256: string; base_version: string}[];
  git?: {scenario: string; task: string; tag: string; commit: string} | null;
}
export interface Preview {
  salt?: string; matched: number; devices: string[]; plan?: {stages: PlanStage[]};
  stages: {index: number; name: string; kind: string; planned: number; adds: string[]}[];
  outside: {device: string; why: string}[]; left_out?: number;
}
export interface Status {
  version: string; time_ms: number; devices: number; packages: number; features?: string[];
  releases: {id: string; state: ReleaseState; package: string; version: string; reason: string}[];
  metadata: Record<string, number>; records: {lost: number; refused: number}; sizes?: {database: number; free: number; log: number};
  streams?: {stream: string; rows: number; bytes: number; devices: number}[]; refused_records?: number; losses?: number;
  expires?: {what: string; expires_ms: number; state: string}[]; restored?: {backup_ms: number; restored_ms: number};
  dropped?: Record<string, number>; content?: Record<string, number>;
}
export interface Approval {
  id: string; user: string; method: string; path: string; body: unknown; package: string; asked_ms: number; expires_ms: number;
  state: string; decided_by: string; decided_ms: number | null; reason: string;
}
