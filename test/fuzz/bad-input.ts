import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import type { Operation } from '../../contract/operation.js';
import { formBytes, formType, type FormPart } from '../support/multipart-forms.js';
import { addressOf, below, oneOf, validValue, type Rng } from './valid-request.js';

type Fuzz = {
  readonly baseUrl: string;
  /** Headers that let the caller in. */
  readonly credential: Readonly<Record<string, string>>;
  readonly operation: Operation;
  readonly runs: number;
  readonly rng: Rng;
  /** Values by member or parameter name, for ids that have to exist. */
  readonly known?: Readonly<Record<string, unknown>>;
  /** Looks at the service after each answer; what it throws is the run's failure. */
  readonly after?: (status: number) => Promise<void>;
};
/** Number of answers by status. */
type FuzzTally = Readonly<Record<number, number>>;

type Shot = {
  /** Change of a valid request. */
  readonly mutation: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** The mutation cannot be legal: anything but a 4xx is wrong. */
  readonly refused: boolean;
};
type Reply = {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
  readonly ms: number;
};

const answerWithinMs = 5_000;

/**
 * Sends valid requests with one thing wrong and throws, naming the
 * mutation, on any answer that is no 2xx and no 4xx of the contract's shape, that takes longer than
 * 5 s, or that leaves a prototype polluted.
 */
export const fuzzOperation = async (fuzz: Fuzz): Promise<FuzzTally> => {
  const tally: Record<number, number> = {};
  for (let run = 0; run < fuzz.runs; run += 1) {
    const shot = draw(fuzz);
    const reply = await fire(fuzz, shot);
    const wrong = wrongWith(reply, shot);
    if (wrong !== null) {
      const sent = shot.body === null ? '' : shot.body.toString('utf8').slice(0, 500);
      throw new Error(
        `${fuzz.operation.operationId} ${wrong}: ${reply.status} after "${shot.mutation}"\n` +
          `${fuzz.operation.method} ${shot.path.slice(0, 300)}\n${sent}\n` +
          `-> ${reply.text.slice(0, 500)}`,
      );
    }
    tally[reply.status] = (tally[reply.status] ?? 0) + 1;
    await fuzz.after?.(reply.status);
  }
  return tally;
};

const draw = (fuzz: Fuzz): Shot => {
  const { operation, rng, known = {} } = fuzz;
  const params = validValue(operation.params, rng, known) as Readonly<Record<string, unknown>>;
  const query = validValue(operation.query, rng, known) as Readonly<Record<string, unknown>>;
  const valid = operation.body === null ? null : validValue(operation.body, rng, known);
  if (operation.form !== null) return drawForm(fuzz, addressOf(operation.path, params, query));
  if (operation.encoding === 'urlencoded') {
    return drawFields(fuzz, addressOf(operation.path, params, query));
  }
  const shot: Shot = {
    mutation: 'none',
    path: addressOf(operation.path, params, query),
    headers: valid === null ? {} : { 'Content-Type': 'application/json' },
    body: valid === null ? null : Buffer.from(JSON.stringify(valid)),
    refused: false,
  };
  const kinds = [mutateAddress, mutateHeaders];
  if (valid === null) return oneOf(rng, kinds)(shot, fuzz);
  if (rng() < 0.7) return mutateNode(shot, valid, rng);
  return oneOf(rng, [...kinds, mutateBody, mutateBody])(shot, fuzz);
};

