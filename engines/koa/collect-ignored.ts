import type { IncomingMessage } from 'node:http';
import type { IgnoredMember } from '../ajv/ignored-members.js';
import type { IgnoredPart } from './ignored-members.js';
import type { ParsedBody } from './json-parser.js';
import type { CompiledRoute } from './compiled-routes.js';

/** Parts of a request that are checked. */
type SentParts = {
  readonly message: IncomingMessage;
  readonly query: Readonly<Record<string, readonly string[]>>;
};

/**
 * Collects the parts of a request that its operation does not read, in the order of the response.
 */
export const collectIgnored = (
  compiledRoute: CompiledRoute,
  sent: SentParts,
  body: ParsedBody,
  members: readonly IgnoredMember[],
): readonly IgnoredPart[] => [
  ...ignoredQuery(compiledRoute, sent),
  ...ignoredBody(compiledRoute, sent, members),
  ...('value' in body ? (body.repeated ?? []) : []).map((path) => repeatedPart('body', path)),
];

const repeatedPart = (place: IgnoredPart['location'], path: readonly string[]): IgnoredPart => ({
  location: place,
  path,
  reason: 'repeated',
  knownNames: [],
});

const ignoredQuery = (
  { queryNames, bodyNames }: CompiledRoute,
  { query }: SentParts,
): readonly IgnoredPart[] =>
  Object.entries(query).flatMap(([name, values]): readonly IgnoredPart[] => {
    const takes = queryNames.get(name);
    if (takes === undefined) {
      const known = [...queryNames.keys(), ...bodyNames];
      return [{ location: 'query', path: [name], reason: 'unknown', knownNames: known }];
    }
    return takes === 'one' && values.length > 1 ? [repeatedPart('query', [name])] : [];
  });

const ignoredBody = (
  { body, queryNames }: CompiledRoute,
  { message }: SentParts,
  members: readonly IgnoredMember[],
): readonly IgnoredPart[] =>
  (body === null && hasBody(message) ? [{ path: [], known: [] }] : members).map(
    ({ path, known }) => ({
      location: 'body',
      path,
      reason: 'unknown',
      knownNames: path.length === 1 ? [...known, ...queryNames.keys()] : known,
    }),
  );

/** Two bytes of JSON have no members. */
const emptyBytes = 2;
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > emptyBytes;
