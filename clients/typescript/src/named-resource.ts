import type { CallOptions } from './call.js';
import { AssayFault, isFault } from './fault.js';
import { prepareRequest, type OperationFacts } from './request.js';
import { isUuid, uuid } from './uuid.js';

/** A project, or a log stream in it, that is given by its id or its name. */
export type NamedProjectOrStream = {
  readonly noun: 'project' | 'log stream';
  readonly name: string;
  /** Its id, or a placeholder for it until it is known. */
  readonly standIn: string;
  /** Null until resolved. */
  id: string | null;
  readonly within: NamedProjectOrStream | null;
};

/** Null for an absent or empty name. */
export const namedResource = (
  noun: NamedProjectOrStream['noun'],
  given: string | undefined,
  within: NamedProjectOrStream | null = null,
): NamedProjectOrStream | null => {
  const name = (given ?? '').trim();
  if (name === '') return null;
  const id = isUuid(name) ? name : null;
  return { noun, name, standIn: id ?? uuid(), id, within };
};

export type CallOperation = (
  facts: OperationFacts,
  input: object,
  options?: CallOptions,
) => Promise<unknown>;

/** Resolves with the resource's id. Rejects with an AssayFault if it cannot be found or created. */
export const resolveId = async (
  one: NamedProjectOrStream,
  ask: CallOperation,
  making: { readonly onMade: (one: NamedProjectOrStream) => void } | null,
  signal?: AbortSignal,
): Promise<string> => {
  const options = signal === undefined ? {} : { signal };
  const { name, within } = one;
  const inside =
    within === null ? {} : { project_id: await resolveId(within, ask, making, signal) };
  for (let looks = 1; one.id === null; looks += 1) {
    const listed = await ask(listing(one), { ...inside, project_name: name }, options);
    // Another call may have found or created it meanwhile.
    one.id ??= (listed as readonly Found[]).find((found) => found.name === name)?.id ?? null;
    if (one.id !== null) break;
    if (making === null) throw notFoundFault(one);
    try {
      const creating = { method: 'POST', path: paths[one.noun], isKeyed: true } as const;
      one.id = ((await ask(creating, { ...inside, name }, options)) as Found).id;
    } catch (error) {
      // Another client was faster, or it exists but is not visible to this key.
      if (!isFault(error, 'already_exists') || looks > 1) throw error;
      continue;
    }
    making.onMade(one);
  }
  return one.id;
};
type Found = { readonly id: string; readonly name: string };

const paths = { project: '/projects', 'log stream': '/projects/{project_id}/log_streams' } as const;
/** Projects are listed by name, log streams all. */
const listing = ({ noun }: NamedProjectOrStream): OperationFacts => ({
  method: 'GET',
  path: paths[noun],
  isRead: true,
  ...(noun === 'project' && { query: 'project_name' }),
});

const notFoundFault = ({ noun, name }: NamedProjectOrStream): AssayFault =>
  new AssayFault(
    `This key sees no ${noun} of the name "${name}". The logger makes it when it logs, ` +
      'projects.create() at once',
    { code: 'not_found' },
  );

/** Path that lists resources of this name. */
export const listPath = (one: NamedProjectOrStream): string =>
  prepareRequest(listing(one), { project_id: one.within?.standIn, project_name: one.name }, null)
    .path;

/** The text with known ids in place of their placeholders. */
export const substituteIds = (
  text: string,
  ...all: readonly (NamedProjectOrStream | null)[]
): string =>
  all.reduce((said, one) => (one?.id == null ? said : said.replace(one.standIn, one.id)), text);
