import { Fault } from '../kernel/fault.js';
import { openCommandClient, type ApiClient, type ServiceAccess } from './api-client.js';
import { renderTrace, type RenderedRecord } from './trace-rendering.js';
import {
  requireOk,
  resolveRunTarget,
  runSelector,
  uuidForm,
  type TargetOptions,
  type RunTarget,
} from './run-target.js';
import { escapeControls } from './terminal/terminal-escape.js';

/**
 * `assay show [TRACE]`: a trace with its steps, by id or external id; default: the newest one.
 * Throws Fault `invalid` if there is none.
 */
export const showTrace = async (
  trace: string | null,
  access: ServiceAccess,
  wishes: TargetOptions & { readonly json: boolean; readonly full: boolean },
): Promise<void> => {
  const client = openCommandClient(access);
  try {
    const place = await resolveRunTarget(client, wishes, false);
    const found =
      trace === null ? await newestTrace(client, place) : await traceByName(client, place, trace);
    const width = wishes.full ? null : (process.stdout.columns ?? usualWidth);
    const templates = await templatesOf(client, place, found);
    const lines = wishes.json ? [JSON.stringify(found)] : renderTrace(found, { width, templates });
    process.stdout.write(`${escapeControls(lines.join('\n'))}\n`);
  } finally {
    client.close();
  }
};

const usualWidth = 120;
const projectPath = ({ project }: RunTarget): string => `/v2/projects/${project.id}`;

const traceByName = async (
  client: ApiClient,
  place: RunTarget,
  trace: string,
): Promise<RenderedRecord> => {
  const found = uuidForm.test(trace) ? await traceById(client, place, trace) : null;
  if (found !== null) return found;
  // OpenTelemetry's ids in hex are external ids (contract 5.12, rule 2).
  const isHex = /^[0-9a-f]{32}$/i.test(trace);
  const value = isHex ? trace.toLowerCase() : trace;
  const filters = [{ type: 'text', name: 'external_id', operator: 'eq', value }];
  const [first] = await searchTraces(client, place, { filters });
  const whole = first === undefined ? null : await traceById(client, place, first.id);
  if (whole !== null) return whole;
  throw new Fault(
    'invalid',
    `no trace of project ${place.project.name} has the id or external id ${trace}`,
  );
};

const newestTrace = async (client: ApiClient, place: RunTarget): Promise<RenderedRecord> => {
  const [first] = await searchTraces(client, place, {});
  const found = first === undefined ? null : await traceById(client, place, first.id);
  if (found !== null) return found;
  throw new Fault('invalid', `project ${place.project.name} has no traces`);
};

const traceById = async (
  client: ApiClient,
  place: RunTarget,
  id: string,
): Promise<RenderedRecord | null> => {
  const answer = await client.request({
    method: 'GET',
    path: `${projectPath(place)}/traces/${id}`,
  });
  return answer.status === 404 ? null : (requireOk(answer).body as RenderedRecord);
};

const searchTraces = async (
  client: ApiClient,
  place: RunTarget,
  asked: object,
): Promise<readonly RenderedRecord[]> => {
  const body = JSON.stringify({ ...runSelector(place), ...asked, limit: 1 });
  const path = `${projectPath(place)}/traces/search`;
  const answer = await client.request({ method: 'POST', path, body });
  return (requireOk(answer).body as { readonly records: readonly RenderedRecord[] }).records;
};

/** Requested only if the record has ratings. */
const templatesOf = async (
  client: ApiClient,
  place: RunTarget,
  { annotations = {} }: RenderedRecord,
): Promise<ReadonlyMap<string, string>> => {
  if (Object.keys(annotations).length === 0) return new Map();
  const path = `${projectPath(place)}/annotation/templates`;
  const { body } = requireOk(await client.request({ method: 'GET', path }));
  const templates = body as readonly { readonly id: string; readonly name: string }[];
  return new Map(templates.map(({ id, name }) => [id, name]));
};
