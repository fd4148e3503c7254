import type { AnswerMemory } from './answer-memory.js';
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type { Complaint, FaultCode } from '../kernel/fault.js';
import type { JsonChunks } from '../kernel/json-chunks.js';
import type { Actor, Position, StreamName } from '../kernel/ports.js';
import type { IfMatch } from '../kernel/if-match.js';
import type { Brand, Instant, Json, OrganizationId } from '../kernel/schema-types.js';
import type { Protobuf } from './protobuf-messages.js';
import type { MisspeltHeader } from './misspelt-headers.js';
import type { PartialIngest } from './partial-ingest.js';
import type { Principal, VisibleProject, Requirement } from './roles.js';

/**
 * Headers that may carry an API key unless configured (contract 2.1): that of the interface
 * document, and those of the SDKs that send traces of the same form.
 */
export const usualKeyHeaders = ['Service-API-Key', 'Galileo-API-Key', 'Splunk-AO-API-Key'] as const;

/** K `Service-API-Key`, B bearer token, P Basic, C refresh cookie (contract 2.1). */
export type Scheme = 'K' | 'B' | 'P' | 'C';
/** Of every path; a request may leave it out. */
export const pathPrefix = '/v2';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A file part of a form (contract 4.11, rule 2): at most one file. Larger ones are 413. */
export type FilePart = { readonly required: boolean; readonly bytesMax: number };
/** A file from its part. The name is as the client gave it, without folders; bytes are as sent. */
export type Upload = { readonly fileName: string; readonly bytes: Uint8Array };
/**
 * A body of multipart form data. `parts` are the text parts: a list is list-like, an object is JSON
 * text, other types are read from text (contract 4.11, rule 2; 1.2, rule 5).
 */
export type Form<B extends TSchema> = {
  readonly parts: B;
  readonly files: Readonly<Record<string, FilePart>>;
  /**
   * A file in another part is refused (contract 4.11, rule 2); by default it is ignored, like every
   * unknown member of a body (contract 1.2, rule 3).
   */
  readonly otherFiles?: 'refused';
};

/**
 * What becomes of members and query parameters that an operation does not name, and of names that
 * are sent twice (contract 1.2, rule 3). `ignored`: they are left out and named in the answer.
 * `near misses refused`: a name close to a known one, or of another kind of the same union, or sent
 * twice, is 422; the rest is ignored. `refused`: all of them are 422.
 */
export type UnknownMembers = 'ignored' | 'near misses refused' | 'refused';

/**
 * One row of contract 6 as a value. From it come the route, the guard, the handler's types, the
 * OpenAPI document, the role matrix and docs/operations.md.
 */
export type Operation<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> = {
  readonly operationId: string;
  readonly summary: string;
  /** What the summary does not say and a caller wants to know, in a sentence or two. */
  readonly description: string;
  /** A body as a client sends it; for a form, its text parts. Null: there is no body. */
  readonly example: Json;
  /** Where the contract has it: `4.5`. */
  readonly section: string;
  readonly method: Method;
  /** With the prefix: `/v2/projects/{project_id}/traces`. */
  readonly path: string;
  /** Empty = no credential is asked for. */
  readonly schemes: readonly Scheme[];
  /** `r` waits for the read models and never appends; `w` may append (contract 1.7, 1.8). */
  readonly kind: 'r' | 'w';
  readonly requires: Requirement;
  /**
   * Also the user that `user_id` of the path names, as long as they see the project (contract 5.4).
   */
  readonly orSelf: boolean;
  readonly params: P;
  readonly query: Q;
  /** Null: the operation has no body. For a form: its text parts. */
  readonly body: B | null;
  readonly unknownMembers: UnknownMembers;
  /**
   * Not null: the schema of the body depends on this path parameter, and `body` is the union of
   * all. A value that is not listed has no schema; the handler answers it.
   */
  readonly bodyBy: MethodBody | null;
  /** Not null: the body is multipart form data, with these file parts. */
  readonly form: Omit<Form<B>, 'parts'> | null;
  /** `json` 1 MiB and 32 levels; `ingest` 32 MiB and 128 levels (contract 1.11). */
  readonly size: 'json' | 'ingest';
  /**
   * Not null: the body's list whose items are accepted or rejected one by one (contract 5.6, rules
   * 8 and 9).
   */
  readonly items: string | null;
  /** How the body is written; `urlencoded`: each member is a text (contract 1.2). */
  readonly encoding: 'json' | 'urlencoded';
  /** Headers of its own that it reads, in lower case, and what each of them says. */
  readonly headers: Readonly<Record<string, string>>;
  /** Not null: it is spoken in protobuf as well as in JSON. */
  readonly protobuf: Protobuf | null;
  /** Takes or sets the refresh cookie, so no page of another host may call it (contract 2.3). */
  readonly cookie: boolean;
  readonly response: R;
  readonly status: 200 | 204;
  /** Other than JSON: a string in UTF-8; ndjson and CSV are streamed (contract 1.2, rule 7). */
  readonly media: Media;
  /** Chosen by `Accept`; the answer says which it is. */
  readonly otherMedia: Media | null;
  /** Takes `If-Match` (contract 1.9); the handler asks `isMet` about the state it decides on. */
  readonly conditional: boolean;
  /** Besides those of every operation (401, 422, 429, 503) and a write's `conflict` (1.9). */
  readonly faults: readonly FaultCode[];
};

