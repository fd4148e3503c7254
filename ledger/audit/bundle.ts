import { createHash } from 'node:crypto';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  type FileHandle,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as deflate } from 'node:zlib';
import { parseJsonText } from '../../kernel/json-text.js';
import { diskFiles } from '../../engines/node/files.js';
import { Fault } from '../../kernel/fault.js';
import {
  bundleFormat,
  type BundleHeader,
  type BundleLine,
  type BundleManifest,
  type BundleNode,
  type BundlePart,
} from '../chain/bundle.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { bundleReadme } from './readme.js';

type SourcePage = {
  readonly lines: readonly BundleLine[];
  readonly nodes: readonly BundleNode[];
  /** The last `seq` read. */
  readonly seq: number;
  /** Cursor for resuming the export after this page; null: not resumable here. */
  readonly place: Json | null;
};

/** Source of the lines of a bundle. */
export type BundleSource = {
  readonly begin: () => Promise<{ readonly begun: BundleHeader; readonly place: Json | null }>;
  /** Pages from a cursor on, or from the beginning. */
  readonly pages: (begun: BundleHeader, place: Json | null) => AsyncIterable<SourcePage>;
  /** Seals, one line each. */
  readonly seals: (begun: BundleHeader) => AsyncIterable<JsonObject>;
  readonly keys: () => Promise<JsonObject>;
  readonly close: () => Promise<void>;
};

export type BundleWriteOptions = {
  readonly dir: string;
  readonly gzip: boolean;
  readonly by: string;
  readonly now: () => string;
  /** The request; a folder of another request is not resumed. */
  readonly asked: JsonObject;
  /** Default: 256 tiles of leaves. */
  readonly partEntries?: number;
  readonly progress: (
    at: { readonly seq: number; readonly entries: number },
    begun: BundleHeader,
  ) => void;
};

const usualPartEntries = 65_536;
const progressFormat = 'assay-export-1';

/** Checkpoint of the export: the complete files in the folder; all others are written again. */
type Progress = {
  readonly format: typeof progressFormat;
  readonly asked: JsonObject;
  readonly begun: BundleHeader;
  readonly place: Json | null;
  /** True if only the manifest is missing. */
  readonly isOver: boolean;
  readonly entries: number;
  readonly erased: number;
  readonly withheld: number;
  readonly nodes_bytes: number;
  readonly parts: readonly BundlePart[];
  readonly made_at: string;
};

/**
 * Writes a bundle, or resumes one that was begun by the same request. Each part is written to a
 * temporary name and renamed, so that a crash loses only the part being written. Throws Fault
 * `conflict` when the folder has other content.
 */
