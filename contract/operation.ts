import type { AnswerMemory } from './answer-memory.js';
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { Complaint, FaultCode } from '../kernel/fault.js';
import type { JsonChunks } from '../kernel/json-chunks.js';
import type { Actor, Position, StreamName } from '../kernel/ports.js';
import { operationFaults } from './operation-faults.js';
import type { IfMatch } from '../kernel/if-match.js';
import type { Brand, Instant, Json, OrganizationId } from '../kernel/schema-types.js';
import type { Protobuf } from './protobuf-messages.js';
import type { MisspeltHeader } from './misspelt-headers.js';
import { parametersIn, type PathParameters } from './path-parameters.js';
import type { PartialIngest } from './partial-ingest.js';
import type { Principal, VisibleProject, Requirement } from './roles.js';

/**
 * Default headers of an API key (contract 2.1): that of the interface document, and those of the
 * SDKs that send traces of the same form.
 */
export const usualKeyHeaders = ['Service-API-Key', 'Galileo-API-Key', 'Splunk-AO-API-Key'] as const;

/** Scheme: K `Service-API-Key`, B bearer token, P Basic, C refresh cookie (contract 2.1). */
export type Scheme = 'K' | 'B' | 'P' | 'C';
/** Prefix of every path; a request may leave it out. */
export const pathPrefix = '/v2';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** File part of a form (contract 4.11, rule 2): at most one file. Larger ones are 413. */
export type FilePart = { readonly required: boolean; readonly bytesMax: number };
/** File from its part. The name is as the client sent it, without folders; bytes are as sent. */
export type Upload = { readonly fileName: string; readonly bytes: Uint8Array };
/**
 * Multipart form body. `parts` are the text parts: a list is list-like, an object is JSON text,
 * other types are parsed from text (contract 4.11, rule 2; 1.2, rule 5).
 */
export type Form<B extends TSchema> = {
  readonly parts: B;
  readonly files: Readonly<Record<string, FilePart>>;
  /**
   * Refuses a file in another part (contract 4.11, rule 2); by default it is ignored, like every
   * unknown member of a body (contract 1.2, rule 3).
   */
  readonly otherFiles?: 'refused';
};

/**
 * Handling of unknown members and query parameters, and of repeated names (contract 1.2, rule 3).
 * `ignored`: left out and named in the response. `near misses refused`: a name close to a known
 * one, or of another kind of the same union, or repeated, is 422; the rest is ignored. `refused`:
 * all of them are 422.
 */
export type UnknownMembers = 'ignored' | 'near misses refused' | 'refused';

/**
 * Operation: one row of contract 6 as a value. The route, the guard, the handler's types, the
 * OpenAPI document, the role matrix and docs/operations.md derive from it.
 */
export type Operation<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> = {
  readonly operationId: string;
  readonly summary: string;
  /** Details that a caller needs beyond the summary, in a sentence or two. */
  readonly description: string;
  /** Example of the body as a client sends it; for a form, its text parts. Null: no body. */
  readonly example: Json;
  /** Section of the contract: `4.5`. */
  readonly section: string;
  readonly method: Method;
  /** Path with the prefix: `/v2/projects/{project_id}/traces`. */
  readonly path: string;
  /** Accepted schemes; empty = no credential required. */
  readonly schemes: readonly Scheme[];
  /** CQRS side: `r` waits for read models, never appends; `w` may append (contract 1.7, 1.8). */
  readonly kind: 'r' | 'w';
  readonly requires: Requirement;
  /** Allows the user that `user_id` of the path names too, if they see the project (5.4). */
  readonly orSelf: boolean;
  readonly params: P;
  readonly query: Q;
  /** Schema of the body, for a form of its text parts. Null: no body. */
  readonly body: B | null;
  readonly unknownMembers: UnknownMembers;
  /**
   * Set if the schema of the body depends on this path parameter; `body` is then the union of all.
   * An unlisted value has no schema; the handler rejects it.
   */
  readonly bodyBy: MethodBody | null;
  /** Set for multipart form data, with these file parts. */
  readonly form: Omit<Form<B>, 'parts'> | null;
  /** Body limit: `json` 1 MiB and 32 levels; `ingest` 32 MiB and 128 levels (contract 1.11). */
  readonly size: 'json' | 'ingest';
  /** List of the body whose items are accepted one by one (contract 5.6, rules 8, 9), or null. */
  readonly items: string | null;
  /** Encoding of the body; `urlencoded`: each member is a text (contract 1.2). */
  readonly encoding: 'json' | 'urlencoded';
  /** Request headers specific to the operation, in lower case, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>;
  /** Set if it accepts protobuf besides JSON. */
  readonly protobuf: Protobuf | null;
  /** Reads or sets the refresh cookie, so pages of other hosts may not call it (contract 2.3). */
  readonly cookie: boolean;
  readonly response: R;
  readonly status: 200 | 204;
  /** Media type if not JSON: text in UTF-8; ndjson and CSV are streamed (contract 1.2, rule 7). */
  readonly media: Media;
  /** Alternative media type, chosen by `Accept`; the response names it. */
  readonly otherMedia: Media | null;
  /** Takes `If-Match` (contract 1.9); the handler checks it against the state it decides on. */
  readonly conditional: boolean;
  /** Faults besides those of all (401, 422, 429, 503): declared ones and derived ones. */
  readonly faults: readonly FaultCode[];
};