export type Media =
  'application/json' | 'application/x-ndjson' | 'text/csv' | 'text/plain' | 'text/x-python';

type MethodBody = {
  readonly param: string;
  readonly bodies: Readonly<Record<string, TSchema>>;
};

type OperationSpec<
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  R extends TSchema,
> = Pick<
  Operation<P, Q, B, R>,
  'operationId' | 'summary' | 'section' | 'method' | 'path' | 'kind' | 'requires' | 'response'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly form?: Form<B>;
  readonly bodyBy?: MethodBody;
} & Partial<
    Pick<
      Operation<P, Q, B, R>,
      | 'description'
      | 'example'
      | 'unknownMembers'
      | 'schemes'
      | 'orSelf'
      | 'size'
      | 'items'
      | 'encoding'
      | 'headers'
      | 'protobuf'
      | 'cookie'
      | 'status'
      | 'media'
      | 'otherMedia'
      | 'conditional'
      | 'faults'
    >
  >;

const everyScheme = ['K', 'B', 'P'] as const;
const noParameters = Type.Object({});
const contendedFaults = ['conflict'] as const;

/** What is omitted is as for most: every scheme, no parameters, one JSON body and answer. */
export const operation = <
  R extends TSchema,
  P extends TObject = typeof noParameters,
  Q extends TObject = typeof noParameters,
  B extends TSchema = TSchema,
>(
  written: OperationSpec<P, Q, B, R>,
): Operation<P, Q, B, R> => ({
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
  params: written.params ?? (noParameters as unknown as P),
  query: written.query ?? (noParameters as unknown as Q),
  unknownMembers: written.unknownMembers ?? unknownMembersOf(written),
  faults: [
    ...new Set([...(written.faults ?? []), ...(written.kind === 'w' ? contendedFaults : [])]),
  ],
  body: written.form?.parts ?? written.body ?? null,
  bodyBy: written.bodyBy ?? null,
  form: written.form === undefined ? null : formOf(written.form),
});

const formOf = <B extends TSchema>({ parts: _parts, ...form }: Form<B>): Omit<Form<B>, 'parts'> =>
  form;

/**
 * A misspelt filter widens what is found, exported or scored; a misspelt member of a deletion
 * widens what is destroyed.
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

/** A write that `Idempotency-Key` makes repeatable (contract 1.8, rule 1); logins ignore it. */
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

/** Why something happens: it becomes the metadata of the resulting events. */
export type Cause = {
  readonly actor: Actor;
  readonly requestId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly at: Instant;
  /** The caller's; null where nobody has said who they are. */
  readonly organizationId: OrganizationId | null | undefined;
  /**
   * The id of the event at this revision of this stream: the same for a repeat under one
   * Idempotency-Key.
   */
  readonly eventId: (stream: StreamName, revision: number) => string;
};

/** Where a request came from, and the refresh cookie that it carried. */
export type Sender = {
  /** Of the client, for counting failures (contract 2.5). */
  readonly address: string;
  /** Null: none was sent, or the operation does not take it. */
  readonly refreshToken: string | null;
  /**
   * The caller, where the refresh cookie would do as well (`cookie`): null without a bearer token.
   */
  readonly bearer: Principal | null;
};
/** `Max-Age` 0 takes the cookie away (contract 2.3, 4.3). */
export type RefreshCookie = { readonly value: string; readonly maxAgeSeconds: number };

