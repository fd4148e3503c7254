import { Type, type TObject, type TSchema } from 'typebox';
import type { Operation, Route } from '../../contract/operation.js';
import { compileAnswerGuard, compileGuard, type Guard } from '../ajv/compile.js';
import { compileIgnoredMembers, ignoredMax, type IgnoredMember } from '../ajv/ignored-members.js';
import { components } from '../../contract/all.js';
import { protobufCodec, type ProtobufCodec } from './protobuf-codec.js';
import type { Complaint } from '../../kernel/fault.js';
import { undecidableReason } from '../../contract/authorize.js';

/** Route with its guards compiled. */
export type CompiledRoute = {
  readonly route: Route;
  readonly operation: Operation;
  readonly params: Guard;
  readonly query: Guard;
  /** Parameters that the operation reads; a list parameter may be repeated. */
  readonly queryNames: ReadonlyMap<string, 'one' | 'list'>;
  /** Top-level members of the body; of all bodies when they depend on the path. */
  readonly bodyNames: readonly string[];
  /** Null for an operation without a body; one that is sent is not read. */
  readonly body: CompiledBody | null;
  /** Body schema by the path's parameter, for operations whose schema depends on it. */
  readonly bodyFor: (params: Readonly<Record<string, string>>) => CompiledBody | null;
  readonly answer: (body: unknown) => readonly Complaint[];
  /** Null for an operation without protobuf. */
  readonly messages: ProtobufCodec | null;
};

export type CompiledBody = {
  readonly guard: Guard;
  /**
   * Removes members that the operation does not read from a body, and returns them (contract 1.2,
   * rule 3).
   */
  readonly ignored: (body: unknown) => readonly IgnoredMember[];
};

/**
 * Compiles the routes in the order of matching, a literal segment before a parameter. Throws, so
 * that the service does not start: on a route whose access requirement cannot be checked, on two
 * operations with the same method and path or the same name, and on a read of a collection that no
 * projection has.
 */
export const compileRoutes = (
  routes: readonly Route[],
  collections: readonly string[] | null,
): readonly CompiledRoute[] => {
  const places = new Map<string, string>();
  for (const { operation, reads } of routes) {
    const complain = (what: string): never => {
      throw new Error(`operation ${operation.operationId} ${what}`);
    };
    const why = undecidableReason(operation);
    if (why !== null) complain(why);
    for (const place of [
      operation.operationId,
      `${operation.method} ${pathPattern(operation.path)}`,
    ]) {
      const other = places.get(place);
      if (other !== undefined) complain(`shares ${place} with ${other}`);
      places.set(place, operation.operationId);
    }
    const unknown = reads.find((name) => collections !== null && !collections.includes(name));
    if (unknown !== undefined) complain(`reads ${unknown}, which no projection keeps`);
  }
  return [...routes]
    .sort((one, other) => bySpecificity(one.operation.path, other.operation.path))
    .map(compileRoute);
};

const pathPattern = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const bySpecificity = (one: string, other: string): number => {
  // `{` sorts after every letter, so a parameter comes after the literals at its place.
  const [left, right] = [pathPattern(one), pathPattern(other)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

const compileRoute = (route: Route): CompiledRoute => {
  const { operation } = route;
  const guards = guardsByOperation.get(operation) ?? compileGuards(operation);
  guardsByOperation.set(operation, guards);
  return { route, operation, ...guards };
};

type CompiledGuards = Omit<CompiledRoute, 'route' | 'operation'>;
/** Guards are pure, so each operation is compiled once per process, however many servers start. */
const guardsByOperation = new WeakMap<Operation, CompiledGuards>();

const compileGuards = (operation: Operation): CompiledGuards => {
  const body =
    operation.body === null ? emptyBody(operation) : compileBody(operation.body, operation);
  return {
    params: compileGuard(operation.params, 'path'),
    query: compileGuard(operation.query, 'query'),
    queryNames: new Map(
      Object.entries(operation.query.properties as Readonly<Record<string, TSchema>>).map(
        ([name, schema]) => [name, isList(schema) ? 'list' : 'one'],
      ),
    ),
    bodyNames: bodyMemberNames(operation),
    body,
    bodyFor: bodyByPath(operation, body),
    answer: compileAnswerGuard(operation.response),
    messages: operation.protobuf === null ? null : protobufCodec(operation.protobuf),
  };
};

const isList = (schema: TSchema): boolean => (schema as { type?: string }).type === 'array';

const membersOf = (schema: TSchema | null): readonly string[] => {
  const { properties = {} } = (schema ?? {}) as Partial<TObject>;
  return Object.keys(properties);
};

const bodyMemberNames = ({ body, bodyBy, form }: Operation): readonly string[] => [
  ...new Set([
    ...[body, ...Object.values(bodyBy?.bodies ?? {})].flatMap(membersOf),
    ...Object.keys(form?.files ?? {}),
  ]),
];

/**
 * Body guard of an operation without a body that refuses unknown members: a deletion rejects any
 * member.
 */
const emptyBody = ({ unknownMembers }: Operation): CompiledBody | null =>
  unknownMembers === 'refused'
    ? {
        guard: compileGuard(Type.Object({}), 'body'),
        ignored: (body) =>
          Object.keys(typeof body === 'object' && !Array.isArray(body) ? (body ?? {}) : {})
            .slice(0, ignoredMax)
            .map((name) => ({ path: [name], known: [] })),
      }
    : null;

const bodyByPath = (operation: Operation, any: CompiledBody | null): CompiledRoute['bodyFor'] => {
  const { bodyBy } = operation;
  if (bodyBy === null) return () => any;
  const bodies = new Map(
    Object.entries(bodyBy.bodies).map(([value, body]) => [value, compileBody(body, operation)]),
  );
  return (params) => bodies.get(params[bodyBy.param] ?? '') ?? unguarded;
};

/**
 * Guard of an unknown path value, for which no schema exists: the handler responds with not found.
 */
const unguarded: CompiledBody = {
  guard: (value) => ({ ok: true, value }),
  ignored: () => [],
};

const compileBody = (body: TSchema, { form, encoding }: Operation): CompiledBody => ({
  guard: compileGuard(body, form === null && encoding === 'json' ? 'body' : 'form'),
  ignored: compileIgnoredMembers(body, components),
});
