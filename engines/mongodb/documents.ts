import type { Document as Stored, IndexDescription } from 'mongodb';
import { parseJsonText } from '../../kernel/json-text.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type QueryContext } from '../../kernel/ports.js';
import type {
  Collection,
  Document,
  Documents,
  DumpItem,
  FieldValue,
  DocumentQuery,
  DocumentPage,
  Shadow,
} from '../../kernel/documents.js';
import type { Json } from '../../kernel/schema-types.js';
import type { SnapshotRows } from './speculative-read.js';
import { runCancellable, withSignal } from './cancellable-queries.js';
import { mapDriverErrors, connect, type MongoConnection } from './connect.js';
import { documentMatch, documentOrder, fieldAt } from './document-match.js';
import { encodeMember } from './member-names.js';
import { openEnd, openModelStates, defaultRetention, type RetentionPolicy } from './model-state.js';
import { snapshotModel, type StampedBatch, type SnapshotModel } from './mvcc-model.js';
import { foldedVariant } from './text-match.js';

/** Timeout of reads in requests; a list that takes longer is broken (contract 1.11). */
const readMs = 2_000;
/** Timeout of operations for the projector and the operator only. */
const bulkMs = 60_000;
const dumpPage = 1_000;
const keysAtOnce = 10_000;

/**
 * Keyed read models on MongoDB (port Documents), by mvcc-model.ts: an atomic step per batch without
 * transactions, on a replica set or on a lone server. Any number of processes read; one at a time,
 * under its fence, writes. Fault `unavailable` while the server does not answer.
 */
export const openMongoDocuments = async ({
  url,
  keeping = defaultRetention,
}: {
  readonly url: string;
  readonly keeping?: RetentionPolicy;
}): Promise<Documents> => {
  const { db, ...connection } = await connect(url);
  const states = openModelStates(db);
  const live = new Map<string, SnapshotModel>();
  const modelFor = (collection: Collection): SnapshotModel => {
    const name = nameOf(collection);
    const model =
      live.get(name) ??
      snapshotModel(states, { name, label: labelOf(collection) }, indexesOf(collection), keeping);
    live.set(name, model);
    return model;
  };
  return documentsOver(modelFor, connection);
};

const nameOf = ({ name, version }: Collection): string =>
  JSON.stringify(['documents', name, version]);

/**
 * Readable part of a collection name: characters that a server or its shell may reject are removed.
 */
const labelOf = ({ name, version }: Collection): string =>
  `${name.replace(/\W/g, '').slice(0, 80)}_v${version}`;

const indexesOf = ({ fields }: Collection): readonly IndexDescription[] => {
  const newest = Object.hasOwn(fields, 'created_at') ? { [fieldAt('created_at')]: -1 } : {};
  return [
    { name: 'key', key: { key: 1, until: 1 } },
    { name: 'newest', key: { scope: 1, ...newest, key: -1, until: 1, from: 1 } },
  ] as readonly IndexDescription[];
};

/** The model of a collection; null if not held here. */
type ModelFor = (collection: Collection) => SnapshotModel | null;

const documentsOver = (
  modelFor: ModelFor,
  { caution, close }: Pick<MongoConnection, 'caution' | 'close'>,
): Documents => {
  const runQuery = openQueryRunner(modelFor);
  const copyOf = (collection: Collection, copy: Shadow<SnapshotModel>): Shadow<Documents> => {
    const name = nameOf(collection);
    const only: ModelFor = (other) => (nameOf(other) === name ? copy.model : null);
    return {
      ...copy,
      model: documentsOver(only, { caution, close: () => Promise.resolve() }),
      promote: () => mapDriverErrors(() => copy.promote()),
      discard: () => mapDriverErrors(() => copy.discard()),
    };
  };
  return {
    checkpoint: (collection) =>
      mapDriverErrors(async () => (await modelFor(collection)?.snapshot())?.position ?? logStart),
    get: (collection, key, context) =>
      runQuery(collection, null, (snapshot) => get(snapshot, collection, key), context),
    load: (collection, keys, context) =>
      runQuery(collection, new Map(), (snapshot) => load(snapshot, collection, keys), context),
    find: async <B>(collection: Collection, query: DocumentQuery, context?: QueryContext) => {
      const question = documentPageQuery<B>(collection, query);
      return runQuery(collection, { documents: [], more: false }, question, context);
    },
    apply: async (collection, writes, checkpoint, gone = []) => {
      const model = modelFor(collection);
      if (model === null) {
        throw new Fault('conflict', `this shadow copy does not hold collection ${collection.name}`);
      }
      const last = new Map(writes.map(({ key, document }) => [key, document]));
      // All rows are encoded before anything is written.
      const rows = [...last].flatMap(([key, document]) =>
        document === null ? [] : [rowOf(collection, { ...document, key })],
      );
      const work = async (batch: StampedBatch): Promise<void> => {
        await closeScopes(batch, gone);
        await replaceRows(batch, [...last.keys()], rows);
      };
      const isNothing = last.size === 0 && gone.length === 0;
      await mapDriverErrors(() => model.apply(checkpoint, isNothing ? null : work));
    },
    dump: (collection) => dump(collection, runQuery),
    shadow: async (collection) => {
      const live = modelFor(collection);
      if (live === null) throw new TypeError('a shadow copy cannot be copied');
      return copyOf(collection, await mapDriverErrors(() => live.copy()));
    },
    resume: async (collection, id) => {
      const found = await mapDriverErrors(async () => modelFor(collection)?.resume(id) ?? null);
      return found === null ? null : copyOf(collection, found);
    },
    durabilityWarning: () => caution,
    close,
  };
};

