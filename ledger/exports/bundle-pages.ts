import { newestSeal } from '../seals/seal-streams.js';
import { secretEventTypes } from '../../events/secrets.js';
import { parseCheckpoint } from '../chain/checkpoint.js';
import { Fault } from '../../kernel/fault.js';
import { seqFrom, seqTo, type HistoryBound } from '../chain/bounds.js';
import type { BundleHeader, BundleScope } from '../chain/bundle.js';
import {
  systemChain,
  type ChainName,
  type ChainPages,
  type Chains,
  type HistoryResource,
} from '../chain/entries.js';
import {
  exportPages,
  type BundleFilter,
  type ExportPage,
  type ExportPosition,
} from '../chain/bundle-export.js';
import type { Clock, EventReader, Sha256 } from '../../kernel/ports.js';

export type ExportNeeds = {
  readonly chains: Chains & ChainPages;
  readonly log: EventReader;
  readonly clock: Pick<Clock, 'now'>;
  readonly sha256: Sha256;
  /** Resolves once the log's current head is folded, or the wait times out. */
  readonly waitUntilFolded: () => Promise<void>;
};

/** Scope of a requested bundle. */
export type BundleRequest = {
  readonly chain: ChainName;
  readonly projectId: string | null;
  readonly resource: HistoryResource | null;
  /** Both inclusive; null: the first and the last entry. */
  readonly from: HistoryBound | null;
  readonly to: HistoryBound | null;
};

/**
 * Header of a new bundle. Throws Fault `not-found` for a history without entries or seals, and
 * `read-model-behind` while the fold is behind the newest seal.
 */
export const beginExport = async (
  needs: ExportNeeds,
  { chain, projectId, resource, from, to }: BundleRequest,
): Promise<BundleHeader> => {
  const { chains } = needs;
  const [head, seal] = [await chains.head(chain), await newestSeal(needs, chain)];
  if (head === null) throw new Fault('not-found', `no history exists of ${chain}`);
  const checkpoint = seal === null ? null : parseCheckpoint(seal.note);
  if (seal === null || checkpoint === null) {
    throw new Fault('not-found', `the history of ${chain} has no seal yet: assay audit seal`);
  }
  if (seal.size > head.size) {
    throw new Fault(
      'read-model-behind',
      `history is folded up to entry ${head.size}, and ${seal.size} are sealed: wait for it`,
    );
  }
  return {
    origin: checkpoint.origin,
    organization_id: chain === systemChain ? null : chain,
    scope: scopeOf(chain, { projectId, resource, isRange: from !== null || to !== null }),
    project_id: projectId,
    resource: resource === null ? null : `${resource.type}:${resource.id}`,
    from: from === null ? 1 : await seqFrom(chains, head, from),
    to: to === null ? head.size : await seqTo(chains, head, to),
    size: seal.size,
    checkpoint: seal.note,
  };
};

const scopeOf = (
  chain: ChainName,
  request: Pick<BundleRequest, 'projectId' | 'resource'> & { readonly isRange: boolean },
): BundleScope => {
  if (request.resource !== null) return 'resource';
  if (request.projectId !== null) return 'project';
  if (request.isRange) return 'range';
  return chain === systemChain ? 'system' : 'organization';
};

type BundleExport = Omit<BundleHeader, 'origin' | 'checkpoint'>;

/** Lines of a bundle from a position on. */
export const bundlePages = (
  needs: ExportNeeds,
  begun: BundleExport,
  place: ExportPosition | null,
  data: boolean,
): AsyncGenerator<ExportPage, void> =>
  exportPages(
    needs,
    {
      chain: begun.organization_id ?? systemChain,
      filter: entryFilterOf(begun),
      from: begun.from,
      to: begun.to,
      size: begun.size,
      isWhole: begun.scope === 'organization' || begun.scope === 'system',
      showing: { isSecret: (type) => secretEventTypes.has(type), data },
    },
    place ?? undefined,
  );

const entryFilterOf = ({
  project_id: project,
  resource,
}: Pick<BundleHeader, 'project_id' | 'resource'>): BundleFilter | null => {
  if (project === null && resource === null) return null;
  const [type = '', id = ''] = resource?.split(':') ?? [];
  return {
    ...(project !== null && { projects: [project] }),
    ...(resource !== null && { resourceTypes: [type], resourceIds: [id] }),
  };
};
