import { Fault } from '../kernel/fault.js';
import { problemDetail, type ApiResponse, type ApiClient } from './api-client.js';

/** Options that select a project and a run, each by its id or its name. */
export type TargetOptions = {
  readonly project?: string;
  readonly logStream?: string;
  readonly experiment?: string;
};

type NamedResource = { readonly id: string; readonly name: string };
export type RunTarget = {
  /** Created objects: `project airline`. */
  readonly created: readonly string[];
  readonly project: NamedResource;
  /** Null: all runs of the project, or the service's choice. */
  readonly run: (NamedResource & { readonly kind: 'log_stream' | 'experiment' }) | null;
};

/** The member of a request that selects the run (contract 3.1, rule 5). */
export const runSelector = ({ run }: RunTarget): Readonly<Record<string, string>> =>
  run === null ? {} : { [`${run.kind}_id`]: run.id };

/**
 * Resolves the project and run of records. With `make`, a missing project or log stream is created;
 * an experiment never, since it belongs to a dataset. Throws Fault `invalid` for a missing one,
 * `unavailable` when the service refuses.
 */
export const resolveRunTarget = async (
  client: ApiClient,
  { project: wanted, logStream, experiment }: TargetOptions,
  make: boolean,
): Promise<RunTarget> => {
  if (wanted === undefined) throw new Fault('invalid', 'which project? --project NAME or ID');
  if (logStream !== undefined && experiment !== undefined) {
    throw new Fault('invalid', 'one run only: either --log-stream or --experiment');
  }
  const made: string[] = [];
  const orMade = async (found: NamedResource | null, what: string, path: string, name: string) => {
    if (found !== null) return found;
    const fresh = await createMissing(make, client, path, name);
    if (fresh === null) throw missingFault(what, name);
    made.push(`${what} ${name}`);
    return fresh;
  };
  const known = await findProject(client, wanted);
  if (known === null && experiment !== undefined) throw missingFault('project', wanted);
  const project = await orMade(known, 'project', '/v2/projects', wanted);
  const root = `/v2/projects/${project.id}`;
  if (logStream !== undefined) {
    const path = `${root}/log_streams`;
    const found = await findInList(client, path, 'log_streams', logStream);
    const run = await orMade(found, 'log stream', path, logStream);
    return { created: made, project, run: { ...run, kind: 'log_stream' } };
  }
  if (experiment === undefined) return { created: made, project, run: null };
  const run = await findInList(client, `${root}/experiments`, 'experiments', experiment);
  if (run === null) throw missingFault('experiment', experiment, make);
  return { created: made, project, run: { ...run, kind: 'experiment' } };
};

export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const pageLimit = 1_000;

const findProject = async (client: ApiClient, wanted: string): Promise<NamedResource | null> => {
  if (uuidForm.test(wanted)) {
    const answer = await client.request({ method: 'GET', path: `/v2/projects/${wanted}` });
    if (answer.status === 200) return namedResourceIn(answer.body);
    if (answer.status !== 404) throw refusedFault(answer);
  }
  const query = new URLSearchParams({ project_name: wanted }).toString();
  const answer = await client.request({ method: 'GET', path: `/v2/projects?${query}` });
  const [found] = requireOk(answer).body as readonly unknown[];
  return found === undefined ? null : namedResourceIn(found);
};

type Page = {
  readonly next_starting_token: number | null;
  readonly [list: string]: unknown;
};

/** The item of a listing that has this id, else this name. */
const findInList = async (
  client: ApiClient,
  path: string,
  list: string,
  wanted: string,
): Promise<NamedResource | null> => {
  let byName: NamedResource | null = null;
  for (let token: number | null = 0; token !== null;) {
    const query = `?starting_token=${token}&limit=${pageLimit}`;
    const answer = await client.request({ method: 'GET', path: `${path}/paginated${query}` });
    const page = requireOk(answer).body as Page;
    for (const one of (page[list] as readonly unknown[]).map(namedResourceIn)) {
      if (one.id === wanted.toLowerCase()) return one;
      if (one.name === wanted) byName ??= one;
    }
    token = page.next_starting_token;
  }
  return byName;
};

const createMissing = async (
  make: boolean,
  client: ApiClient,
  path: string,
  name: string,
): Promise<NamedResource | null> => {
  // An unknown id is not taken as a name.
  if (!make || uuidForm.test(name)) return null;
  const body = JSON.stringify({ name });
  return namedResourceIn(requireOk(await client.request({ method: 'POST', path, body })).body);
};

const namedResourceIn = (body: unknown): NamedResource => {
  const { id, name } = body as NamedResource;
  return { id, name };
};

const missingFault = (what: string, wanted: string, isToBeMade = false): Fault => {
  const step = isToBeMade ? ': make it first, with POST /v2/projects/{id}/experiments' : '';
  return new Fault('invalid', `no ${what} '${wanted}' exists that this key can see${step}`);
};

/** Throws Fault `unavailable` with the service's detail, unless the status is a 2xx. */
export const requireOk = (answer: ApiResponse): ApiResponse => {
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw refusedFault(answer);
};

const refusedFault = ({ status, body }: ApiResponse): Fault => {
  const advice = status === 401 ? ': give an API key with --key or ASSAY_API_KEY' : '';
  return new Fault('unavailable', `the service answers ${status}: ${problemDetail(body)}${advice}`);
};
