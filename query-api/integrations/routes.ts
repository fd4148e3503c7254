import { moreRowsHeader, plainListMax } from '../../contract/envelope.js';
import {
  getIntegration,
  integrationAnswer,
  listIntegrations,
  listProviders,
} from '../../contract/integrations.js';
import { isProvider, providers } from '../../contract/integration-providers.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import {
  integrationKey,
  integrationList,
  type ListedIntegration,
} from '../../projections/integration-list.js';

type Needs = { readonly documents: Documents };

/** Reads of integrations (contract 5.9). */
export const integrationReads = (needs: Needs): readonly Route[] => [
  listing(needs),
  readRoute(listProviders, [], async () => ({ body: { integrations: [...providers] } })),
  showing(needs),
];

const { collection } = integrationList;

const listing = ({ documents }: Needs): Route =>
  readRoute(listIntegrations, [collection], async ({ principal }) => {
    const { userId, organizationId, organizationRole } = principal;
    const own = {
      kind: 'id',
      column: 'created_by',
      operator: 'eq',
      values: [userId],
      caseSensitive: true,
    } as const;
    const { documents: found, more } = await documents.find<ListedIntegration>(collection, {
      scope: organizationId,
      filter: organizationRole === 'admin' ? null : own,
      sort: { column: 'name', ascending: true },
      limit: plainListMax,
    });
    const body = found.map((entry) => integrationAnswer(entry.body.facts, userId));
    return { body, notes: moreRowsHeader(more) };
  });

const showing = ({ documents }: Needs): Route =>
  readRoute(getIntegration, [collection], async ({ params, principal }) => {
    const { userId, organizationId } = principal;
    const segment = params.provider_segment;
    const key = integrationKey(userId, segment);
    const found = isProvider(segment)
      ? await documents.get<ListedIntegration>(collection, key)
      : null;
    if (found?.scope !== organizationId) throw new Fault('not-found', 'Integration not found');
    const { facts, tag } = found.body;
    return { body: integrationAnswer(facts, userId), etag: tag };
  });
