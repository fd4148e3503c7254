import { Fault } from '../../kernel/fault.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { CallService } from './service-client.js';

/**
 * Resolves names, which models and people use, to the ids of the interface. Each throws Fault
 * `not-found` listing the existing names.
 */
export type NameResolver = {
  /** The named project, else the default of `assay mcp`. */
  readonly project: (named: string | undefined) => Promise<string>;
  readonly logStream: (projectId: string, named: string) => Promise<string>;
  readonly experiment: (projectId: string, named: string) => Promise<string>;
  readonly dataset: (named: string) => Promise<string>;
  readonly template: (projectId: string, named: string) => Promise<RatedTemplate>;
  /** The run selector of contract 3.1; `{}` for the whole project. */
  readonly run: (projectId: string, asked: RunNames) => Promise<JsonObject>;
};
type RunNames = { readonly log_stream?: string; readonly experiment?: string };
type NamedItem = { readonly id: string; readonly name: string };
type RatedTemplate = NamedItem & { readonly constraints: JsonObject };

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Names listed in an error. */
const namesShownMax = 20;

export const openNameResolver = (ask: CallService, usualProject: string | null): NameResolver => {
  /** Looks up an item in a list of the service that can be searched by name. */
  const searched = async (
    { path, list, noun }: { readonly path: string; readonly list: string; readonly noun: string },
    named: string,
  ): Promise<string> => {
    if (idForm.test(named)) return named;
    const page = async (filters: readonly JsonObject[]): Promise<readonly NamedItem[]> => {
      const said = await ask<Record<string, readonly NamedItem[]>>('POST', path, {
        body: { filters, limit: namesShownMax },
      });
      return said.body[list] ?? [];
    };
    const [found] = await page([{ name: 'name', operator: 'eq', value: named }]);
    if (found !== undefined) return found.id;
    throw unknownName(noun, named, await page([]));
  };
  const logStream = (projectId: string, named: string): Promise<string> => {
    const path = `/projects/${projectId}/log_streams/search`;
    return searched({ path, list: 'log_streams', noun: 'log stream' }, named);
  };
  const experiment = (projectId: string, named: string): Promise<string> => {
    const path = `/projects/${projectId}/experiments/search`;
    return searched({ path, list: 'experiments', noun: 'experiment' }, named);
  };
  return {
    project: async (named) => {
      const name = named ?? usualProject;
      if (name === null) throw new Fault('invalid', 'name a project: list_projects says which');
      const place = { path: '/projects/paginated', list: 'projects', noun: 'project' };
      return searched(place, name);
    },
    logStream,
    experiment,
    dataset: (named) =>
      searched({ path: '/datasets/query', list: 'datasets', noun: 'dataset' }, named),
    template: async (projectId, named) => {
      const path = `/projects/${projectId}/annotation/templates`;
      const { body } = await ask<readonly RatedTemplate[]>('GET', path);
      const found = body.find(({ id, name }) => id === named.toLowerCase() || name === named);
      if (found === undefined) throw unknownName('annotation template', named, body);
      return found;
    },
    run: async (projectId, { log_stream, experiment: named }) => {
      if (log_stream !== undefined && named !== undefined) {
        throw new Fault('invalid', 'name a log_stream or an experiment, not both');
      }
      if (log_stream !== undefined)
        return { log_stream_id: await logStream(projectId, log_stream) };
      return named === undefined ? {} : { experiment_id: await experiment(projectId, named) };
    },
  };
};

const unknownName = (noun: string, named: string, known: readonly NamedItem[]): Fault => {
  const names = known.slice(0, namesShownMax).map(({ name }) => JSON.stringify(name.slice(0, 80)));
  const there = names.length === 0 ? 'it can see none' : `it can see ${names.join(', ')}`;
  const more = known.length >= namesShownMax ? ' and others' : '';
  const asked = JSON.stringify(named.slice(0, 80));
  return new Fault(
    'not-found',
    `no ${noun} that this key can see is named ${asked}: ${there}${more}`,
  );
};
