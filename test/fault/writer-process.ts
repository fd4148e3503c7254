import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Health = {
  readonly writable: boolean;
  readonly fatal: boolean;
  readonly cause: string | null;
};
/** Message of the writing process, a line each. */
export type WriterMessage =
  | { readonly ready: true }
  | { readonly acknowledged: string }
  | WriteRefusal
  /** The last line: ids in the log, in its order. */
  | ({ readonly stored: readonly string[] } & Health);
type WriteRefusal = Health & {
  readonly refused: string;
  readonly code: string;
  readonly again: number | null;
};

export type WriterProcess = {
  readonly child: ChildProcess;
  /** All that was said so far. */
  readonly said: readonly WriterMessage[];
  /** Tells a process that writes without end to finish. */
  readonly finish: () => void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
};

/** Starts test/fault/writer-child.ts, behind the words of `prefix` when there are any. */
export const startWriterProcess = (
  prefix: readonly string[],
  options: {
    readonly dir: string;
    readonly writers: number;
    readonly bytes: number;
    readonly appends: number;
  },
): WriterProcess => {
  const script = fileURLToPath(new URL('./writer-child.js', import.meta.url));
  const { dir, writers, bytes, appends } = options;
  const figures = [writers, bytes, appends].map((figure) => String(figure));
  const [command = '', ...words] = [...prefix, process.execPath, script, dir, ...figures];
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const said: WriterMessage[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(JSON.parse(line) as WriterMessage));
  const drained = new Promise((resolve) => lines.once('close', resolve));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      void drained.then(() => resolve(code ?? signal ?? 'unknown'));
    });
  });
  return { child, said, finish: () => child.stdin.end(), ended };
};

export const acknowledgedOf = (said: readonly WriterMessage[]): readonly string[] =>
  said.flatMap((one) => ('acknowledged' in one ? [one.acknowledged] : []));

export const refusalsOf = (said: readonly WriterMessage[]): readonly WriteRefusal[] =>
  said.filter((one) => 'refused' in one);
