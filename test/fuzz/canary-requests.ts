import { gzipSync } from 'node:zlib';
import type { Ask } from '../support/client.js';
import { formRequest, formType } from '../support/multipart-forms.js';
import { basic, bearer, cookie } from '../support/logins.js';
import { below, oneOf, type Rng } from './valid-request.js';

export type CanaryRequest = { readonly path: string; readonly ask: Ask };
/** Puts a text that must not be heard of again into a request that fits. */
type Planting = (sent: CanaryRequest, text: string, rng: Rng) => CanaryRequest;
type CanaryPlaces = readonly (readonly [string, Planting])[];

const headed =
  (headersOf: (text: string) => Readonly<Record<string, string>>): Planting =>
  ({ path, ask }, text) => ({
    path,
    ask: { ...ask, headers: { ...ask.headers, ...headersOf(text) } },
  });
const bodied =
  (bodyOf: (text: string) => unknown, headers: Ask['headers'] = {}): Planting =>
  ({ path }, text) => ({ path, ask: { body: bodyOf(text), headers } });

/** Places that every request has. */
export const anyPlaces: CanaryPlaces = [
  ['a key', headed((text) => ({ 'Service-API-Key': text }))],
  ['a key of our form', headed((text) => ({ 'Service-API-Key': `asy_${text}` }))],
  ['a bearer token', headed((text) => bearer(`${text}.e30.${text}`))],
  ['a name', headed((text) => basic(`${text}@example.org`, 'a password'))],
  ['a password', headed((text) => basic('admin@localhost', text))],
  ['a broken Basic', headed((text) => ({ Authorization: `Basic !${text}` }))],
  ['another scheme', headed((text) => ({ Authorization: `${text} ${text}` }))],
  ['a cookie', headed(cookie)],
  ['another cookie', headed((text) => ({ Cookie: `${text}=1; session=${text}` }))],
  ...[
    'Idempotency-Key',
    'If-Match',
    'User-Agent',
    'Referer',
    'Origin',
    'Accept',
    'Content-Type',
    'Content-Encoding',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Nobody-Knows',
  ].map((name) => [name, headed((text) => ({ [name]: text }))] as const),
  // One in form would be waited for, two seconds each time.
  ['a position out of form', headed((text) => ({ 'X-Min-Position': `${text} ${text}` }))],
  ['a tag', headed((text) => ({ 'If-Match': `"${text}"` }))],
  ['a request id out of form', headed((text) => ({ 'X-Request-Id': `${text} ${text}` }))],
  ['the name of a header', headed((text) => ({ [text]: '1' }))],
  ['a parameter', ({ path, ask }, text) => ({ path: withQuery(path, `x=${text}`), ask })],
  [
    'the name of a parameter',
    ({ path, ask }, text) => ({ path: withQuery(path, `${text}=1`), ask }),
  ],
  [
    'a parameter that has a form',
    ({ path, ask }, text) => ({ path: withQuery(path, `limit=${text}`), ask }),
  ],
  ['a broken parameter', ({ path, ask }, text) => ({ path: withQuery(path, `x=${text}%zz`), ask })],
  ['a segment', ({ path, ask }, text, rng) => ({ path: withSegment(path, text, rng), ask })],
  [
    'a broken segment',
    ({ path, ask }, text, rng) => ({ path: withSegment(path, `${text}%ff`, rng), ask }),
  ],
  ['a path of nothing', ({ ask }, text) => ({ path: `/v2/${text}`, ask })],
];

