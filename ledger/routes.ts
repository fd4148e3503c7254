import type { Route } from '../contract/operation.js';
import type { Freshness, RequestAuthorizer } from '../contract/request-ports.js';
import { sha256 } from '../engines/node/digest.js';
import type { Secrets } from '../engines/node/secrets.js';
import { threadProcessorMs } from '../engines/node/thread-time.js';
import type { Documents } from '../kernel/documents.js';
import { openLimiter } from '../kernel/limiter.js';
import { limits } from '../kernel/limits.js';
import type { Clock, EventReader } from '../kernel/ports.js';
import type { Records } from '../kernel/records/records.js';
import { resolveAsOf } from './as-of-position.js';
import type { ChainPages, Chains } from './chain/entries.js';
import { historyCollection } from './collection.js';
import { historyExports } from './exports/answers.js';
import { historyChanges } from './reads/entry-changes.js';
import { entryEvidence } from './reads/entry-evidence.js';
import { historyExportReads } from './reads/export-routes.js';
import { historyReads } from './reads/history-routes.js';
import { historySealReads } from './reads/seal-routes.js';
import { scheduledExports, scheduledPages, scheduledChanges } from './reads/limiter.js';
import { historyVerification } from './reads/verification.js';
import type { SealKey } from './signing-key.js';

type LedgerNeeds = {
  readonly log: EventReader;
  readonly documents: Documents;
  readonly records: Pick<Records, 'findGroup'>;
  readonly chains: Chains & ChainPages;
  readonly sealKey: () => Promise<SealKey>;
  readonly backupDays: number | null;
  readonly freshness: Freshness;
  readonly authorizer: RequestAuthorizer;
  readonly clock: Clock;
  readonly secrets: Secrets;
};

/** Operations of contract 5.14: entries, their changes and proofs, seals, exports. */
export const ledgerRoutes = (needs: LedgerNeeds): readonly Route[] => {
  const { log, documents, authorizer, clock, secrets } = needs;
  const limiter = openLimiter(limits.historyReads);
  const chains = { ...needs.chains, page: scheduledPages(needs.chains, limiter) };
  const positionOf = resolveAsOf(needs);
  const changes = historyChanges({
    log,
    clock,
    processorMs: threadProcessorMs,
    sha256,
    positionOf,
  });
  const answers = { ...changes, changesOf: scheduledChanges(changes, limiter) };
  const exports = historyExports({ ...needs, sha256, waitUntilFolded: waitForFold(needs) });
  return [
    ...historyReads({
      chains,
      authorizer,
      sha256,
      cursorTag: secrets.cursorTag,
      ...answers,
      verdictOn: historyVerification({ log, clock, sha256, chains: needs.chains }),
    }),
    ...historySealReads({
      documents,
      chains: needs.chains,
      clock,
      sha256,
      authorizer,
      ...entryEvidence(log),
    }),
    ...historyExportReads({
      ...needs,
      ...answers,
      chains,
      ...exports,
      ...scheduledExports(exports, limiter),
    }),
  ];
};

/** Waits until the history is folded up to the log's current head. */
const waitForFold =
  ({ freshness, log }: Pick<LedgerNeeds, 'freshness' | 'log'>) =>
  async (): Promise<void> => {
    await freshness.waitUntilApplied([historyCollection.name], await log.head());
  };
