import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { takesIdempotencyKey, type Request, type Sender } from '../../contract/operation.js';
import type { MisspeltHeader } from '../../contract/misspelt-headers.js';
import type { PartialIngest } from '../../contract/partial-ingest.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { invalid, type Complaint, type Fault } from '../../kernel/fault.js';
import { nearestName } from '../../kernel/nearest-name.js';
import type { Guarded } from '../ajv/compile.js';
import { arrived } from './arrived.js';
import type { Coming } from './body.js';
import { cookieComplaints } from './entry.js';
import { ifMatchOf } from './if-match.js';
import {
  asksStrictness,
  ignoredComplaints,
  ignoredNames,
  listed,
  shortList,
  shownMember,
  type Ignored,
} from './ignored.js';
import { ignoredParts } from './ignored-parts.js';
import { openItems, type Items } from './items.js';
import type { Parsed } from './json.js';
import type { Seat } from './load.js';
import type { AnswerNote } from './notes.js';
import type { Bound, BoundBody } from './table.js';

/** A request as it was sent. */
export type Sent = {
  readonly message: IncomingMessage;
  readonly requestId: string;
  readonly seat: Seat;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** Sets a header of the answer, whatever the answer will be. */
  readonly say: (header: string, value: string) => void;
  /** Names in the answer what the caller may not have meant (contract 1.13). */
  readonly note: (note: AnswerNote, names: readonly string[]) => void;
};

/** What a request gives, once its guard took it. */
export type Given = Pick<
  Request<unknown, unknown, unknown>,
  'query' | 'body' | 'files' | 'headers' | 'misspeltHeaders' | 'ifMatch' | 'isStrict'
> & {
  readonly params: Readonly<Record<string, unknown>>;
  readonly partial: PartialIngest;
  /** Of the request as it was sent; null without an Idempotency-Key. */
  readonly fingerprint: string | null;
};

/** Throws Fault `invalid` with all that is wrong with it, and what reading its body throws. */
export const guarded = async (
  bound: Bound,
  sent: Sent,
  sender: Sender,
  coming: Coming,
): Promise<Given> => {
  const {
    body,
    files,
    complaints: misplaced,
    undeclared,
    print,
  } = await sent.seat.whileSending(() => arrived(bound, sent.message, coming));
  const isKeyed = keyOf(bound, sent) !== undefined;
  const fingerprint = isKeyed && 'value' in body ? digest([sent.query, print]) : null;
  const ifMatch = ifMatchOf(bound.operation, sent.message.headers['if-match']);
  const params = bound.params(sent.params);
  const query = bound.query(sent.query);
  const taking = bound.bodyFor(sent.params);
  const isStrict = asksStrictness(sent.message.headers['prefer']);
  const items = isStrict ? null : itemsOf(bound, body);
  const taken = takenBy(taking, body, items);
  const ignored = ignoredParts(bound, sent, body, [
    ...undeclared.map((part) => ({ path: [part], known: bound.bodyNames })),
    ...('value' in body ? (taking?.ignored(body.value) ?? []) : []),
  ]);
  const extras = extrasOf(bound, sent, isStrict, ignored);
  const headers = [...headerComplaints(bound, sent), ...cookieComplaints(bound.operation, sender)];
  const others = headers.length + misplaced.length + extras.length;
  if (!params.ok || !query.ok || !taken.ok || others > 0) {
    throw refused([
      ...(params.ok ? [] : params.complaints),
      ...(query.ok ? [] : query.complaints),
      ...headers,
      ...misplaced,
      // What came as a file is not missing as well.
      ...(taken.ok ? [] : taken.complaints.filter((one) => !misplaced.some(isAt(one)))),
      ...extras,
    ]);
  }
  const given = {
    params: params.value,
    query: query.value,
    body: taken.value,
    files,
    headers: ownHeaders(bound, sent),
    isStrict,
  } as Pick<Given, 'params' | 'query' | 'body' | 'files' | 'headers' | 'isStrict'>;
  const { check } = bound.route;
  const complaints =
    items === null
      ? check(given as never)
      : items.pass((some) => check({ ...given, body: some } as never));
  if (complaints.length > 0) throw refused(complaints);
  const partial = items?.partial() ?? whole;
  if (partial.truncated.length > 0) {
    sent.say('X-Truncated', listed(shortList(partial.truncated.map(shownMember))));
  }
  const misspeltHeaders = nearHeaders(bound, sent);
  return {
    ...given,
    body: items?.body() ?? given.body,
    partial,
    fingerprint,
    ifMatch,
    misspeltHeaders,
  };
};

