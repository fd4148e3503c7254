import type { Config } from '../../config.js';
import type { SealingKeyPublished } from '../../events/seals.js';
import { openEngines } from '../../engines/open.js';
import { Fault } from '../../kernel/fault.js';
import { streamNameOf } from '../../kernel/ports.js';
import {
  sealCommand,
  sealWaitSeconds,
  type HistoryFoldProgress,
  type SealResult,
} from '../sealing.js';
import { opsStreamCaller } from '../../cli/ops-client.js';
import { failureMessage } from '../../cli/failure.js';
import { openReadOnlyLog, requireLog } from '../../service/log-reader.js';
import { opsUrlOf } from '../../cli/operator-session.js';
import { openProgressBar } from '../../tools/terminal/progress-bar.js';

type Options = { readonly ops?: string; readonly json?: true };
type SealOptions = Options & { readonly wait?: string };

/**
 * `assay audit seal`: executed by the running service, which has the key and the history. Exit 1: a
 * history contradicts itself; 2: nothing was sealed, the state of the seals is unknown.
 */
export const auditSeal = async (config: Config, options: SealOptions): Promise<void> => {
  try {
    const { refused } = await sealNow(config, options);
    if (refused.length > 0) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    process.stderr.write(`assay: ${failureMessage(error, config.dataDir)}\n`);
    process.exitCode = 2;
  }
};

const sealNow = async (
  config: Config,
  { ops, json, wait = String(sealWaitSeconds) }: SealOptions,
): Promise<SealResult> => {
  const seconds = Number(wait);
  if (wait.trim() === '' || !(seconds >= 0)) {
    throw new Fault('invalid', `--wait takes a number of seconds, not ${wait}`);
  }
  const url = ops ?? (await localOpsUrl(config));
  const progress = openProgress();
  const answer = await opsStreamCaller(url, config)(
    sealCommand,
    { wait_seconds: seconds },
    (line) => progress.show(line as HistoryFoldProgress),
  ).finally(progress.end);
  const { sealed, refused } = answer as SealResult;
  if (json === true) {
    process.stdout.write(`${JSON.stringify({ sealed, refused })}\n`);
    return { sealed, refused };
  }
  process.stdout.write(`histories sealed: ${sealed}\n`);
  for (const { chain, why } of refused) process.stdout.write(`NOT sealed: ${chain}: ${why}\n`);
  return { sealed, refused };
};

/** Progress bar on a terminal; elsewhere one line when waiting begins. */
const openProgress = () => {
  const bar = openProgressBar('waiting for the history {bar} {percentage}% of the log');
  let isSaid = process.stderr.isTTY;
  return {
    show: ({ position, head }: HistoryFoldProgress): void => {
      const [done = 0, total = 0] = [position, head].map((text) => Number.parseInt(text, 16));
      bar.show(done, total);
      if (!isSaid) process.stderr.write(`waiting for the history: ${position} of ${head}\n`);
      isSaid = true;
    },
    end: bar.end,
  };
};

const localOpsUrl = async (config: Config): Promise<string> => {
  requireLog(config);
  const { dir } = await openEngines(config);
  return opsUrlOf(
    config,
    dir,
    new Fault('unavailable', 'no service is running on this folder; else say --ops URL'),
  );
};

/** `assay audit keys`: the keys that seals were ever signed with, for an auditor to pin. */
export const auditKeys = async (config: Config, { json }: Options): Promise<void> => {
  const { reader, close } = await openReadOnlyLog(config);
  try {
    const events = await reader.read(streamNameOf('seals', 'system', 'keys'));
    if (events.length === 0) {
      throw new Fault(
        'invalid',
        'nothing is sealed yet: the service seals each hour, and assay audit seal seals now',
      );
    }
    for (const { data } of events) {
      const { kid, jwk, vkey } = data as SealingKeyPublished;
      process.stdout.write(
        json === true ? `${JSON.stringify({ ...jwk, kid, vkey })}\n` : `${vkey}\n`,
      );
    }
  } finally {
    await close();
  }
};
