import type { IncomingMessage } from 'node:http';
import type { IgnoredMember } from '../ajv/ignored.js';
import type { Ignored } from './ignored.js';
import type { Parsed } from './json.js';
import type { Bound } from './table.js';

/** The parts of a request that are looked at. */
type Sent = {
  readonly message: IncomingMessage;
  readonly query: Readonly<Record<string, readonly string[]>>;
};

/** What of a request its operation does not read, in the order in which an answer names it. */
export const ignoredParts = (
  bound: Bound,
  sent: Sent,
  body: Parsed,
  members: readonly IgnoredMember[],
): readonly Ignored[] => [
  ...queryIgnored(bound, sent),
  ...bodyIgnored(bound, sent, members),
  ...('value' in body ? (body.repeated ?? []) : []).map((path) => repeated('body', path)),
];

const repeated = (place: Ignored['place'], path: readonly string[]): Ignored => ({
  place,
  path,
  because: 'repeated',
  known: [],
});

const queryIgnored = ({ queryNames, bodyNames }: Bound, { query }: Sent): readonly Ignored[] =>
  Object.entries(query).flatMap(([name, values]): readonly Ignored[] => {
    const takes = queryNames.get(name);
    if (takes === undefined) {
      const known = [...queryNames.keys(), ...bodyNames];
      return [{ place: 'query', path: [name], because: 'unknown', known }];
    }
    return takes === 'one' && values.length > 1 ? [repeated('query', [name])] : [];
  });

const bodyIgnored = (
  { body, queryNames }: Bound,
  { message }: Sent,
  members: readonly IgnoredMember[],
): readonly Ignored[] =>
  (body === null && hasBody(message) ? [{ path: [], known: [] }] : members).map(
    ({ path, known }) => ({
      place: 'body',
      path,
      because: 'unknown',
      known: path.length === 1 ? [...known, ...queryNames.keys()] : known,
    }),
  );

/** Two bytes of JSON have no members. */
const emptyBytes = 2;
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > emptyBytes;
