import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { jsonLinesIn, type FilePiece } from '../../tools/import/lines.js';
import { opsCaller } from '../../cli/ops-client.js';
import type { ImportedRecord } from '../../tools/import/records.js';
import { bareEnvironment, program } from './test-environment.js';
import type { ServiceProcess } from './service-process.js';
import { pollUntil } from './poll-until.js';

type CommandOutcome = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs `assay import` or `assay export` as a client of the service, to its end. */
export const runTransfer = async (
  { url, apiKey }: Pick<ServiceProcess, 'url' | 'apiKey'>,
  args: readonly string[],
  stdin = '',
): Promise<CommandOutcome> => {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...bareEnvironment(), ASSAY_URL: url, ASSAY_API_KEY: apiKey },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  // A child that does not read its input may have ended before it is written.
  child.stdin.on('error', () => undefined).end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
};

/**
 * Resolves when all logged records can be read: a busy machine takes longer than the wait of a read
 * (contract 1.7).
 */
export const untilFolded = ({ opsUrl }: Pick<ServiceProcess, 'opsUrl'>): Promise<void> =>
  pollUntil('read models have what was logged', 60_000, async () => {
    const status = await opsCaller(opsUrl, { opsToken: null })('status', {});
    return (status as readonly { lag_events: number }[]).every((one) => one.lag_events === 0);
  });

export const asLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Records that a format reads from these values, one a line. */
export const recordsOf = async (
  read: (pieces: AsyncIterable<FilePiece>) => AsyncIterable<ImportedRecord>,
  values: readonly object[],
): Promise<readonly ImportedRecord[]> => {
  const bytes = async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from(asLines(values));
  };
  return Array.fromAsync(read(jsonLinesIn(bytes())));
};
