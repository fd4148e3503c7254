import { invalidInput } from './fault.js';

/** The properties of an operation that its method needs. */
export type OperationFacts = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/v2`. */
  readonly path: string;
  /** Schemes of contract 2.1; default: K, B and P. */
  readonly schemes?: string;
  /** Takes `X-Min-Position`. */
  readonly isRead?: boolean;
  /** Takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
  /** Names, with spaces between them. */
  readonly query?: string;
  /** JSON by default; `whole`: the body is the member `body` of the input. */
  readonly sends?: 'form' | 'urlencoded' | 'whole';
};

/** Input of a call: the members of path, query and body, side by side. */
export type Input = object;

/** True for idempotent operations: a second try has no further effect (contract 1.8, rule 5). */
export const isRepeatable = ({ method, isRead, isKeyed }: OperationFacts): boolean =>
  isRead === true || isKeyed === true || method === 'PUT' || method === 'DELETE';

export type PreparedRequest = {
  readonly path: string;
  readonly body: string | FormData | null;
  readonly contentType: string | null;
};

/**
 * Builds the request of an input: members named by the path and the query go there, the others into
 * the body. Throws an AssayFault when a path member is missing.
 */
export const prepareRequest = (
  facts: OperationFacts,
  input: Input,
  project: string | null,
): PreparedRequest => {
  const members = new Map<string, unknown>(Object.entries(input));
  const path = `/v2${facts.path}`.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = members.get(name) ?? (name === 'project_id' ? project : undefined);
    members.delete(name);
    if (value === undefined || value === null || value === '') {
      throw invalidInput(['path', name], 'Field required');
    }
    return encodeURIComponent(textOf(value));
  });
  const query = new URLSearchParams();
  for (const name of facts.query?.split(' ') ?? []) {
    const value = members.get(name);
    members.delete(name);
    // A list repeats its parameter (contract 5.14, rule 1).
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (one !== undefined && one !== null) query.append(name, textOf(one));
    }
  }
  const search = query.toString();
  return { path: search === '' ? path : `${path}?${search}`, ...bodyOf(facts, members) };
};

const bodyOf = (
  facts: OperationFacts,
  members: ReadonlyMap<string, unknown>,
): Omit<PreparedRequest, 'path'> => {
  if (facts.sends === 'form') return { body: formOf(members), contentType: null };
  if (facts.sends === 'urlencoded') {
    const pairs = [...members].filter(([, value]) => value !== undefined && value !== null);
    const body = new URLSearchParams(
      Object.fromEntries(pairs.map(([name, value]) => [name, textOf(value)])),
    );
    return { body: body.toString(), contentType: 'application/x-www-form-urlencoded' };
  }
  const value = facts.sends === 'whole' ? members.get('body') : Object.fromEntries(members);
  const isNothing = value === undefined || (facts.sends !== 'whole' && members.size === 0);
  if (facts.method === 'GET' || isNothing) return { body: null, contentType: null };
  return { body: JSON.stringify(value), contentType: 'application/json' };
};

/** Files as they are; lists and objects as JSON text (contract 4.11, rule 2). */
const formOf = (members: ReadonlyMap<string, unknown>): FormData => {
  const form = new FormData();
  for (const [name, value] of members) {
    if (value instanceof Blob) form.append(name, value, fileName(value));
    else if (value !== undefined && value !== null) form.append(name, textOf(value));
  }
  return form;
};
const fileName = (blob: Blob): string =>
  'name' in blob && typeof blob.name === 'string' ? blob.name : 'file';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
