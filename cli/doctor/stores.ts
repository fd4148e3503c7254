import { resolve } from 'node:path';
import type { Config } from '../../config.js';
import { engineChoiceOf } from '../../config.js';
import { checkRecordsFile } from '../../engines/duckdb/integrity-check.js';
import { hasLog, lockedFolder, openEngines } from '../../engines/open.js';
import { isOfIndex } from '../../engines/sqlite/log-structure.js';
import {
  checkDocumentsFile,
  checkLogFile,
  type LogFileCheck,
} from '../../engines/sqlite/integrity-check.js';
import { findTruncatedLog, findLostLog } from '../../engines/sqlite/lost-log.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import { folderInPlace } from '../failure.js';
import { bad, good, warning, type Finding } from './finding.js';

type OnProgress = (done: number, total: number) => void;

/** Checks the log, the read models, and their engines. `quick`: skips the single events. */
export const storeFindings = async (
  config: Config,
  quick: boolean,
  tell: OnProgress,
): Promise<readonly Finding[]> => {
  const dir = resolve(config.dataDir);
  // A lost log is reported by the folder check.
  const isEmbedded = config.eventStoreUrl === null && hasLog(dir) && findLostLog(dir) === null;
  const isHeld = isEmbedded && isFolderLocked(dir);
  const holder = isEmbedded
    ? [good('service', isHeld ? 'runs on this folder' : 'is not running')]
    : [];
  const log =
    config.eventStoreUrl === null
      ? isEmbedded
        ? [
            ...logFindings(await checkLogFile(dir, { quick, isHeld, progress: tell })),
            ...logEndFindings(dir),
          ]
        : []
      : [await reachableFinding('log', 'EventStoreDB', () => queryLogEngine(config))];
  const models =
    config.mongodbUrl === null
      ? isEmbedded
        ? await modelFindings(dir, { isHeld, quick })
        : []
      : [await reachableFinding('read models', 'MongoDB', () => queryReadModels(config))];
  const bus =
    config.natsUrl === null ? [] : [await reachableFinding('bus', 'NATS', () => queryBus(config))];
  return [...holder, ...log, ...models, ...bus];
};

/** Read models that were folded from events missing in the log show that it was truncated. */
const logEndFindings = (dir: string): readonly Finding[] => {
  const cut = findTruncatedLog(dir);
  return cut === null ? [] : [bad('log end', cut, restoreStep)];
};

const isFolderLocked = (dir: string): boolean => {
  try {
    lockedFolder(dir)();
    return false;
  } catch (error) {
    if (error instanceof Fault && error.code === 'conflict') return true;
    throw error;
  }
};

const restoreStep = 'docs/runbook/restore.md';
const reindexStep = 'docs/runbook/log-index-damaged.md';

export const logFindings = ({ version, settings, events, ...rest }: LogFileCheck) => {
  const { unreadable, structure, skipped } = rest;
  const [first] = unreadable;
  const wrong = [
    ...(first === undefined
      ? []
      : [`${unreadable.length} positions are lost, first ${first.position}: ${first.why}`]),
    ...(structure === null ? [] : [structure.problem]),
  ].join('; ');
  const isIndexOnly = structure?.isIndexOnly === true && unreadable.every(isOfIndex);
  const integrity =
    wrong === ''
      ? good('log', skipped === null ? events : `${events}; ${skipped}`)
      : bad('log', wrong, isIndexOnly ? reindexStep : restoreStep);
  return [
    integrity,
    settings === null
      ? good('log settings', `SQLite ${version}, WAL, synced at each commit`)
      : warning(
          'log settings',
          `SQLite ${version}, ${settings}`,
          'start the service once: it sets them',
        ),
  ];
};

const modelFindings = async (
  dir: string,
  { isHeld, quick }: { readonly isHeld: boolean; readonly quick: boolean },
): Promise<readonly Finding[]> => {
  const anew = isHeld
    ? 'restart the service: it sets the file aside and builds it anew'
    : 'start the service: it sets the file aside and builds it anew';
  const documents = checkDocumentsFile(dir);
  // DuckDB locks its file: one process at a time.
  const records = isHeld ? null : await checkRecordsFile(dir, { quick });
  return [
    documentsFinding(documents, anew),
    records === null
      ? good('records', 'held by the running service; assay verify compares them with the log')
      : records.problem === null
        ? good('records', records.summary)
        : bad('records', records.problem, anew),
  ];
};

const documentsFinding = (
  { summary, problem, isFolder }: ReturnType<typeof checkDocumentsFile>,
  anew: string,
): Finding => {
  if (problem === null) return good('documents', summary);
  if (!isFolder) return bad('documents', problem, anew);
  return bad('documents', `documents.sqlite ${folderInPlace.problem}`, folderInPlace.step);
};

/** Time limit for a remote engine; a slower one does not answer a service either. */
const answerMs = 5_000;

const reachableFinding = async (
  check: string,
  engine: string,
  ask: () => Promise<string>,
): Promise<Finding> => {
  const to = `see that ${engine} runs, and that its address and password are right`;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const fault = new Error(`no answer within ${answerMs / 1_000} s`);
  const timer = setTimeout(() => reject(fault), answerMs);
  try {
    return good(check, `${engine}: ${await Promise.race([ask(), late])}`);
  } catch (error) {
    return bad(check, `${engine}: ${redactedReason(error)}`, to);
  } finally {
    clearTimeout(timer);
  }
};

const queryLogEngine = async (config: Config): Promise<string> => {
  const engines = await openEngines(engineChoiceOf(config));
  const bus = await engines.bus(null);
  const reader = await engines.reader(bus);
  const head = await reader.head();
  await reader.close();
  await bus.close();
  return `head ${head}`;
};

const queryReadModels = async (config: Config): Promise<string> => {
  const documents = await (await openEngines(engineChoiceOf(config))).documents('read');
  const caution = documents.durabilityWarning();
  await documents.close();
  return caution ?? 'answers';
};

const queryBus = async (config: Config): Promise<string> => {
  const bus = await (await openEngines(engineChoiceOf(config))).bus('assay-doctor');
  const isConnected = bus.isConnected();
  await bus.close();
  if (!isConnected) throw new Error('not connected');
  return 'connected';
};
