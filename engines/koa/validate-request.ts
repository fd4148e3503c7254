import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  takesIdempotencyKey,
  type Request,
  type Sender,
  type Operation,
  type Upload,
} from '../../contract/operation.js';
import type { MisspeltHeader } from '../../contract/misspelt-headers.js';
import type { PartialIngest } from '../../contract/partial-ingest.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { validationFault, type Complaint, type Fault } from '../../kernel/fault.js';
import { nearestName } from '../../kernel/nearest-name.js';
import type { GuardResult } from '../ajv/compile.js';
import { type BodyBudget, readBody } from './decode-body.js';
import { cookieComplaints } from './authentication.js';
import { parseIfMatch } from './http-syntax.js';
import {
  isStrictHandling,
  ignoredComplaints,
  ignoredNames,
  joinNames,
  truncateNames,
  encodeMemberPath,
  type IgnoredPart,
  collectIgnored,
} from './ignored-members.js';
import { openItemValidation, type ItemValidation } from './partial-ingest.js';
import type { ParsedBody } from './json-parser.js';
import type { ConcurrencySlot } from './load-shedding.js';
import type { AnswerNote } from './answer-notes.js';
import type { CompiledRoute, CompiledBody } from './compiled-routes.js';
import { readForm, type FormOperation } from './form-body.js';

/** Request as it was sent. */
export type RawRequest = {
  readonly message: IncomingMessage;
  readonly requestId: string;
  readonly slot: ConcurrencySlot;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Sets a header of the response, whatever its status. */
  readonly setHeader: (header: string, value: string) => void;
  /** Adds a note to the response about input that the caller may not have meant (contract 1.13). */
  readonly addNote: (note: AnswerNote, names: readonly string[]) => void;
};

/** Input of a request that passed its guards. */
export type ValidatedRequest = Pick<
  Request<unknown, unknown, unknown>,
  'query' | 'body' | 'files' | 'headers' | 'misspeltHeaders' | 'ifMatch' | 'isStrict'
> & {
  readonly params: Readonly<Record<string, unknown>>;
  readonly partial: PartialIngest;
  readonly itemBytes: Request<unknown, unknown, unknown>['itemBytes'];
  /** Fingerprint of the request as sent; null without an Idempotency-Key. */
  readonly fingerprint: string | null;
};

/** Validates a request. Throws Fault `invalid` with all complaints, or a fault of its body. */
export const validateRequest = async (
  compiledRoute: CompiledRoute,
  sent: RawRequest,
  sender: Sender,
  budget: BodyBudget,
): Promise<ValidatedRequest> => {
  const {
    body,
    files,
    complaints: misplaced,
    undeclaredParts,
    fingerprintInput,
  } = await sent.slot.yieldWhileReceiving(() =>
    readRequestBody(compiledRoute, sent.message, budget),
  );
  const isKeyed = idempotencyKeyOf(compiledRoute, sent) !== undefined;
  const fingerprint =
    isKeyed && 'value' in body ? fingerprintOf([sent.query, fingerprintInput]) : null;
  const ifMatch = parseIfMatch(compiledRoute.operation, sent.message.headers['if-match']);
  const params = compiledRoute.params(sent.params);
  const query = compiledRoute.query(sent.query);
  const schema = compiledRoute.bodyFor(sent.params);
  const isStrict = isStrictHandling(sent.message.headers['prefer']);
  const items = isStrict ? null : itemValidationOf(compiledRoute, body);
  const valid = validateBody(schema, body, items);
  const ignored = collectIgnored(compiledRoute, sent, body, [
    ...undeclaredParts.map((part) => ({ path: [part], known: compiledRoute.bodyNames })),
    ...('value' in body ? (schema?.ignored(body.value) ?? []) : []),
  ]);
  const extras = reportIgnored(compiledRoute, sent, isStrict, ignored);
  const headers = [
    ...headerComplaints(compiledRoute, sent),
    ...cookieComplaints(compiledRoute.operation, sender),
  ];
  const others = headers.length + misplaced.length + extras.length;
  if (!params.ok || !query.ok || !valid.ok || others > 0) {
    throw invalidRequest([
      ...(params.ok ? [] : params.complaints),
      ...(query.ok ? [] : query.complaints),
      ...headers,
      ...misplaced,
      // A text part that arrived as a file is not missing as well.
      ...(valid.ok ? [] : valid.complaints.filter((one) => !misplaced.some(isSameLocation(one)))),
      ...extras,
    ]);
  }
  const input = {
    params: params.value,
    query: query.value,
    body: valid.value,
    files,
    headers: declaredHeaders(compiledRoute, sent),
    isStrict,
  } as Pick<ValidatedRequest, 'params' | 'query' | 'body' | 'files' | 'headers' | 'isStrict'>;
  const { check } = compiledRoute.route;
  const complaints =
    items === null
      ? check(input as never)
      : items.validate((some) => check({ ...input, body: some } as never));
  if (complaints.length > 0) throw invalidRequest(complaints);
  const partial = items?.partial() ?? nothingRejected;
  reportTruncated(sent, partial);
  const misspeltHeaders = misspeltHeadersOf(compiledRoute, sent);
  const accepted = items?.body() ?? input.body;
  const itemBytes = ignored.length > 0 ? null : itemBytesOf(body, partial);
  return { ...input, body: accepted, partial, itemBytes, fingerprint, ifMatch, misspeltHeaders };
};

type ReceivedBody = {
  readonly body: ParsedBody;
  readonly files: Readonly<Record<string, Upload>>;
  /** Complaints about files, and about repeated parts. */
  readonly complaints: readonly Complaint[];
  /** Parts of a form that its operation does not declare. */
  readonly undeclaredParts: readonly string[];
  /** Equal for a repeated request (contract 1.8, rule 2). */
  readonly fingerprintInput: unknown;
};

