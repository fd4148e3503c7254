import { listApiKeys } from '../../contract/api-keys.js';
import { defaultPageLimit, pageInfo } from '../../contract/envelope.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Filter } from '../../kernel/filter.js';
import type { Clock } from '../../kernel/ports.js';
import type { Document, Documents } from '../../kernel/documents.js';
import type { ApiKeyId, Instant } from '../../kernel/schema-types.js';
import { apiKeyList, type ListedApiKey } from '../../projections/api-key-list.js';

type ApiKeyReadNeeds = {
  readonly documents: Documents;
  readonly clock: Pick<Clock, 'now'>;
  /** Last use of the key, to the minute; null = never, as far as known. */
  readonly lastUsed: (key: ApiKeyId) => Instant | null;
};

/**
 * Keys read per step: whether a key was revoked through an ancestor is known only once the ancestor
 * is read.
 */
const keysPerStep = 1_000;

export const apiKeyReads = ({ documents, clock, lastUsed }: ApiKeyReadNeeds): readonly Route[] => {
  const { collection } = apiKeyList;
  return [
    readRoute(listApiKeys, [collection], async ({ params, query, principal }) => {
      const start = query.starting_token ?? 0;
      const limit = query.limit ?? defaultPageLimit;
      const alive: ListedApiKey[] = [];
      const filter = liveKeysOf(params.user_id, clock.now());
      for (let offset = 0, more = true; more && alive.length <= start + limit;) {
        const found = await documents.find<ListedApiKey>(collection, {
          scope: principal.organizationId,
          filter,
          offset,
          limit: keysPerStep,
        });
        alive.push(...(await withLiveAncestors(documents, found.documents)));
        offset += keysPerStep;
        more = found.more;
      }
      const page = alive.slice(start, start + limit);
      return {
        body: {
          ...pageInfo(query, page.length, alive.length > start + limit),
          api_keys: page.map(({ shown }) => ({ ...shown, last_used: lastUsed(shown.id) })),
        },
      };
    }),
  ];
};

/** Filter for keys that are neither revoked themselves nor expired. */
const liveKeysOf = (user: string, now: Instant): Filter => ({
  all: [
    { kind: 'id', column: 'created_by', operator: 'eq', values: [user], caseSensitive: true },
    { kind: 'boolean', column: 'revoked', operator: 'eq', value: false },
    { not: { kind: 'date', column: 'expires_at', operator: 'lte', value: now } },
  ],
});

const withLiveAncestors = async (
  documents: Documents,
  found: readonly Document<ListedApiKey>[],
): Promise<readonly ListedApiKey[]> => {
  const ids = new Set(found.flatMap(({ body }) => body.ancestors));
  const ancestors = await documents.load(apiKeyList.collection, [...ids]);
  return found
    .map(({ body }) => body)
    .filter((one) => one.ancestors.every((id) => ancestors.get(id)?.fields['revoked'] === false));
};
