import type { Config } from '../config.js';
import type { SealingKeyPublished } from '../events/seals.js';
import { openEngines } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import { stream } from '../kernel/ports.js';
import { sealCommand, type SealedNow } from '../service/sealing.js';
import { operateCommand } from './ask.js';
import { openLogOf, requireLog } from './folder.js';
import { opsUrlOf } from './operator.js';

type Options = { readonly ops?: string; readonly json?: true };

/** `assay audit seal`: by the running service, which has the key and the history. */
export const auditSeal = async (config: Config, { ops, json }: Options): Promise<void> => {
  const url = ops ?? (await ownOps(config));
  const { sealed, refused } = (await operateCommand(url, config)(sealCommand, {})) as SealedNow;
  if (refused.length > 0) process.exitCode = 1;
  if (json === true) {
    process.stdout.write(`${JSON.stringify({ sealed, refused })}\n`);
    return;
  }
  process.stdout.write(`histories sealed: ${sealed}\n`);
  for (const { chain, why } of refused) process.stdout.write(`NOT sealed: ${chain}: ${why}\n`);
};

const ownOps = async (config: Config): Promise<string> => {
  requireLog(config);
  const { dir } = await openEngines(config);
  return opsUrlOf(
    config,
    dir,
    new Fault('unavailable', 'no service is running on this folder; else say --ops URL'),
  );
};

/** `assay audit keys`: those that seals were ever signed with, for an auditor to pin. */
export const auditKeys = async (config: Config, { json }: Options): Promise<void> => {
  const { reader, close } = await openLogOf(config);
  try {
    const events = await reader.read(stream('seals', 'system', 'keys'));
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
