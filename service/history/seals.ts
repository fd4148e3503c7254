import type { HistorySealEvent, SealingKeyEvent } from '../../events/seals.js';
import { stream, type EventReader, type Recorded, type StreamName } from '../../kernel/ports.js';
import { systemChain, type ChainName } from '../../kernel/history/entries.js';
import type { JsonObject } from '../../kernel/shapes.js';

/** A seal as bundles and `GET /history/seals` have it (contract 5.14). */
export type SealSaid = {
  readonly size: number;
  readonly root: string;
  readonly head_hash: string;
  readonly position: string;
  readonly at: string;
  /** With the lines of those who cosigned it. */
  readonly note: string;
  readonly witnesses: readonly string[];
};

/** All seals of a chain, a day at a time, oldest first. */
export async function* sealsOf(log: EventReader, chain: ChainName): AsyncGenerator<SealSaid> {
  for (const name of await daysOf(log, chain)) yield* await sealsOfDay(log, name);
}

/** With all its signatures; null before the first. */
export const newestSealOf = async (
  log: EventReader,
  chain: ChainName,
): Promise<SealSaid | null> => {
  for (const name of (await daysOf(log, chain)).reverse()) {
    const newest = (await sealsOfDay(log, name)).at(-1);
    if (newest !== undefined) return newest;
  }
  return null;
};

/** The public keys that seals were ever signed with, as a JWK set. */
export const sealingKeys = async (log: EventReader): Promise<{ keys: readonly JsonObject[] }> => {
  const events = await log.read(stream('seals', systemChain, 'keys'));
  const published = events as readonly Recorded<SealingKeyEvent>[];
  return { keys: published.map(({ data }) => ({ ...data.jwk, kid: data.kid })) };
};

const namesAtOnce = 1_000;

/** Names of the streams with a day's seals, oldest first. */
const daysOf = async (log: EventReader, chain: ChainName): Promise<StreamName[]> => {
  const prefix = `seals-${chain}-`;
  const days: StreamName[] = [];
  for (let after: StreamName | null = null; ;) {
    const names: readonly StreamName[] = await log.streams(prefix, after, namesAtOnce);
    for (const name of names) {
      if (/^\d{4}-\d\d-\d\d$/.test(name.slice(prefix.length))) days.push(name);
    }
    after = names.at(-1) ?? null;
    if (names.length < namesAtOnce) return days.sort();
  }
};

const sealsOfDay = async (log: EventReader, name: StreamName): Promise<readonly SealSaid[]> => {
  const events = (await log.read(name)) as readonly Recorded<HistorySealEvent>[];
  const seals = new Map<number, SealSaid>();
  for (const { type, data, metadata } of events) {
    if (type === 'HistorySealed') {
      const { size, root, head_hash, position, note } = data;
      seals.set(size, { size, root, head_hash, position, at: metadata.at, note, witnesses: [] });
    } else {
      const seal = seals.get(data.size);
      if (seal === undefined) continue;
      const note = `${seal.note}\u2014 ${data.witness} ${data.signature}\n`;
      seals.set(data.size, { ...seal, note, witnesses: [...seal.witnesses, data.witness] });
    }
  }
  return [...seals.values()];
};
