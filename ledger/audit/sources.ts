import { readFile } from 'node:fs/promises';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import { parseJsonText } from '../../kernel/json-text.js';
import type { BundleHeader, BundleLine, BundleNode } from '../chain/bundle.js';
import { Fault } from '../../kernel/fault.js';
import { systemChain } from '../chain/entries.js';
import type { ExportPosition } from '../chain/bundle-export.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { beginExport, bundlePages, type BundleRequest } from '../exports/bundle-pages.js';
import { sealingKeys, sealsOf } from '../exports/seals.js';
import type { BundleSource } from './bundle.js';
import type { HistoryReader } from '../reader.js';
import { jsonLinesIn as piecesOf } from '../../tools/import/lines.js';

/** Bundle source that reads the log itself. */
export const logSource = (
  history: HistoryReader,
  question: BundleRequest,
  data: boolean,
): BundleSource => ({
  begin: async () => ({ begun: await beginExport(history, question), place: null }),
  pages: async function* pages(begun, place) {
    const from = place as ExportPosition | null;
    for await (const page of bundlePages(history, begun, from, data)) {
      const { lines, nodes, next } = page;
      // Nodes of skipped entries come with the entry after them.
      const seq = next === null ? (lines.at(-1)?.seq ?? begun.to) : next.at - 1;
      yield { lines, nodes, seq, place: next };
    }
  },
  seals: (begun) => sealsOf(history, begun.organization_id ?? systemChain),
  keys: async () => ({ ...(await sealingKeys(history.log)) }),
  close: history.close,
});

type Remote = {
  /** Address of the service's API. */
  readonly url: string;
  /** The file that holds an API key. */
  readonly keyFile: string;
};

/** The first line of an answer, the last one, and those between (contract 5.14). */
type BundleHead = { readonly begun: BundleHeader; readonly cursor: string };
type BundleEnd = { readonly next_cursor: string | null };
type BundleStreamLine = BundleHead | BundleEnd | BundleNode | BundleLine;

const linesAtOnce = 256;

/** Bundle source over HTTP, with the same lines. Resumes where an answer ended. */
export const httpSource = async (
  { url, keyFile }: Remote,
  query: Readonly<Record<string, string>>,
): Promise<BundleSource> => {
  const apiKey = (await readFile(keyFile, 'utf8')).trim();
  const base = `${url.replace(/\/$/, '')}/v2/history`;
  const ask = (path: string, asked: Readonly<Record<string, string>>) =>
    openResponse(`${base}/${path}?${new URLSearchParams(asked).toString()}`, apiKey);
  const page = async (path: string, asked: Readonly<Record<string, string>> = {}) =>
    (await json(await ask(path, asked))) as JsonObject;
  return {
    begin: async () => {
      const answer = await ask('export', query);
      for await (const line of streamLines(answer)) {
        answer.destroy();
        const { begun, cursor } = line as BundleHead;
        return { begun, place: cursor };
      }
      throw new Fault('unavailable', `${url} answered nothing`);
    },
    pages: async function* pages(begun, place) {
      for (let cursor: string | null = place as string; cursor !== null;) {
        let [seq, lines, nodes]: [number, BundleLine[], BundleNode[]] = [0, [], []];
        let last: BundleEnd | null = null;
        for await (const line of streamLines(await ask('export', { ...query, cursor }))) {
          if ('next_cursor' in line) last = line;
          else if ('data_digest' in line) lines.push(line);
          else if ('from' in line) nodes.push(line);
          if (lines.length < linesAtOnce) continue;
          seq = lines.at(-1)?.seq ?? seq;
          yield { lines, nodes, seq, place: null };
          [lines, nodes] = [[], []];
        }
        if (last === null) throw new Fault('unavailable', `${url} was cut off: run it again`);
        cursor = last.next_cursor;
        seq = cursor === null ? begun.to : (lines.at(-1)?.seq ?? seq);
        yield { lines, nodes, seq, place: cursor };
      }
    },
    seals: async function* seals() {
      for (let cursor: Json = null; ;) {
        const { seals: some, next_cursor: next } = await page(
          'seals',
          cursor === null ? {} : { cursor },
        );
        for (const seal of some as readonly JsonObject[]) yield seal;
        if (typeof next !== 'string') return;
        cursor = next;
      }
    },
    keys: () => page('keys'),
    close: async () => undefined,
  };
};

/**
 * Lines of an answer, split at line feeds alone: a text may hold U+2028, where Node's readline
 * splits too. A truncated answer has fewer lines; the last line of a complete one says so.
 */
async function* streamLines(answer: IncomingMessage): AsyncGenerator<BundleStreamLine> {
  try {
    for await (const piece of piecesOf(answer)) {
      if ('problem' in piece) throw new Fault('unavailable', `an answer's line: ${piece.problem}`);
      yield parseJsonText(piece.text) as BundleStreamLine;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
  }
}

/** Throws Fault `unavailable` with the detail of any other answer. */
const openResponse = (url: string, apiKey: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const refuse = (why: string): void => reject(new Fault('unavailable', `${url}: ${why}`));
    if (!URL.canParse(url))
      return refuse('malformed address; give one like https://assay.example.org');
    const send = url.startsWith('https:') ? secureRequest : plainRequest;
    const request = send(url, { headers: { 'Service-API-Key': apiKey } }, (answer) => {
      if (answer.statusCode === 200) return resolve(answer);
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => refuse(`${answer.statusCode} ${Buffer.concat(pieces).toString()}`));
    });
    request.on('error', (error) => refuse(error.message));
    request.end();
  });
