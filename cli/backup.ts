import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config.js';
import { systemClock } from '../engines/node/clock.js';
import { diskFiles, makeFolder, syncFolder } from '../engines/node/files.js';
import { ensureSecretKey } from '../engines/node/secrets.js';
import {
  dataKeysFolder,
  hasLog,
  keyCheckFile,
  lockedFolder,
  restoringFolder,
  secretKeyFile,
} from '../engines/open.js';
import { copyLog } from '../engines/sqlite/log-copy.js';
import { logFile } from '../engines/sqlite/log-schema.js';
import { pluralize, Fault } from '../kernel/fault.js';
import {
  keyFileNames,
  logFileNames,
  refuseDifference,
  removeManifest,
  writeManifest,
} from './backup-manifest.js';
import { requireLog } from '../service/log-reader.js';
import { isWithin } from './path-containment.js';
import { openProgressBar } from '../tools/terminal/progress-bar.js';

export type BackupOptions = { readonly keys?: string; readonly json?: true };

/** Folders of a backup. Keys open what the log seals, so they can be kept elsewhere. */
export const backupFolders = (dir: string, keys: string | undefined) => ({
  log: join(resolve(dir), 'log'),
  keys: resolve(keys ?? join(dir, 'keys')),
});

/**
 * `assay backup DIR`: copies the current log and the keys beside it, also while a service runs.
 * Incremental: the same folder again gets only newer events, also after an interruption. Throws
 * Fault `conflict` if a file of the backup differs from what the last run wrote (nothing is added
 * to it), and `invalid` for a folder inside or around the data folder.
 */
export const backup = async (config: Config, dir: string, options: BackupOptions) => {
  refuseElsewhere(config);
  requireLog(config);
  refuseNested(config, dir, options.keys);
  const to = backupFolders(dir, options.keys);
  await makeFolder(to.log);
  const unlock = lockedFolder(to.log);
  const bar = openProgressBar('backup {bar} {percentage}% of the log');
  try {
    const data = resolve(config.dataDir);
    await makeFolder(to.keys);
    for (const folder of [to.log, to.keys]) {
      await refuseDifference(folder);
      await removeManifest(folder);
    }
    const { position, added } = await copyLog({ from: data, to: to.log, progress: bar.show });
    await copyCheck(data, to.log);
    const keys = await copyKeys(config, data, to.keys);
    const taken = { taken_at: systemClock.now() };
    await writeManifest(to.keys, await keyFileNames(to.keys), taken);
    await writeManifest(to.log, logFileNames, { ...taken, position });
    printResult(
      options,
      { backed_up: to.log, position, added, keys: keys.length, keys_in: to.keys },
      [
        `${logFile(to.log)} has the log up to position ${position}: ${added} events came to it`,
        `${to.keys} has ${pluralize(keys.length, 'file')} of keys${keptElsewhereNote(config)}`,
        ...(config.secretKey === null && !keys.includes('secret.key')
          ? ['secret.key was not found, and restoring needs it: keep a copy of it']
          : []),
        'Both together give access to everything: keep them apart. Read models are not in it.',
      ],
    );
  } finally {
    bar.end();
    unlock();
  }
};

/**
 * `assay restore DIR`: into an empty data folder. Resumes after an interruption; the log appears
 * only once it is complete. Throws Fault `conflict` before anything is restored if a file of the
 * backup has changed.
 */
export const restore = async (config: Config, dir: string, options: BackupOptions) => {
  refuseElsewhere(config);
  const from = backupFolders(dir, options.keys);
  if (!hasLog(from.log))
    throw new Fault('not-found', `no backup in ${dir}: ${from.log} has no log`);
  const isFinished = await refuseDifference(from.log);
  await refuseDifference(from.keys);
  const data = resolve(config.dataDir);
  await makeFolder(data);
  const unlock = lockedFolder(data);
  const bar = openProgressBar('restore {bar} {percentage}% of the log');
  try {
    await refuseUsed(data);
    const restoring = restoringFolder(data);
    await makeFolder(restoring);
    const { position } = await copyLog({ from: from.log, to: restoring, progress: bar.show });
    const keys = await copyKeys(config, from.keys, data);
    await copyCheck(from.log, data);
    await rename(logFile(restoring), logFile(data));
    await rm(restoring, { recursive: true, force: true });
    await syncFolder(data);
    const hasKey = config.secretKey !== null || keys.includes('secret.key');
    const files = pluralize(keys.length, 'file');
    const told = { restored: data, position, keys: keys.length, secret_key: hasKey };
    printResult(options, { ...told, finished: isFinished }, [
      `${data} has the log up to position ${position}, and ${files} of keys`,
      ...(isFinished
        ? []
        : [`This backup was never finished: what came after ${position} is lost`]),
      hasKey
        ? 'Start the service: it builds the read models from the log.'
        : `secret.key is not in ${from.keys}: put it into ${data} before you start the service`,
    ]);
  } finally {
    bar.end();
    unlock();
  }
};

