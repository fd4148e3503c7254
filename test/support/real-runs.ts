import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Suite } from 'mocha';
import { sharedFolder } from './test-environment.js';
import { permittedSkip } from './skips.js';

type RealSpan = {
  readonly id: string;
  readonly type: string;
  readonly model?: string;
  readonly output?: unknown;
  readonly spans?: readonly RealSpan[];
};
/** A run of an airline agent as it is sent: `reward` 0 or 1, tags `trial-0` … `trial-3`. */
export type RealRun = {
  readonly id: string;
  readonly created_at: string;
  readonly tags: readonly string[];
  readonly metrics: { readonly reward: number; readonly solved: boolean };
  readonly spans: readonly RealSpan[];
};

const file = join(sharedFolder(), 'traces', 'airline-agent-runs.jsonl.gz');

/** The 200 runs; throws when the file is not there: ask within `describeRealRuns`. */
export const realRuns = (): readonly RealRun[] =>
  gunzipSync(readFileSync(file))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RealRun);

/** `describe`, skipped loudly where the file is missing: it is not part of the project. */
export const describeRealRuns = (title: string, tests: (this: Suite) => void): void => {
  if (existsSync(file)) {
    describe(title, tests);
    return;
  }
  process.stdout.write(
    `\nSKIPPED: ${title}, ${permittedSkip}\n` +
      `Set ASSAY_TEST_SHARED to the folder that holds traces/airline-agent-runs.jsonl.gz.\n\n`,
  );
  describe.skip(`${title}, ${permittedSkip}`, tests);
};

/** All spans of a forest, parents before their children. */
export const flat = (spans: readonly RealSpan[]): readonly RealSpan[] =>
  spans.flatMap((span) => [span, ...flat(span.spans ?? [])]);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