export type Media =
  'application/json' | 'application/x-ndjson' | 'text/csv' | 'text/plain' | 'text/x-python';

type MethodBody = {
  readonly param: string;
  readonly bodies: Readonly<Record<string, TSchema>>;
};

type RequiredMember = 'operationId' | 'summary' | 'section' | 'method' | 'requires' | 'response';

type OperationSpec<
  Path extends string,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
> = Pick<Operation<P, Q, B, R>, RequiredMember> &
  Partial<
    Omit<
      Operation<P, Q, B, R>,
      RequiredMember | 'path' | 'params' | 'query' | 'body' | 'form' | 'bodyBy'
    >
  > & {
    readonly path: Path;
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly form?: Form<B>;
    readonly bodyBy?: MethodBody;
  };

const everyScheme = ['K', 'B', 'P'] as const;
const noParameters = Type.Object({});

/**
 * Builds an operation. Defaults: every scheme, the parameters of its path, one JSON body and
 * response; a GET reads, any other method writes.
 */
export const operation = <
  R extends TSchema,
  const Path extends string,
  P extends TObject = PathParameters<Path>,
  Q extends TObject = typeof noParameters,
  B extends TSchema = TSchema,
>(
  written: OperationSpec<Path, P, Q, B, R>,
): Operation<P, Q, B, R> => {
  const { method, kind = method === 'GET' ? 'r' : 'w' } = written;
  return {
    description: '',
    example: null,
    schemes: everyScheme,
    orSelf: false,
    size: 'json',
    items: null,
    encoding: 'json',
    headers: {},
    protobuf: null,
    cookie: false,
    status: 200,
    media: 'application/json',
    otherMedia: null,
    conditional: false,
    ...written,
    kind,
    params: written.params ?? (parametersIn(written.path) as unknown as P),
    query: written.query ?? (noParameters as unknown as Q),
    unknownMembers: written.unknownMembers ?? unknownMembersOf(written),
    faults: operationFaults({ ...written, kind }),
    body: written.form?.parts ?? written.body ?? null,
    bodyBy: written.bodyBy ?? null,
    form: written.form === undefined ? null : formOf(written.form),
  };
};

const formOf = <B extends TSchema>({ parts: _parts, ...form }: Form<B>): Omit<Form<B>, 'parts'> =>
  form;

/**
 * Default handling of unknown members: a misspelt filter widens what is found, exported or scored;
 * a misspelt member of a deletion widens what is destroyed.
 */
const unknownMembersOf = ({
  method,
  body,
}: {
  readonly method: Method;
  readonly body?: TSchema;
}): UnknownMembers => {
  if (method === 'DELETE') return 'refused';
  const { properties = {} } = (body ?? {}) as Partial<TObject>;
  const filters = ['filters', 'filter_tree'].some((member) => Object.hasOwn(properties, member));
  return filters ? 'near misses refused' : 'ignored';
};

/** True for writes that `Idempotency-Key` makes repeatable (contract 1.8, rule 1); not logins. */
export const takesIdempotencyKey = ({
  method,
  kind,
  schemes,
  requires,
}: Pick<Operation, 'method' | 'kind' | 'schemes' | 'requires'>): boolean =>
  kind === 'w' &&
  (method === 'POST' || method === 'PATCH') &&
  schemes.length > 0 &&
  requires !== 'cookie';

/** Cause of a change, recorded as the metadata of the resulting events. */
export type Cause = {
  readonly actor: Actor;
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly at: Instant;
  /** Organisation of the caller; null for an unauthenticated one. */
  readonly organizationId: OrganizationId | null | undefined;
  /** Event id at this revision of this stream, the same for a repeat under one idempotency key. */
  readonly eventId: (stream: StreamName, revision: number) => string;
};

/** Origin of a request, and the refresh cookie that it carried. */
export type Sender = {
  /** Address of the client, for counting failures (contract 2.5). */
  readonly address: string;
  /** Null if none was sent, or the operation does not take it. */
  readonly refreshToken: string | null;
  /** Caller, where a bearer works as well as the refresh cookie (`cookie`): null without one. */
  readonly bearer: Principal | null;
};
/** Refresh cookie; `Max-Age` 0 deletes it (contract 2.3, 4.3). */
export type RefreshCookie = { readonly value: string; readonly maxAgeSeconds: number };