/** Forms: texts that fit their schemas or do not, files or texts in any part, bytes cut short. */
const drawForm = ({ operation, rng, known = {} }: Fuzz, path: string): Shot => {
  const valid = validValue(operation.body ?? Type.Object({}), rng, known) as object;
  const texts = Object.entries(valid).flatMap(([name, value]) =>
    value === null
      ? []
      : [{ name, content: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
  const files = Object.keys(operation.form?.files ?? {}).map((name) => ({
    name,
    content: oneOf(rng, ['a,b\n1,2\n', '{"a":1}\n', '[{"a":[1]}]', '', '\u0000"', 'x\n1,2\n']),
    fileName: oneOf(rng, ['f.csv', 'f.jsonl', 'f', '../f.json']),
  }));
  const parts: FormPart[] = [...files, ...texts];
  const bad = oneOf(rng, badNodes);
  const name = oneOf(rng, ['file', 'x', '__proto__', 'x[9][y]', ...parts.map((one) => one.name)]);
  if (rng() < 0.8) parts.push({ name, content: bad, ...(rng() < 0.3 && { fileName: 'f' }) });
  const bytes = formBytes(rng() < 0.2 ? parts.slice(1) : parts);
  const isCut = rng() < 0.1;
  return {
    mutation: isCut ? 'cut short' : `part ${name} = ${bad.slice(0, 60)}`,
    path,
    headers: { 'Content-Type': formType },
    body: isCut ? bytes.subarray(0, bytes.length - 20) : bytes,
    refused: isCut,
  };
};

/** Urlencoded bodies: fields that fit, are twice there or hold nonsense, and broken encodings. */
const drawFields = ({ operation, rng, known = {} }: Fuzz, path: string): Shot => {
  const valid = validValue(operation.body ?? Type.Object({}), rng, known) as object;
  const pairs = Object.entries(valid).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  const name = oneOf(rng, ['x', '__proto__', ...Object.keys(valid)]);
  const bad = oneOf(rng, ['', '%', '%ff', '%00', '%ED%A0%80', 'a'.repeat(4_000), '[object]']);
  pairs.push(`${name}=${bad}`);
  const text = pairs.slice(rng() < 0.2 ? 1 : 0).join(oneOf(rng, ['&', '&', '&&', ';']));
  const isJson = rng() < 0.1;
  return {
    mutation: isJson ? 'JSON' : `field ${name} = ${bad.slice(0, 20)}`,
    path,
    headers: {
      'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    },
    body: Buffer.from(isJson ? JSON.stringify(valid) : text),
    refused: isJson || bad === '%' || bad === '%ff' || bad === '%ED%A0%80',
  };
};

/** JSON texts that stand in the place of one node. */
const badNodes = [
  'null',
  'true',
  '-1',
  '0.5',
  '1e999',
  '-1e400',
  '99999999999999999999',
  '""',
  '"zzz"',
  String.raw`"\ud800"`,
  String.raw`"a\u0000b"`,
  String.raw`"\ud83d\ude00\udc00"`,
  '[]',
  '{}',
  '[null]',
  '[[],{}]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"$ne":null}',
  '{"type":"__proto__"}',
  '"__proto__"',
  '"constructor"',
  '"(a+)+$"',
  '"9999-99-99T99:99:99Z"',
  `"${'a'.repeat(100_000)}"`,
] as const;
const marker = '\u2603node\u2603';

const mutateNode = (shot: Shot, valid: unknown, rng: Rng): Shot => {
  if (rng() < 0.05) return mutateDepth(shot, valid, rng);
  const place = oneOf(rng, placesIn(valid));
  const node = rng() < 0.1 ? undefined : oneOf(rng, badNodes);
  const text = JSON.stringify(replaced(valid, place, node === undefined ? node : marker)) ?? '';
  // Members that nobody declared, and one that would be a prototype.
  const isMore = rng() < 0.1 && text.startsWith('{') && text.length > 2;
  const more = isMore ? `{"__proto__":{"polluted":true},"role":"admin",${text.slice(1)}` : text;
  return {
    ...shot,
    mutation: `${place.join('.') || 'body'} = ${node?.slice(0, 60) ?? 'nothing'}`,
    body: Buffer.from(more.replace(`"${marker}"`, () => node ?? '')),
  };
};

/** Deep nesting, also in an undeclared member: it is ignored, but its nesting counts. */
const mutateDepth = (shot: Shot, valid: unknown, rng: Rng): Shot => {
  const levels = oneOf(rng, [200, 100_000]);
  const node = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const isOpen = typeof valid === 'object' && !Array.isArray(valid);
  const place = isOpen && rng() < 0.5 ? ['nobodyDeclaredThis'] : oneOf(rng, placesIn(valid));
  const text = JSON.stringify(replaced(valid, place, marker));
  return {
    ...shot,
    mutation: `${levels} levels at ${place.join('.')}`,
    body: Buffer.from(text.replace(`"${marker}"`, () => node)),
    refused: true,
  };
};

const placesIn = (value: unknown, at: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [at, ...Object.entries(value).flatMap(([key, one]) => placesIn(one, [...at, key]))]
    : [at];

const replaced = (value: unknown, [key, ...rest]: readonly string[], node: unknown): unknown => {
  if (key === undefined) return node;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  const one = replaced(copy[key], rest, node);
  if (one === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = one;
  return copy;
};

const mutateBody = (shot: Shot, { rng, operation }: Fuzz): Shot => {
  const text = shot.body ?? Buffer.from('{}');
  const oversize = operation.size === 'ingest' ? 10_485_761 : 1_048_577;
  const mutations: readonly (readonly [string, Buffer, Readonly<Record<string, string>>])[] = [
    ['truncated', text.subarray(0, Math.max(1, text.length - 1 - below(rng, text.length))), {}],
    ['no JSON', Buffer.from('nope'), {}],
    ['not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), {}],
    ['text/plain', text, { 'Content-Type': 'text/plain' }],
    ['multipart', text, { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['gzip that is none', text, { 'Content-Encoding': 'gzip' }],
    ['half a gzip', gzipSync(text).subarray(0, 12), { 'Content-Encoding': 'gzip' }],
    ['deflate', text, { 'Content-Encoding': 'deflate' }],
    ['oversize', Buffer.alloc(oversize, ' '), {}],
    ['gzip bomb', gzipSync(Buffer.alloc(oversize, ' ')), { 'Content-Encoding': 'gzip' }],
  ];
  const [mutation, body, headers] = oneOf(rng, mutations);
  return { ...shot, mutation, body, headers: { ...shot.headers, ...headers }, refused: true };
};

const mutateAddress = (shot: Shot, { rng }: Fuzz): Shot => {
  const [path = '', query = ''] = shot.path.split('?', 2);
  const segments = path.split('/');
  const at = 1 + below(rng, segments.length - 1);
  const bad = oneOf(rng, ['%ff', '%00', '%', '..', "'", '%ED%A0%80', 'a'.repeat(4_000), 'zzz', '']);
  if (rng() < 0.5) {
    segments[at] = bad;
    return { ...shot, mutation: `path segment = ${bad.slice(0, 20)}`, path: segments.join('/') };
  }
  const names = ['limit', 'starting_token', '__proto__', 'x', ...query.split('&').map(nameOf)];
  const value = oneOf(rng, ['', 'x', '-1', '1e9', '99999999999999999999', bad]);
  const pair = `${oneOf(rng, names)}=${value}`;
  return { ...shot, mutation: `query ${pair.slice(0, 40)}`, path: `${path}?${query}&${pair}` };
};
const nameOf = (pair: string): string => pair.split('=', 1)[0] ?? '';

const mutateHeaders = (shot: Shot, { rng }: Fuzz): Shot => {
  const [header, value] = oneOf(rng, [
    ['X-Request-Id', 'no spaces allowed'],
    ['X-Min-Position', '../..'],
    ['Idempotency-Key', 'k'.repeat(300)],
    ['If-Match', '*'],
    ['Authorization', 'Basic !!!'],
    ['Accept', 'image/png'],
    ['Content-Type', 'application/json; charset=utf-16'],
  ] as const);
  return { ...shot, mutation: header, headers: { ...shot.headers, [header]: value } };
};

const fire = ({ baseUrl, credential, operation }: Fuzz, shot: Shot): Promise<Reply> => {
  const began = performance.now();
  const { hostname, port } = new URL(baseUrl);
  const headers = {
    ...credential,
    ...shot.headers,
    ...(shot.body !== null && { 'Content-Length': String(shot.body.length) }),
  };
  const options = { hostname, port, method: operation.method, path: shot.path, headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          requestId: String(incoming.headers['x-request-id']),
          text: Buffer.concat(chunks).toString('utf8'),
          ms: performance.now() - began,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(shot.body ?? undefined);
  });
};

/** Violation of the contract by the answer; null when it conforms. */
const wrongWith = ({ status, requestId, text, ms }: Reply, { refused }: Shot): string | null => {
  if (ms > answerWithinMs) return `took ${Math.round(ms)} ms`;
  if ((Object.prototype as Record<string, unknown>)['polluted'] !== undefined) return 'polluted';
  if (status >= 500 || status < 200) return 'failed';
  if (status < 300) return refused ? 'took what cannot be right' : null;
  if (status < 400) return 'redirected';
  return isProblem(status, JSON.parse(text) as Record<string, unknown>, requestId)
    ? null
    : 'answered another shape';
};

/** A google.rpc.Status has two members more, and its number as `code` (contract 5.12). */
const withoutStatus = (status: number, body: Record<string, unknown>): Record<string, unknown> => {
  const { message, code, ...rest } = body;
  if (typeof message !== 'string' || typeof code !== 'number') return body;
  return status === 422 ? rest : { ...rest, code };
};

const isProblem = (status: number, told: Record<string, unknown>, requestId: string): boolean => {
  const body = withoutStatus(status, told);
  const members = Object.keys(body).sort().join();
  if (status !== 422) {
    const isWhole = members === 'code,detail,request_id,status,title,type';
    return isWhole && body['status'] === status && body['request_id'] === requestId;
  }
  const { detail } = body;
  return (
    members === 'detail' &&
    Array.isArray(detail) &&
    detail.length > 0 &&
    detail.length <= 100 &&
    detail.every(
      (one: Record<string, unknown>) =>
        Object.keys(one).sort().join() === 'loc,msg,type' &&
        Array.isArray(one['loc']) &&
        one['loc'].every((part) => typeof part === 'string') &&
        typeof one['msg'] === 'string' &&
        typeof one['type'] === 'string',
    )
  );
};
