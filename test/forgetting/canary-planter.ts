import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { TSchema } from 'typebox';
import { operations } from '../../contract/all.js';
import { takesIdempotencyKey, type Operation } from '../../contract/operation.js';
import type { Canaries } from '../support/canaries.js';
import type { Client } from '../support/client.js';
import { formRequest, type FormPart } from '../support/multipart-forms.js';
import { addressOf } from '../fuzz/valid-request.js';

/** Stands for a new canary wherever it is in a body, in a member's name too. */
export const mark = '§';

type Sent = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly parts?: readonly FormPart[];
};

/** Sends writes with canaries in them, and knows which operations and members had one. */
export type Planter = {
  /** `world` begins the names of the places. Expects a 2xx. */
  readonly send: <T = { readonly id: string }>(
    world: string,
    operationId: string,
    sent: Sent,
  ) => Promise<T>;
  readonly sentOnce: ReadonlySet<string>;
  /** Members that may be any text and had no canary yet, as `operation member`. */
  readonly unplanted: () => readonly string[];
};

export const openPlanter = (client: Client, planted: Canaries): Planter => {
  const sentOnce = new Set<string>();
  const members = new Set<string>();
  const counts = new Map<string, number>();
  const canary = (place: string): string => {
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    return planted.plant(count === 1 ? place : `${place} ${count}`);
  };
  const filled = (world: string, operationId: string) => {
    const fill = (value: unknown, member: string): unknown => {
      if (typeof value === 'string') {
        if (!value.includes(mark)) return value;
        members.add(`${operationId} ${member}`);
        return value.replaceAll(mark, () => canary(`${world}: ${operationId} ${member}`));
      }
      if (Array.isArray(value)) return value.map((one) => fill(one, member));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) =>
          name.includes(mark) ? [fill(name, member), fill(one, member)] : [name, fill(one, name)],
        ),
      );
    };
    return fill;
  };
  return {
    send: async <T>(world: string, operationId: string, sent: Sent) => {
      const operation = operationNamed(operationId);
      const fill = filled(world, operationId);
      const parts = sent.parts?.map((part) => ({
        ...part,
        content: fill(part.content, part.name) as string,
        ...(part.fileName !== undefined && {
          fileName: fill(part.fileName, 'file name') as string,
        }),
      }));
      const headers = {
        ...sent.headers,
        ...(takesIdempotencyKey(operation) && { 'Idempotency-Key': randomUUID() }),
      };
      const ask =
        parts === undefined
          ? { headers, ...('body' in sent && { body: fill(sent.body, 'body') }) }
          : formRequest(parts, headers);
      const path = addressOf(operation.path, sent.params ?? {}, sent.query ?? {});
      const reply = await client.send<T>(operation.method, path, ask);
      expect(reply.status, `${operationId}: ${JSON.stringify(reply.body)}`).to.be.within(200, 299);
      sentOnce.add(operationId);
      return reply.body;
    },
    sentOnce,
    unplanted: () =>
      operations
        .filter(({ kind }) => kind === 'w')
        .flatMap((operation) =>
          operation.body === null
            ? []
            : [...textMembers(operation.body)].map((name) => `${operation.operationId} ${name}`),
        )
        .filter((one) => !members.has(one)),
  };
};

const operationNamed = (operationId: string): Operation => {
  const found = operations.find((one) => one.operationId === operationId);
  if (found === undefined) throw new Error(`no operation ${operationId}`);
  return found;
};

type Raw = Readonly<Record<string, unknown>>;

/** Names of members that may be any text, by the name of the nearest member around. */
const textMembers = (schema: TSchema): ReadonlySet<string> => {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const walk = (raw: Raw, member: string): void => {
    if (seen.has(raw)) return;
    if (raw['type'] !== 'string') seen.add(raw);
    for (const one of ['anyOf', 'oneOf', 'allOf'] as const)
      for (const branch of (raw[one] ?? []) as readonly Raw[]) walk(branch, member);
    for (const one of Object.values((raw['$defs'] ?? {}) as Raw)) walk(one as Raw, member);
    if (raw['items'] !== undefined) walk(raw['items'] as Raw, member);
    for (const one of Object.values((raw['patternProperties'] ?? {}) as Raw))
      walk(one as Raw, member);
    for (const [name, one] of Object.entries((raw['properties'] ?? {}) as Raw))
      walk(one as Raw, name);
    const isFree =
      raw['type'] === 'string' &&
      raw['enum'] === undefined &&
      raw['const'] === undefined &&
      !['uuid', 'instant'].includes(String(raw['x-kind']));
    if (isFree) found.add(member);
  };
  walk(schema as unknown as Raw, 'body');
  return found;
};