export const writeBundle = async (
  source: BundleSource,
  writing: BundleWriteOptions,
): Promise<BundleManifest> => {
  const { dir } = writing;
  await mkdir(dir, { recursive: true });
  const found = await readProgress(writing);
  const progress = found ?? (await beginBundle(source, writing));
  await removeUnfinished(dir, progress);
  const done = progress.isOver ? progress : await writeParts(source, writing, progress);
  const { checkpoint: _checkpoint, ...begun } = done.begun;
  const manifest: BundleManifest = {
    format: bundleFormat,
    ...begun,
    // Entries that arrived during the export may be included.
    to: Math.max(begun.to, done.parts.at(-1)?.last_seq ?? 0),
    entries: done.entries,
    erased: done.erased,
    withheld: done.withheld,
    parts: done.parts,
    made_at: done.made_at,
    by: writing.by,
  };
  await writeText(dir, 'manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  await rm(progressFile(dir));
  return manifest;
};

const progressFile = (dir: string): string => join(dir, 'progress.json');

const readProgress = async ({ dir, asked }: BundleWriteOptions): Promise<Progress | null> => {
  const names = await readdir(dir);
  if (names.length === 0) return null;
  if (!names.includes('progress.json')) {
    if (names.every((name) => initialFiles.has(name.replace(/\.new$/, '')))) return null;
    const what = names.includes('manifest.json') ? 'a finished bundle' : 'other files';
    throw new Fault('conflict', `${dir} holds ${what}: choose an empty folder`);
  }
  const progress = parseJsonText(await readFile(progressFile(dir), 'utf8')) as Progress;
  if (JSON.stringify(progress.asked) !== JSON.stringify(asked)) {
    const was = JSON.stringify(progress.asked);
    throw new Fault('conflict', `${dir} holds another export, ${was}: choose an empty folder`);
  }
  return progress;
};

/** Files written before `progress.json`: after a crash the folder may hold only these. */
const initialFiles = new Set([
  'checkpoint.txt',
  'keys.json',
  'seals.jsonl',
  'README.txt',
  'progress.json',
]);

const beginBundle = async (
  source: BundleSource,
  writing: BundleWriteOptions,
): Promise<Progress> => {
  const { dir, asked, now } = writing;
  const { begun, place } = await source.begin();
  await writeText(dir, 'checkpoint.txt', begun.checkpoint);
  await writeText(dir, 'keys.json', `${JSON.stringify(await source.keys(), null, 2)}\n`);
  await writeText(dir, 'README.txt', bundleReadme);
  const seals = await open(join(dir, 'seals.jsonl'), 'w');
  try {
    for await (const seal of source.seals(begun)) await seals.appendFile(jsonLine(seal));
    await seals.datasync();
  } finally {
    await seals.close();
  }
  const counts = { entries: 0, erased: 0, withheld: 0, nodes_bytes: 0, parts: [] };
  const made_at = now();
  const at = { place, isOver: false, ...counts };
  const progress: Progress = { format: progressFormat, asked, begun, ...at, made_at };
  await writeText(dir, 'progress.json', JSON.stringify(progress));
  return progress;
};

/** Removes files and nodes written after the last checkpoint. */
const removeUnfinished = async (
  dir: string,
  { parts, nodes_bytes: bytes }: Progress,
): Promise<void> => {
  const whole = new Set(parts.map(({ file }) => file));
  for (const name of await readdir(dir)) {
    if (name.startsWith('entries-') && !whole.has(name)) await rm(join(dir, name));
  }
  const nodes = join(dir, 'nodes.jsonl');
  if (existsSync(nodes)) await truncate(nodes, bytes);
  else await writeText(dir, 'nodes.jsonl', '');
};

const writeParts = async (
  source: BundleSource,
  writing: BundleWriteOptions,
  from: Progress,
): Promise<Progress> => {
  const { dir, partEntries = usualPartEntries } = writing;
  const nodes = await open(join(dir, 'nodes.jsonl'), 'a');
  let progress = from;
  let part: Part | null = null;
  const counts = { entries: from.entries, erased: from.erased, withheld: from.withheld };
  let nodesBytes = from.nodes_bytes;
  const end = async (place: Json | null, isOver = false): Promise<void> => {
    await nodes.datasync();
    const parts = part === null ? progress.parts : [...progress.parts, await part.end()];
    part = null;
    progress = { ...progress, ...counts, place, isOver, nodes_bytes: nodesBytes, parts };
    await writeText(dir, 'progress.json', JSON.stringify(progress));
  };
  try {
    for await (const { lines, nodes: some, seq, place } of source.pages(from.begun, from.place)) {
      const text = some.map(jsonLine).join('');
      if (text !== '') await nodes.appendFile(text);
      nodesBytes += Buffer.byteLength(text);
      if (lines.length > 0) {
        part ??= await openPart(writing, progress.parts.length);
        await part.add(lines);
      }
      counts.entries += lines.length;
      counts.erased += lines.filter(({ erased }) => erased).length;
      counts.withheld += lines.filter(({ withheld }) => withheld !== null).length;
      writing.progress({ seq, entries: counts.entries }, from.begun);
      if (place !== null && part !== null && part.entries() >= partEntries) await end(place);
    }
    await end(null, true);
    return progress;
  } finally {
    await part?.abandon();
    await nodes.close();
  }
};

type Part = {
  readonly add: (lines: readonly BundleLine[]) => Promise<void>;
  readonly entries: () => number;
  readonly end: () => Promise<BundlePart>;
  readonly abandon: () => Promise<void>;
};

const compress = promisify<Buffer, { readonly level: number }, Buffer>(deflate);
/** The cheapest level gets most of the compression. */
const level = 1;

const openPart = async ({ dir, gzip }: BundleWriteOptions, number: number): Promise<Part> => {
  const file = `entries-${String(number).padStart(6, '0')}.jsonl${gzip ? '.gz' : ''}`;
  const partial = join(dir, `${file}.partial`);
  const handle: FileHandle = await open(partial, 'w');
  const hash = createHash('sha256');
  const block = openBlock(async (text) => {
    // Concatenated gzip members are a valid gzip file.
    const bytes = gzip ? await compress(text, { level }) : text;
    hash.update(bytes);
    await handle.appendFile(bytes);
  });
  let [entries, first, last] = [0, 0, 0];
  return {
    add: async (lines) => {
      for (const line of lines) await block.add(jsonLine(line));
      if (entries === 0) first = lines[0]?.seq ?? 0;
      last = lines.at(-1)?.seq ?? last;
      entries += lines.length;
    },
    entries: () => entries,
    end: async () => {
      await block.flush();
      await handle.datasync();
      await handle.close();
      await rename(partial, join(dir, file));
      return { file, first_seq: first, last_seq: last, sha256: hash.digest('hex') };
    },
    abandon: () => handle.close(),
  };
};

const blockBytes = 256 * 1_024;
/** UTF-8 bytes of a UTF-16 code unit at most. */
const bytesMax = 3;

/**
 * Write buffer for consecutive texts, flushed when full and reused to avoid allocations. `write`
 * must have used the bytes before it resolves.
 */
const openBlock = (write: (bytes: Buffer) => Promise<void>) => {
  const block = Buffer.allocUnsafe(blockBytes);
  let used = 0;
  const flush = async (): Promise<void> => {
    if (used > 0) await write(block.subarray(0, used));
    used = 0;
  };
  return {
    flush,
    add: async (text: string): Promise<void> => {
      if (used + text.length * bytesMax > blockBytes) await flush();
      if (text.length * bytesMax > blockBytes) await write(Buffer.from(text));
      else used += block.write(text, used);
    },
  };
};

const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;
const writeText = (dir: string, name: string, text: string): Promise<void> =>
  diskFiles.write(join(dir, name), Buffer.from(text));