/** Runs a query on the collection; returns `none` before the first write. */
type QueryRunner = <T>(
  collection: Collection,
  none: NoInfer<T>,
  question: (rows: SnapshotRows) => Promise<T>,
  context?: QueryContext,
) => Promise<T>;

const openQueryRunner =
  (modelFor: ModelFor): QueryRunner =>
  (collection, none, question, context = {}) =>
    runCancellable(context, async () => {
      const read = modelFor(collection)?.read;
      return (await read?.((rows) => question(withSignal(rows, context)))) ?? none;
    });

const get = async <B>(
  { rows, visible }: SnapshotRows,
  collection: Collection,
  key: string,
): Promise<Document<B> | null> => {
  const row = await rows.findOne({ key: { $eq: key }, ...visible }, { maxTimeMS: readMs });
  return row === null ? null : documentOf<B>(collection, row);
};

/** Builds the page query; throws on an invalid one before it runs. */
const documentPageQuery = <B>(collection: Collection, query: DocumentQuery) => {
  const { missing, order } = documentOrder(query.sort ?? null, collection);
  const match = documentMatch(query.filter ?? null, collection);
  return async ({ rows, visible }: SnapshotRows): Promise<DocumentPage<B>> => {
    const pipeline = [
      { $match: { $and: [{ scope: { $eq: query.scope } }, visible, match] } },
      ...(missing === null ? [] : [{ $set: { missing } }]),
      { $sort: order },
      ...(query.offset === undefined || query.offset === 0 ? [] : [{ $skip: query.offset }]),
      { $limit: query.limit + 1 },
    ];
    const found = await rows
      .aggregate(pipeline, { hint: 'newest', maxTimeMS: readMs, allowDiskUse: true })
      .toArray();
    return {
      documents: found.slice(0, query.limit).map((row) => documentOf<B>(collection, row)),
      more: found.length > query.limit,
    };
  };
};

const load = async (
  { rows, visible }: SnapshotRows,
  collection: Collection,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Document>> => {
  const found = new Map<string, Document>();
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const some = keys.slice(from, from + keysAtOnce);
    const cursor = rows.find({ key: { $in: some }, ...visible }, { maxTimeMS: bulkMs });
    for await (const row of cursor) {
      const document = documentOf(collection, row);
      found.set(document.key, document);
    }
  }
  return found;
};

const closeScopes = async (
  { rows, closable, stamp }: StampedBatch,
  scopes: readonly string[],
): Promise<void> => {
  if (scopes.length === 0) return;
  const which = { scope: { $in: [...scopes] }, ...closable };
  await rows.updateMany(which, { $set: { until: stamp } });
};

const replaceRows = async (
  { rows, closable, stamp }: StampedBatch,
  keys: readonly string[],
  stored: readonly Stored[],
): Promise<void> => {
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const some = keys.slice(from, from + keysAtOnce);
    await rows.updateMany({ key: { $in: some }, ...closable }, { $set: { until: stamp } });
  }
  if (stored.length === 0) return;
  await rows.insertMany(
    stored.map((row) => ({ ...row, from: stamp, until: openEnd })),
    { ordered: false },
  );
};

const rowOf = (collection: Collection, { key, scope, fields, body }: Document): Stored => {
  const given = Object.keys(collection.fields).flatMap((field): [string, FieldValue][] => {
    const value = Object.hasOwn(fields, field) ? (fields[field] ?? null) : null;
    return value === null ? [] : [[field, value]];
  });
  const folded = given.flatMap(([field, value]): [string, string][] => {
    const isText = collection.fields[field] === 'text' && typeof value === 'string';
    const other = isText ? foldedVariant(value) : null;
    return other === null ? [] : [[encodeMember(field), other]];
  });
  return {
    key,
    scope,
    fields: Object.fromEntries(given.map(([field, value]) => [encodeMember(field), value])),
    folded: Object.fromEntries(folded),
    // As text, so that it comes back unchanged whatever its members are called.
    body: JSON.stringify(body ?? null),
  };
};

const documentOf = <B>(collection: Collection, row: Stored): Document<B> => {
  const { key, scope, fields, body } = row as {
    readonly key: string;
    readonly scope: string;
    readonly fields: Readonly<Record<string, FieldValue>>;
    readonly body: string;
  };
  const valued = Object.keys(collection.fields).map((field): [string, FieldValue] => [
    field,
    fields[encodeMember(field)] ?? null,
  ]);
  return { key, scope, fields: Object.fromEntries(valued), body: parseJsonText(body) as B };
};

async function* dump(collection: Collection, runQuery: QueryRunner): AsyncIterable<DumpItem> {
  for (let after: string | null = null; ;) {
    const beyond: Stored = after === null ? {} : { key: { $gt: after } };
    const page: readonly Document[] = await runQuery(collection, [], async ({ rows, visible }) => {
      const found = await rows
        .find({ ...beyond, ...visible }, { maxTimeMS: bulkMs })
        .sort({ key: 1 })
        .limit(dumpPage)
        .toArray();
      return found.map((row) => documentOf(collection, row));
    });
    for (const { key, scope, fields, body } of page) {
      yield { key, value: { scope, fields, body: body as Json } };
    }
    after = page.at(-1)?.key ?? null;
    if (after === null) return;
  }
}
