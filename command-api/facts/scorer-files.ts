import type { ScorerFileEvent } from '../../events/scorer-tasks.js';
import type { Fold } from '../../kernel/decision.js';
import { type EventReader, type Ids, type StreamName, streamNameOf } from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';

/** Stream of a scorer file; `digest` is derived from the organisation and the file. */
const scorerFileStream = (digest: string): StreamName => streamNameOf('scorer-file', digest);

/** Facts of a file that was found valid; null: never validated in this organisation. */
export type ScorerFile = ScorerFileEvent['data'];

export const scorerFiles: Fold<ScorerFile | null, ScorerFileEvent> = {
  initial: null,
  evolve: (_file, { data }) => data,
};

export const scorerFileStreamOf = (
  ids: Pick<Ids, 'derive'>,
  organization: OrganizationId,
  sha256: string,
): StreamName => scorerFileStream(ids.derive('ScorerFile', organization, sha256));

export const scorerFileOf = async (
  { log, ids }: { readonly log: EventReader; readonly ids: Pick<Ids, 'derive'> },
  organization: OrganizationId,
  sha256: string,
): Promise<ScorerFile | null> =>
  (await loadStreamState(log, scorerFileStreamOf(ids, organization, sha256), scorerFiles)).state;