/** Accepts an empty folder, and one left by an interrupted restore. */
const refuseUsed = async (data: string): Promise<void> => {
  const names = (await readdir(data)).filter((name) => !name.startsWith('lock.sqlite'));
  if (names.length === 0 || (existsSync(restoringFolder(data)) && !hasLog(data))) return;
  throw new Fault(
    'conflict',
    `${data} is not empty: move it away first (mv ${data} ${data}.old), and keep it until the ` +
      'restored one is well',
  );
};

const refuseElsewhere = ({ eventStoreUrl }: Config): void => {
  if (eventStoreUrl === null) return;
  throw new Fault(
    'invalid',
    'the log is in EventStoreDB, which has its own backup: copy the volume of each node (first ' +
      '*.chk, chaser.chk as truncate.chk when you restore), or a snapshot of all of it; keep ' +
      'ASSAY_SECRET_KEY and the collection data_keys of MongoDB apart from it. See ' +
      'docs/runbook/eventstoredb.md',
  );
};

/** Refuses a backup inside the data folder: it would be lost with it. */
const refuseNested = ({ dataDir }: Config, dir: string, keys: string | undefined): void => {
  const within = [dir, ...(keys === undefined ? [] : [keys])].find((to) => isWithin(dataDir, to));
  if (within !== undefined) {
    throw new Fault(
      'invalid',
      `${resolve(within)} is in the data folder ${resolve(dataDir)}: choose a folder outside, on ` +
        'another disk if there is one',
    );
  }
  if (isWithin(dir, dataDir)) {
    throw new Fault(
      'invalid',
      `${resolve(dir)} contains the data folder ${resolve(dataDir)}: choose a folder of its own`,
    );
  }
};

const keptElsewhereNote = ({ secretKey, mongodbUrl, seals }: Config): string => {
  const others = [
    ...(secretKey === null ? [] : ['ASSAY_SECRET_KEY']),
    ...(mongodbUrl === null ? [] : ['the collection data_keys of MongoDB']),
    ...(seals.key === null ? [] : [seals.key]),
  ];
  return others.length === 0 ? '' : `; not in it: ${others.join(', ')}`;
};

/** The key check is not secret and goes with the log. */
const copyCheck = async (from: string, to: string): Promise<void> => {
  const check = await diskFiles.read(keyCheckFile(from));
  if (check !== null) await diskFiles.write(keyCheckFile(to), check);
};

/** Names of the copied files; absent ones are left out. */
const copyKeys = async (config: Config, from: string, to: string): Promise<readonly string[]> => {
  await makeFolder(to);
  const copied: string[] = [];
  const copy = async (source: string, target: string, name: string): Promise<void> => {
    await diskFiles.write(target, await readFile(source)).catch((error: Error) => {
      throw Object.assign(error, { path: target });
    });
    copied.push(name);
  };
  const [key, keyThere] = [secretKeyFile(from), secretKeyFile(to)];
  if (config.secretKey === null && (await diskFiles.read(key)) !== null) {
    await refuseOtherKey(key, keyThere);
    await copy(key, keyThere, 'secret.key');
  }
  const [source, target] = [dataKeysFolder(from), dataKeysFolder(to)];
  const names = await readdir(source).catch(() => []);
  if (names.length > 0) await makeFolder(target);
  for (const name of names.filter((one) => one.endsWith('.json'))) {
    await copy(join(source, name), join(target, name), name);
  }
  return copied;
};

/** Keys cannot be recovered: a malformed key is not copied, an existing one is not replaced. */
const refuseOtherKey = async (key: string, there: string): Promise<void> => {
  const ours = Buffer.from(await ensureSecretKey(diskFiles, key));
  if ((await diskFiles.read(there)) === null) return;
  if (ours.equals(await ensureSecretKey(diskFiles, there))) return;
  throw new Fault(
    'conflict',
    `${there} is another key than ${key}: each installation has a folder for keys of its own. ` +
      'Where this one is in the right, move the other away first',
  );
};

const printResult = (
  { json = false }: { readonly json?: boolean },
  told: object,
  lines: readonly string[],
): void => void process.stdout.write(json ? `${JSON.stringify(told)}\n` : `${lines.join('\n')}\n`);
