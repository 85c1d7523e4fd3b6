import {placeOfJsonError} from '../../json_place';

// What a trial of a draft needs to know, apart from any page: its cases, and the places that errors name.
export interface Detail { case: string; passed: boolean; started: boolean; printed: string; ms: number; result?: string; error?: string }
export interface TrialReport {
  passed: boolean; cases: number; failed: number; error?: string; details?: Detail[]; peak_bytes?: number; p50_ms?: number;
  failures?: {case: string; error: string}[];
}
export interface Place { file: string; line: number }

export const SHOWN_CASES = 20;

// The last place in a script that the text names: where it was raised. `files` are those of the draft.
export function placeOf(text: string, files: string[]): Place | undefined {
  let found: Place | undefined;
  for (const match of text.matchAll(/(?:File ")?([\w./+-]+\.py)"?(?:, line |:)(\d+)/g)) {
    const file = match[1] ?? '';
    const known = files.find((one) => one === file || file.endsWith(`/${one}`));
    if (known) found = {file: known, line: Number(match[2])};
  }
  return found;
}

// Recorded cases as text for people: the first of them, so that an editor can hold it.
export function casesText(text: string): string {
  const cases = (JSON.parse(text) as {cases?: unknown[]}).cases ?? [];
  return `[\n${cases.slice(0, SHOWN_CASES).map((one) => ` ${JSON.stringify(one)}`).join(',\n')}\n]`;
}

export interface CasesProblem { text: string; line?: number; column?: number }

// The cases that were typed; of a case that expects nothing any result will do.
export function readCases(text: string): {cases?: Record<string, unknown>[]; wrong?: CasesProblem} {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {wrong: {text: `This is no JSON: ${(error as Error).message.split('\n')[0]}`, ...placeOfJsonError(text)}};
  }
  if (!Array.isArray(value) || value.length === 0) return {wrong: {text: 'A list of cases is needed: [{"name": "one", "events": [{"id": "visit", "data": {}}]}]'}};
  const bad = value.findIndex((one) => typeof one !== 'object' || one === null || !Array.isArray((one as {events?: unknown}).events));
  if (bad >= 0) return {wrong: {text: `Case ${bad + 1} has no list "events".`}};
  return {cases: (value as Record<string, unknown>[]).map((one) => ['expect', 'error', 'functions', 'any'].some((name) => name in one) ? one : {...one, any: true})};
}

// "1.2.3" -> "1.2.4": what a draft may be called.
export const nextVersion = (version: string): string => version.replace(/^(\d+\.\d+\.)(\d+).*$/, (_all, head: string, patch: string) => `${head}${Number(patch) + 1}`);