const whole: PartialIngest = { rejected: [], truncated: [] };

/** Null where the body is taken or refused as a whole (contract 5.6, rules 8 and 9). */
const itemsOf = ({ operation }: Bound, body: Parsed): Items | null =>
  operation.items === null || !('value' in body) ? null : openItems(body.value, operation.items);

const takenBy = (taking: BoundBody | null, body: Parsed, items: Items | null): Guarded => {
  if (!('value' in body)) return { ok: false, complaints: [body.complaint] };
  if (taking === null) return { ok: true, value: body.value };
  if (items === null) return taking.guard(body.value);
  const complaints = items.pass((some) => {
    const judged = taking.guard(some);
    return judged.ok ? [] : judged.complaints;
  });
  return complaints.length > 0 ? { ok: false, complaints } : { ok: true, value: items.body() };
};

/**
 * Headers are bytes: what is UTF-8 is read as that. One that is sent twice is two values in one, as
 * HTTP has it.
 */
const ownHeaders = ({ operation }: Bound, { message }: Sent): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(operation.headers).flatMap((name) => {
      const value = message.headers[name];
      if (typeof value !== 'string') return [];
      const bytes = Buffer.from(value, 'latin1');
      return [[name, isUtf8(bytes) ? bytes.toString('utf8') : value]];
    }),
  );

/** Of an operation with headers of its own: others that may stand for one of them. */
const nearHeaders = ({ operation }: Bound, { message }: Sent): readonly MisspeltHeader[] => {
  const known = Object.keys(operation.headers);
  if (known.length === 0) return [];
  return Object.keys(message.headers).flatMap((sent) => {
    const meant = known.includes(sent) ? null : nearestName(sent, known);
    return meant === null ? [] : [{ sent, meant }];
  });
};

/** Says what is ignored; what is wrong with that where it may not be (contract 1.2, rule 3). */
const extrasOf = (
  { operation }: Bound,
  { say, note }: Sent,
  isStrict: boolean,
  ignored: readonly Ignored[],
) => {
  note('ignored_members', ignoredNames(ignored));
  if (isStrict) say('Preference-Applied', 'handling=strict');
  return ignoredComplaints(ignored, isStrict ? 'refused' : operation.unknownMembers);
};

const isAt =
  ({ loc }: Complaint) =>
  (other: Complaint): boolean =>
    loc.join('/') === other.loc.join('/');

const refused = (complaints: readonly Complaint[]): Fault => invalid(complaints.slice(0, 100));

const positionForm = /^[0-9A-Za-z_-]{1,64}$/;
const keyForm = /^[!-~]{1,255}$/;

export const keyOf = ({ operation }: Bound, { message }: Sent): string | undefined =>
  takesIdempotencyKey(operation)
    ? (message.headers['idempotency-key'] as string | undefined)
    : undefined;
export const minPositionOf = ({ operation }: Bound, { message }: Sent): string | undefined =>
  operation.kind === 'r' ? (message.headers['x-min-position'] as string | undefined) : undefined;

const headerComplaints = (bound: Bound, sent: Sent): readonly Complaint[] =>
  [
    { header: 'X-Min-Position', value: minPositionOf(bound, sent), form: positionForm },
    { header: 'Idempotency-Key', value: keyOf(bound, sent), form: keyForm },
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

const digest = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex');