export const jsonPlaces: CanaryPlaces = [
  [
    'a leaf',
    ({ path, ask }, text, rng) => ({ path, ask: { ...ask, body: replaced(ask.body, text, rng) } }),
  ],
  [
    'a member',
    ({ path, ask }, text) => ({
      path,
      ask: { ...ask, body: { [text]: text, ...Object(ask.body) } },
    }),
  ],
  [
    'a prototype',
    ({ path }, text) => ({ path, ask: { body: `{"__proto__":{"${text}":"${text}"}}` } }),
  ],
  ['a text in place of a body', bodied((text) => JSON.stringify(text))],
  ['a list in place of a body', bodied((text) => [text])],
  ['no JSON', bodied((text) => text)],
  ['JSON that breaks off', bodied((text) => `{"name":"${text}`)],
  ['JSON that breaks off in a name', bodied((text) => `{"${text}`)],
  ['a twin', bodied((text) => `{"name":"${text}","name":5}`)],
  [
    'a body too deep',
    bodied((text) => `{"${text}":${'['.repeat(200)}"${text}"${']'.repeat(200)}}`),
  ],
  ['a body too long', bodied((text) => `{"${text}":"${text.repeat(30_000)}"}`)],
  [
    'no UTF-8',
    bodied((text) => Buffer.concat([Buffer.from(`{"${text}":"`), Buffer.of(255, 34, 125)])),
  ],
  ['plain text', bodied((text) => text, { 'Content-Type': 'text/plain' })],
  [
    'fields',
    bodied((text) => `${text}=${text}`, { 'Content-Type': 'application/x-www-form-urlencoded' }),
  ],
  ['gzip', bodied((text) => gzipSync(`{"${text}":"${text}"}`), { 'Content-Encoding': 'gzip' })],
  ['no gzip', bodied((text) => text, { 'Content-Encoding': 'gzip' })],
];

const file = (content: string, name = 'file', fileName = 'a.csv') => ({ name, content, fileName });
const formed =
  (parts: (text: string) => Parameters<typeof formRequest>[0]): Planting =>
  ({ path }, text) => ({ path, ask: formRequest(parts(text)) });
export const formPlaces: CanaryPlaces = [
  ['a file', formed((text) => [file(`a,b\n${text},2\n`)])],
  ['a column', formed((text) => [file(`${text},${text}\n1,2\n`)])],
  ['a broken file', formed((text) => [file(`{"a":"${text}`, 'file', 'a.jsonl')])],
  ['the name of a file', formed((text) => [file('a\n1\n', 'file', `${text}.csv`)])],
  ['the ending of a file', formed((text) => [file('a\n1\n', 'file', `a.${text}`)])],
  ['the name of a part', formed((text) => [file('a\n1\n'), { name: text, content: text }])],
  ['a file where a text is', formed((text) => [file(text, 'name'), file('a\n1\n')])],
  ['a text where a file is', formed((text) => [{ name: 'file', content: text }])],
  [
    'a text that has a form',
    formed((text) => [
      file('a\n1\n'),
      { name: 'project_id', content: text },
      { name: 'dataset_id', content: text },
      { name: 'score_type', content: text },
    ]),
  ],
  ['a boundary', headed((text) => ({ 'Content-Type': `multipart/form-data; boundary=${text}` }))],
  [
    'a form that breaks off',
    bodied((text) => `--assay\r\nContent-Disposition: form-data; name="${text}`, {
      'Content-Type': formType,
    }),
  ],
];

/** Malformed HTTP, byte by byte. */
export const malformedRequests: readonly (readonly [string, (text: string) => string])[] = [
  ['a version', (text) => `GET /v2/projects HTTP/${text}\r\n\r\n`],
  ['a method', (text) => `${text} / HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['no HTTP', (text) => `${text}\r\n\r\n`],
  ['a header with a space', (text) => `GET / HTTP/1.1\r\nHost: x\r\n${text} x: 1\r\n\r\n`],
  ['a head too long', (text) => `GET / HTTP/1.1\r\nHost: x\r\nX: ${text.repeat(1_000)}\r\n\r\n`],
  ['a host', (text) => `GET /v2/projects HTTP/1.1\r\nHost: ${text}\r\nConnection: close\r\n\r\n`],
  [
    'a length',
    (text) => `POST /v2/projects HTTP/1.1\r\nHost: x\r\nContent-Length: ${text}\r\n\r\n`,
  ],
  [
    'a chunk',
    (text) =>
      `POST /v2/projects HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${text}\r\n`,
  ],
];

const withQuery = (path: string, pair: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${pair}`;
const withSegment = (path: string, text: string, rng: Rng): string => {
  const [way = '', query] = path.split('?', 2);
  const segments = way.split('/');
  segments[2 + below(rng, segments.length - 2)] = text;
  return `${segments.join('/')}${query === undefined ? '' : `?${query}`}`;
};

/** Some value of it is the text; what is no object becomes the text. */
const replaced = (value: unknown, text: string, rng: Rng): unknown => {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return text;
  const key = oneOf(rng, Object.keys(value));
  const inner = replaced((value as Readonly<Record<string, unknown>>)[key], text, rng);
  return Array.isArray(value)
    ? value.map((one: unknown, at) => (String(at) === key ? inner : one))
    : { ...value, [key]: inner };
};
