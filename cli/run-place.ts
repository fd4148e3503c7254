import { Fault } from '../kernel/fault.js';
import { detailOf, type ApiAnswer, type ApiClient } from './api-client.js';

/** What names a project and a run on the command line, each by its id or its name. */
export type PlaceOptions = {
  readonly project?: string;
  readonly logStream?: string;
  readonly experiment?: string;
};

type NamedPlace = { readonly id: string; readonly name: string };
export type RunPlace = {
  /** What had to be made: `project airline`. */
  readonly made: readonly string[];
  readonly project: NamedPlace;
  /** Null: of all runs of the project, or the service's choice. */
  readonly run: (NamedPlace & { readonly kind: 'log_stream' | 'experiment' }) | null;
};

/** The member of a request that selects the run (contract 3.1, rule 5). */
export const selectorOf = ({ run }: RunPlace): Readonly<Record<string, string>> =>
  run === null ? {} : { [`${run.kind}_id`]: run.id };

/**
 * Looks up where records are, or are to go. With `make`, a project and a log stream that are not
 * there are made, an experiment never: it says what it is an experiment on. Throws Fault `invalid`
 * for what is missing, `unavailable` when the service refuses.
 */
export const runPlace = async (
  client: ApiClient,
  { project: wanted, logStream, experiment }: PlaceOptions,
  make: boolean,
): Promise<RunPlace> => {
  if (wanted === undefined) throw new Fault('invalid', 'which project? --project NAME or ID');
  if (logStream !== undefined && experiment !== undefined) {
    throw new Fault('invalid', 'one run only: either --log-stream or --experiment');
  }
  const made: string[] = [];
  const orMade = async (found: NamedPlace | null, what: string, path: string, name: string) => {
    if (found !== null) return found;
    const fresh = await madeIf(make, client, path, name);
    if (fresh === null) throw missing(what, name);
    made.push(`${what} ${name}`);
    return fresh;
  };
  const known = await projectOf(client, wanted);
  if (known === null && experiment !== undefined) throw missing('project', wanted);
  const project = await orMade(known, 'project', '/v2/projects', wanted);
  const root = `/v2/projects/${project.id}`;
  if (logStream !== undefined) {
    const path = `${root}/log_streams`;
    const found = await listed(client, path, 'log_streams', logStream);
    const run = await orMade(found, 'log stream', path, logStream);
    return { made, project, run: { ...run, kind: 'log_stream' } };
  }
  if (experiment === undefined) return { made, project, run: null };
  const run = await listed(client, `${root}/experiments`, 'experiments', experiment);
  if (run === null) throw missing('experiment', experiment, make);
  return { made, project, run: { ...run, kind: 'experiment' } };
};

export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const pageLimit = 1_000;

const projectOf = async (client: ApiClient, wanted: string): Promise<NamedPlace | null> => {
  if (uuid.test(wanted)) {
    const answer = await client.ask({ method: 'GET', path: `/v2/projects/${wanted}` });
    if (answer.status === 200) return namedIn(answer.body);
    if (answer.status !== 404) throw refused(answer);
  }
  const query = new URLSearchParams({ project_name: wanted }).toString();
  const answer = await client.ask({ method: 'GET', path: `/v2/projects?${query}` });
  const [found] = demandedOk(answer).body as readonly unknown[];
  return found === undefined ? null : namedIn(found);
};

type Page = {
  readonly next_starting_token: number | null;
  readonly [list: string]: unknown;
};

/** The one of a listing that has this id, else this name. */
const listed = async (
  client: ApiClient,
  path: string,
  list: string,
  wanted: string,
): Promise<NamedPlace | null> => {
  let byName: NamedPlace | null = null;
  for (let token: number | null = 0; token !== null;) {
    const query = `?starting_token=${token}&limit=${pageLimit}`;
    const answer = await client.ask({ method: 'GET', path: `${path}/paginated${query}` });
    const page = demandedOk(answer).body as Page;
    for (const one of (page[list] as readonly unknown[]).map(namedIn)) {
      if (one.id === wanted.toLowerCase()) return one;
      if (one.name === wanted) byName ??= one;
    }
    token = page.next_starting_token;
  }
  return byName;
};

const madeIf = async (
  make: boolean,
  client: ApiClient,
  path: string,
  name: string,
): Promise<NamedPlace | null> => {
  // An id that names nothing was meant as an id.
  if (!make || uuid.test(name)) return null;
  const body = JSON.stringify({ name });
  return namedIn(demandedOk(await client.ask({ method: 'POST', path, body })).body);
};

const namedIn = (body: unknown): NamedPlace => {
  const { id, name } = body as NamedPlace;
  return { id, name };
};

const missing = (what: string, wanted: string, isToBeMade = false): Fault => {
  const step = isToBeMade ? ': make it first, with POST /v2/projects/{id}/experiments' : '';
  return new Fault('invalid', `there is no ${what} '${wanted}' that this key can see${step}`);
};

/** Throws Fault `unavailable` with what the service said, unless it is a 2xx. */
export const demandedOk = (answer: ApiAnswer): ApiAnswer => {
  if (answer.status >= 200 && answer.status <= 299) return answer;
  throw refused(answer);
};

const refused = ({ status, body }: ApiAnswer): Fault => {
  const advice = status === 401 ? ': give an API key with --key or ASSAY_API_KEY' : '';
  return new Fault('unavailable', `the service answers ${status}: ${detailOf(body)}${advice}`);
};