export type Request<P, Q, B> = {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Rejected items of the body, and truncated texts. */
  readonly partial: PartialIngest;
  /**
   * JSON of each item of the body's list as sent, for operations with `items`; null where nothing
   * but the parsed body says what was accepted: something of the body was ignored, repeated, cut,
   * rejected or replaced.
   */
  readonly itemBytes: readonly Uint8Array[] | null;
  /** Files of a form by part; required ones are present. */
  readonly files: Readonly<Record<string, Upload>>;
  /** Headers of the operation that were sent, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unknown headers whose names are near a known one (contract 1.2). */
  readonly misspeltHeaders: readonly MisspeltHeader[];
  /** Null without `If-Match`, and where the operation does not take it. */
  readonly ifMatch: IfMatch | null;
  /** Strict handling: nothing may be ignored or guessed (contract 1.2, rule 3). */
  readonly isStrict: boolean;
  /** Caller. Operations without schemes have none: reading it throws. */
  readonly principal: Principal;
  /** Project in the path as visible to the caller; null where the path has none. */
  readonly project: VisibleProject | null;
  readonly sender: Sender;
  readonly cause: Cause;
  /** Creates new ids; under an idempotency key a repeat gets the same ones. */
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
  /**
   * Aborts when the client disconnects, the deadline passes or the service shuts down: queries of
   * this request end then (contract 1.7, rule 5). Its reason is the Fault to return.
   */
  readonly signal: AbortSignal;
  readonly memory: AnswerMemory;
};

/**
 * Response body. `json`: an encoded body, for long responses that another thread built. `lines`: a
 * stream of any length with backpressure from the client; its iterator is closed when the client
 * disconnects. Each part has the deadline of a whole response, by `signal` of the request; when one
 * fails, the connection is cut, so that a partial stream does not look complete.
 */
type AnswerBody<T> =
  | { readonly body: T; readonly json?: never; readonly lines?: never }
  | { readonly json: JsonChunks; readonly body?: never; readonly lines?: never }
  | {
      readonly lines: AsyncIterable<string | Uint8Array>;
      /** Media type, where the operation has another one. */
      readonly media?: Media;
      readonly json?: never;
      readonly body?: never;
    };

/** Note header. `X-More-Rows`: `true` for a list without pages that was cut. */
export type NoteHeader =
  | 'X-New-Columns'
  | 'X-Unknown-Columns'
  | 'X-Left-Out-Metrics'
  | 'X-Unfit-Metrics'
  | 'X-Scorers-Without-Version'
  | 'X-More-Rows';

export type Answer<T> = AnswerBody<T> & {
  /**
   * Position token. Writes: position of the last event appended, or of the state decided on
   * (contract 1.6). Reads: only for a response as of a past position.
   */
  readonly position?: Position;
  /** Strong entity tag, opaque, without quotes (contract 1.9). */
  readonly etag?: string;
  /** Refresh cookie that the client must store. */
  readonly cookie?: RefreshCookie;
  /** Headers with names of request parts that were not applied. Empty ones are left out. */
  readonly notes?: Readonly<Partial<Record<NoteHeader, readonly string[]>>>;
};

/** Complaints about the request alone (contract 1.5: before the object is looked up). */
type Check<P, Q, B> = (
  request: Pick<Request<P, Q, B>, 'params' | 'query' | 'body' | 'files' | 'headers' | 'isStrict'>,
) => readonly Complaint[];

export type Route = {
  readonly operation: Operation;
  /**
   * Rules over several members, and others that the schemas cannot express. The guard calls it
   * after the schemas have accepted the request, with the parsed values; any complaint makes it
   * 422.
   */
  readonly check: (
    request: Pick<
      Request<never, never, never>,
      'params' | 'query' | 'body' | 'files' | 'headers' | 'isStrict'
    >,
  ) => readonly Complaint[];
  /** Read models that a read waits for, for read-your-writes. */
  readonly reads: readonly string[];
  readonly handle: (request: Request<never, never, never>) => Promise<Answer<unknown>>;
  /** Idempotency replay; null: the response is stored as it is. */
  readonly replay: ResponseReplay | null;
};

/**
 * Replay of a write whose response contains a record: the record is not stored with the idempotency
 * key, which would outlive it, but read again (contract 1.8, rule 4).
 */
export type ResponseReplay = {
  readonly toStored: (body: unknown) => unknown;
  /** Throws Fault `not-found` when the record no longer exists. */
  readonly restore: (kept: unknown) => Promise<unknown>;
};

type Handler<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema> = (
  request: Request<Static<P>, Static<Q>, Static<B>>,
) => Promise<Answer<Static<R>>>;

/**
 * Route of a write. Static<R> and not a plain type parameter: TypeScript would widen R and accept a
 * plain string for an id.
 */
export const writeRoute = <
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
>(
  operation: Operation<P, Q, B, R>,
  handle: Handler<P, Q, B, R>,
  check: Check<Static<P>, Static<Q>, Static<B>> = () => [],
  echo: ResponseReplay | null = null,
): Route => ({
  operation,
  check,
  reads: [],
  handle,
  replay: echo,
});

/** Read route (read-your-writes): waits until its read models passed the head (contract 1.7). */
export const readRoute = <
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
>(
  operation: Operation<P, Q, B, R>,
  reads: readonly { readonly name: string }[],
  handle: Handler<P, Q, B, R>,
  check: Check<Static<P>, Static<Q>, Static<B>> = () => [],
): Route => ({
  operation,
  check,
  reads: reads.map(({ name }) => name),
  handle,
  replay: null,
});