/** Reads the body of a request in its operation's format; `{}` when it has none. */
const readRequestBody = async (
  { operation, ...compiledRoute }: CompiledRoute,
  message: IncomingMessage,
  budget: BodyBudget,
): Promise<ReceivedBody> => {
  if (compiledRoute.body === null) return receivedBody({ value: {} });
  if (!isFormOperation(operation)) {
    return receivedBody(
      await readBody(message, { ...operation, messages: compiledRoute.messages }, budget),
    );
  }
  const { value, repeated, ...form } = await readForm(message, operation, budget);
  return { body: { value, repeated }, ...form };
};

const receivedBody = (body: ParsedBody): ReceivedBody => ({
  body,
  files: {},
  complaints: [],
  undeclaredParts: [],
  fingerprintInput: 'value' in body ? body.value : null,
});

const isFormOperation = (operation: Operation): operation is Operation & FormOperation =>
  operation.form !== null;

/** Null unless the bytes say exactly what was accepted. */
const itemBytesOf = (body: ParsedBody, { rejected, truncated }: PartialIngest) =>
  'value' in body && rejected.length === 0 && truncated.length === 0
    ? (body.itemBytes ?? null)
    : null;

const nothingRejected: PartialIngest = { rejected: [], truncated: [] };

/** Lists the texts that were cut in `X-Truncated` (contract 5.6, rule 9). */
const reportTruncated = (sent: RawRequest, { truncated }: PartialIngest): void => {
  if (truncated.length === 0) return;
  sent.setHeader('X-Truncated', joinNames(truncateNames(truncated.map(encodeMemberPath))));
};

/** Null when the body is accepted or rejected as a whole (contract 5.6, rules 8 and 9). */
const itemValidationOf = ({ operation }: CompiledRoute, body: ParsedBody): ItemValidation | null =>
  operation.items === null || !('value' in body)
    ? null
    : openItemValidation(body.value, operation.items);

const validateBody = (
  schema: CompiledBody | null,
  body: ParsedBody,
  items: ItemValidation | null,
): GuardResult => {
  if (!('value' in body)) return { ok: false, complaints: [body.complaint] };
  if (schema === null) return { ok: true, value: body.value };
  if (items === null) return schema.guard(body.value);
  const complaints = items.validate((some) => {
    const judged = schema.guard(some);
    return judged.ok ? [] : judged.complaints;
  });
  return complaints.length > 0 ? { ok: false, complaints } : { ok: true, value: items.body() };
};

/**
 * Declared headers. Headers are bytes: valid UTF-8 is decoded as that. A repeated header is one
 * value with two parts, as HTTP has it.
 */
const declaredHeaders = (
  { operation }: CompiledRoute,
  { message }: RawRequest,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(operation.headers).flatMap((name) => {
      const value = message.headers[name];
      if (typeof value !== 'string') return [];
      const bytes = Buffer.from(value, 'latin1');
      return [[name, isUtf8(bytes) ? bytes.toString('utf8') : value]];
    }),
  );

/** Headers that may be misspelt ones of an operation with headers of its own. */
const misspeltHeadersOf = (
  { operation }: CompiledRoute,
  { message }: RawRequest,
): readonly MisspeltHeader[] => {
  const known = Object.keys(operation.headers);
  if (known.length === 0) return [];
  return Object.keys(message.headers).flatMap((sent) => {
    const meant = known.includes(sent) ? null : nearestName(sent, known);
    return meant === null ? [] : [{ sent, meant }];
  });
};

/**
 * Reports ignored parts; returns complaints about those that may not be ignored (contract 1.2, rule
 * 3).
 */
const reportIgnored = (
  { operation }: CompiledRoute,
  { setHeader, addNote }: RawRequest,
  isStrict: boolean,
  ignored: readonly IgnoredPart[],
) => {
  addNote('ignored_members', ignoredNames(ignored));
  if (isStrict) setHeader('Preference-Applied', 'handling=strict');
  return ignoredComplaints(ignored, isStrict ? 'refused' : operation.unknownMembers);
};

const isSameLocation =
  ({ loc }: Complaint) =>
  (other: Complaint): boolean =>
    loc.join('/') === other.loc.join('/');

const invalidRequest = (complaints: readonly Complaint[]): Fault =>
  validationFault(complaints.slice(0, 100));

const positionForm = /^[0-9A-Za-z_-]{1,64}$/;
const keyForm = /^[!-~]{1,255}$/;

export const idempotencyKeyOf = (
  { operation }: CompiledRoute,
  { message }: RawRequest,
): string | undefined =>
  takesIdempotencyKey(operation)
    ? (message.headers['idempotency-key'] as string | undefined)
    : undefined;
export const minPositionOf = (
  { operation }: CompiledRoute,
  { message }: RawRequest,
): string | undefined =>
  operation.kind === 'r' ? (message.headers['x-min-position'] as string | undefined) : undefined;

const headerComplaints = (compiledRoute: CompiledRoute, sent: RawRequest): readonly Complaint[] =>
  [
    { header: 'X-Min-Position', value: minPositionOf(compiledRoute, sent), form: positionForm },
    { header: 'Idempotency-Key', value: idempotencyKeyOf(compiledRoute, sent), form: keyForm },
  ].flatMap(({ header, value, form }) =>
    value === undefined || form.test(value)
      ? []
      : [
          {
            loc: ['header', header],
            msg: `String should match pattern '${form.source}'`,
            type: 'string_pattern_mismatch',
          },
        ],
  );

const fingerprintOf = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex');
