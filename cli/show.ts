import { Fault } from '../kernel/fault.js';
import { openCommandClient, type ApiClient, type ServiceAccess } from './api-client.js';
import { drawnTrace, type ShownRecord } from './drawn-trace.js';
import {
  demandedOk,
  runPlace,
  selectorOf,
  uuid,
  type PlaceOptions,
  type RunPlace,
} from './run-place.js';
import { visible } from './visible.js';

/**
 * `assay show [TRACE]`: a trace with its steps, the newest one unless told which, by its id or its
 * external id. Throws Fault `invalid` where there is none.
 */
export const showTrace = async (
  trace: string | null,
  access: ServiceAccess,
  wishes: PlaceOptions & { readonly json: boolean; readonly full: boolean },
): Promise<void> => {
  const client = openCommandClient(access);
  try {
    const place = await runPlace(client, wishes, false);
    const found = trace === null ? await newest(client, place) : await named(client, place, trace);
    const width = wishes.full ? null : (process.stdout.columns ?? usualWidth);
    const templates = await templatesOf(client, place, found);
    const lines = wishes.json ? [JSON.stringify(found)] : drawnTrace(found, { width, templates });
    process.stdout.write(`${visible(lines.join('\n'))}\n`);
  } finally {
    client.close();
  }
};

const usualWidth = 120;
const rootOf = ({ project }: RunPlace): string => `/v2/projects/${project.id}`;

const named = async (client: ApiClient, place: RunPlace, trace: string): Promise<ShownRecord> => {
  const found = uuid.test(trace) ? await byId(client, place, trace) : null;
  if (found !== null) return found;
  // OpenTelemetry's ids in hex are external ids (contract 5.12, rule 2).
  const isHex = /^[0-9a-f]{32}$/i.test(trace);
  const value = isHex ? trace.toLowerCase() : trace;
  const filters = [{ type: 'text', name: 'external_id', operator: 'eq', value }];
  const [first] = await searched(client, place, { filters });
  const whole = first === undefined ? null : await byId(client, place, first.id);
  if (whole !== null) return whole;
  throw new Fault(
    'invalid',
    `there is no trace with the id or external id ${trace} in project ${place.project.name}`,
  );
};

const newest = async (client: ApiClient, place: RunPlace): Promise<ShownRecord> => {
  const [first] = await searched(client, place, {});
  const found = first === undefined ? null : await byId(client, place, first.id);
  if (found !== null) return found;
  throw new Fault('invalid', `there are no traces in project ${place.project.name}`);
};

const byId = async (
  client: ApiClient,
  place: RunPlace,
  id: string,
): Promise<ShownRecord | null> => {
  const answer = await client.ask({ method: 'GET', path: `${rootOf(place)}/traces/${id}` });
  return answer.status === 404 ? null : (demandedOk(answer).body as ShownRecord);
};

const searched = async (
  client: ApiClient,
  place: RunPlace,
  asked: object,
): Promise<readonly ShownRecord[]> => {
  const body = JSON.stringify({ ...selectorOf(place), ...asked, limit: 1 });
  const path = `${rootOf(place)}/traces/search`;
  const answer = await client.ask({ method: 'POST', path, body });
  return (demandedOk(answer).body as { readonly records: readonly ShownRecord[] }).records;
};

/** Asked for only where somebody rated. */
const templatesOf = async (
  client: ApiClient,
  place: RunPlace,
  { annotations = {} }: ShownRecord,
): Promise<ReadonlyMap<string, string>> => {
  if (Object.keys(annotations).length === 0) return new Map();
  const path = `${rootOf(place)}/annotation/templates`;
  const { body } = demandedOk(await client.ask({ method: 'GET', path }));
  const templates = body as readonly { readonly id: string; readonly name: string }[];
  return new Map(templates.map(({ id, name }) => [id, name]));
};