export type Request<P, Q, B> = {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Items of the body that were rejected, and texts that were cut. */
  readonly partial: PartialIngest;
  /** Files of a form by part; required ones are there. */
  readonly files: Readonly<Record<string, Upload>>;
  /** Those of its own headers that were sent, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that it does not read and whose names are near one that it does (contract 1.2). */
  readonly misspeltHeaders: readonly MisspeltHeader[];
  /** Null without `If-Match`, and where the operation does not take it. */
  readonly ifMatch: IfMatch | null;
  /** Nothing may be ignored or guessed (contract 1.2, rule 3). */
  readonly isStrict: boolean;
  /** The caller. Operations without schemes have none: reading it throws. */
  readonly principal: Principal;
  /** The project in the path as the caller may see it; null where the path has none. */
  readonly project: VisibleProject | null;
  readonly sender: Sender;
  readonly cause: Cause;
  /** New ids; under an Idempotency-Key a repeat draws the same ones. */
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
  /**
   * Aborts when the client is gone, the time for the answer is up or the service closes: queries
   * made for this request end then (contract 1.7, rule 5). Its reason is the Fault to answer.
   */
  readonly signal: AbortSignal;
  readonly memory: AnswerMemory;
};

/**
 * `json`: the body as it is sent, for long answers that were made elsewhere. `lines`: a body of any
 * length, made as fast as the client takes it; it is told to return once the client is gone. Each
 * part has the time that an answer has, counted by `signal` of the request; when one fails, the
 * connection is cut, so that what was sent does not look whole.
 */
type AnswerBody<T> =
  | { readonly body: T; readonly json?: never; readonly lines?: never }
  | { readonly json: JsonChunks; readonly body?: never; readonly lines?: never }
  | {
      readonly lines: AsyncIterable<string | Uint8Array>;
      /** Where the operation has another one. */
      readonly media?: Media;
      readonly json?: never;
      readonly body?: never;
    };

/** `X-More-Rows`: `true` of a list without pages that ends where more rows follow. */
export type NoteHeader =
  | 'X-New-Columns'
  | 'X-Unknown-Columns'
  | 'X-Left-Out-Metrics'
  | 'X-Unfit-Metrics'
  | 'X-Scorers-Without-Version'
  | 'X-More-Rows';

export type Answer<T> = AnswerBody<T> & {
  /**
   * Writes: position of the last event appended, or of the state decided on (contract 1.6). Reads:
   * only of an answer as of a past position.
   */
  readonly position?: Position;
  /** Opaque, without quotes; strong (contract 1.9). */
  readonly etag?: string;
  /** The refresh cookie that the client is to keep from now on. */
  readonly cookie?: RefreshCookie;
  /** Headers with names in them: what was not done of the request. None is not said. */
  readonly notes?: Readonly<Partial<Record<NoteHeader, readonly string[]>>>;
};

/**
 * Complaints about a request that need nothing but the request itself (contract 1.5: before the
 * object is looked up).
 */
type Check<P, Q, B> = (
  request: Pick<Request<P, Q, B>, 'params' | 'query' | 'body' | 'files' | 'headers' | 'isStrict'>,
) => readonly Complaint[];

export type Route = {
  readonly operation: Operation;
  /**
   * Rules over several members, and others that the schemas cannot express. The guard asks once the
   * schemas have accepted the request, with what they made of it; any complaint makes it 422.
   */
  readonly check: (
    request: Pick<
      Request<never, never, never>,
      'params' | 'query' | 'body' | 'files' | 'headers' | 'isStrict'
    >,
  ) => readonly Complaint[];
  /** Names of the collections that a read waits for. */
  readonly reads: readonly string[];
  readonly handle: (request: Request<never, never, never>) => Promise<Answer<unknown>>;
  /** Null: an answer is kept as it was given. */
  readonly replay: ResponseReplay | null;
};

/**
 * Of a write whose answer says what a record says: that is not kept for a repeat, which would
 * outlive the record, but read again (contract 1.8, rule 4).
 */
export type ResponseReplay = {
  readonly toStored: (body: unknown) => unknown;
  /** Throws Fault `not-found` when the record is no more. */
  readonly restore: (kept: unknown) => Promise<unknown>;
};

type Handler<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema> = (
  request: Request<Static<P>, Static<Q>, Static<B>>,
) => Promise<Answer<Static<R>>>;

/**
 * A write. Static<R> and not a plain type parameter: TypeScript would widen R and take a plain
 * string for an id.
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

/** A read: waits until the named collections have passed the log's head (contract 1.7). */
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
