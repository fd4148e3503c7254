import { seededRandom } from '../kernel/seeded-random.js';
import { randomIds } from '../engines/node/ids.js';
import { streamNameOf, type Actor } from '../kernel/ports.js';
import { openSealedLog, type SealedLogEvent } from '../test/support/sealed-log.js';
import { traceBatchOf, projectId, run } from '../test/support/trace-batches.js';
import { tracesPerRequest, wideBodies } from './bodies.js';

export const organization = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
/** Type of event that a filter asks for: as many as a page has. */
export const rareType = 'GroupCreated';
const rareEvents = 100;

const appendedAtOnce = 2_000;
const user = randomIds.next('UserId');
const key = randomIds.next('ApiKeyId');
const byKey: Actor = { type: 'api_key', id: key, role: 'owner' };
const created = '2026-03-01T09:00:00.000000Z';

type LongHistory = {
  readonly events: number;
  /** The newest of them are traces of 10 spans of 1 KB; what is before are small ones. */
  readonly wideTraces: number;
};

/**
 * A folder whose log has so many events of one organisation, folded and sealed; written to the
 * engines, since requests would take an hour.
 */
export const fillHistory = async (
  dir: string,
  { events, wideTraces }: LongHistory,
  say: (line: string) => void,
): Promise<void> => {
  const log = await openSealedLog(dir);
  const begun = [userMade, keyMade].map(ofOrganization);
  await log.append(begun);
  const random = seededRandom(31);
  const rareEvery = Math.floor(events / rareEvents);
  const small = (at: number): SealedLogEvent =>
    at % rareEvery === 0 ? groupMade() : traced(random.uuid());
  for (let at = begun.length; at < events - wideTraces; at += appendedAtOnce) {
    const count = Math.min(appendedAtOnce, events - wideTraces - at);
    await log.append(Array.from({ length: count }, (_, one) => ofOrganization(small(at + one))));
    if (at % 200_000 < appendedAtOnce) say(`${at} events are in the log`);
  }
  const bodies = wideBodies(29, run.id);
  for (let n = 0; n < wideTraces / tracesPerRequest; n += 1) {
    const { logged } = traceBatchOf(JSON.parse(bodies(n).bytes.toString()));
    await log.append(logged.map((data) => ofOrganization(traced(data.trace_id, data))));
  }
  say('folding and sealing');
  await log.fold();
  await log.seal(organization);
  await log.fold();
  await log.close();
};

type Made = Omit<SealedLogEvent, 'organization' | 'actor'>;

const ofOrganization = (made: Made): SealedLogEvent => ({ ...made, organization, actor: byKey });

const userMade: Made = {
  stream: streamNameOf('user', user),
  type: 'UserCreated',
  data: { user_id: user, organization_id: organization, email: 'bench@example.org' },
};
const keyMade: Made = {
  stream: streamNameOf('api-key', key),
  type: 'ApiKeyCreated',
  data: { api_key_id: key, organization_id: organization, created_by: user },
};

const groupMade = (): SealedLogEvent => {
  const id = randomIds.next('GroupId');
  const named = { name: `group ${id}`, description: null, visibility: 'public' };
  const by = { organization_id: organization, created_by: user, created_at: created };
  return {
    stream: streamNameOf('group', id),
    type: rareType,
    data: { group_id: id, ...named, ...by },
    organization,
  };
};

const traced = (id: string, data: object = smallTrace(id)): SealedLogEvent => ({
  stream: streamNameOf('trace', projectId, id),
  type: 'TraceLogged',
  data,
  organization,
});

const smallTrace = (id: string): object => ({
  project_id: projectId,
  run_id: run.id,
  run_kind: run.kind,
  trace_id: id,
  session_id: null,
  is_complete: true,
  logging_method: 'api_direct',
  trace: { type: 'trace', id, created_at: created, input: 'bench' },
  spans: [],
});
