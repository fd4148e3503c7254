import { resolve } from 'node:path';
import type { Config } from '../../config.js';
import { choiceOf } from '../../config.js';
import { lookAtRecords } from '../../engines/duckdb/look.js';
import { hasLog, lockedFolder, openEngines } from '../../engines/open.js';
import { isOfIndex } from '../../engines/sqlite/log-structure.js';
import { lookAtDocuments, lookAtLog, type LogLook } from '../../engines/sqlite/look.js';
import { cutLog, lostLog } from '../../engines/sqlite/lost-log.js';
import { Fault, reasonOf } from '../../kernel/fault.js';
import { bad, good, warning, type Finding } from './finding.js';

type Tell = (done: number, total: number) => void;

/** The log, the read models, and what they run on. `quick`: not each event. */
export const storeFindings = async (
  config: Config,
  quick: boolean,
  tell: Tell,
): Promise<readonly Finding[]> => {
  const dir = resolve(config.dataDir);
  // Of a lost log the row of the folder tells.
  const isEmbedded = config.eventStoreUrl === null && hasLog(dir) && lostLog(dir) === null;
  const isHeld = isEmbedded && isHeldNow(dir);
  const holder = isEmbedded
    ? [good('service', isHeld ? 'runs on this folder' : 'is not running')]
    : [];
  const log =
    config.eventStoreUrl === null
      ? isEmbedded
        ? [...logFindings(await lookAtLog(dir, { quick, isHeld, tell })), ...logEnd(dir)]
        : []
      : [await reachable('log', 'EventStoreDB', () => askLog(config))];
  const models =
    config.mongodbUrl === null
      ? isEmbedded
        ? await modelFindings(dir, { isHeld, quick })
        : []
      : [await reachable('read models', 'MongoDB', () => askModels(config))];
  const bus = config.natsUrl === null ? [] : [await reachable('bus', 'NATS', () => askBus(config))];
  return [...holder, ...log, ...models, ...bus];
};

/** Read models were folded from events that the log does not have. */
const logEnd = (dir: string): readonly Finding[] => {
  const cut = cutLog(dir);
  return cut === null ? [] : [bad('log end', cut, restore)];
};

const isHeldNow = (dir: string): boolean => {
  try {
    lockedFolder(dir)();
    return false;
  } catch (error) {
    if (error instanceof Fault && error.code === 'conflict') return true;
    throw error;
  }
};

const restore = 'RUNBOOK.md, The data folder is lost, or the log is damaged: restore';
const reindex = 'RUNBOOK.md, An index of the log is damaged: make it anew';

export const logFindings = ({ version, settings, events, ...rest }: LogLook) => {
  const { unreadable, structure, unlooked } = rest;
  const [first] = unreadable;
  const wrong = [
    ...(first === undefined
      ? []
      : [`${unreadable.length} positions are lost, first ${first.position}: ${first.why}`]),
    ...(structure === null ? [] : [structure.trouble]),
  ].join('; ');
  const isIndexOnly = structure?.isIndexOnly === true && unreadable.every(isOfIndex);
  const integrity =
    wrong === ''
      ? good('log', unlooked === null ? events : `${events}; ${unlooked}`)
      : bad('log', wrong, isIndexOnly ? reindex : restore);
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
  const documents = lookAtDocuments(dir);
  // One process at a time has a file of DuckDB.
  const records = isHeld ? null : await lookAtRecords(dir, { quick });
  return [
    documents.trouble === null
      ? good('documents', documents.found)
      : bad('documents', documents.trouble, anew),
    records === null
      ? good('records', 'held by the running service; assay verify compares them with the log')
      : records.trouble === null
        ? good('records', records.found)
        : bad('records', records.trouble, anew),
  ];
};

/** An engine elsewhere that has not answered by then does not answer a service either. */
const answerMs = 5_000;

const reachable = async (
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
    return bad(check, `${engine}: ${reasonOf(error)}`, to);
  } finally {
    clearTimeout(timer);
  }
};

const askLog = async (config: Config): Promise<string> => {
  const engines = await openEngines(choiceOf(config));
  const bus = await engines.bus(null);
  const reader = await engines.reader(bus);
  const head = await reader.head();
  await reader.close();
  await bus.close();
  return `head ${head}`;
};

const askModels = async (config: Config): Promise<string> => {
  const documents = await (await openEngines(choiceOf(config))).documents('read');
  const caution = documents.caution();
  await documents.close();
  return caution ?? 'answers';
};

const askBus = async (config: Config): Promise<string> => {
  const bus = await (await openEngines(choiceOf(config))).bus('assay-doctor');
  const isConnected = bus.isConnected();
  await bus.close();
  if (!isConnected) throw new Error('not connected');
  return 'connected';
};
