import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { takesIdempotencyKey, type Request, type Sender } from '../../contract/operation.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { invalid, type Complaint, type Fault } from '../../kernel/fault.js';
import { arrived } from './arrived.js';
import type { Coming } from './body.js';
import { cookieComplaints } from './entry.js';
import { ifMatchOf } from './if-match.js';
import type { Seat } from './load.js';
import type { Bound } from './table.js';

/** A request as it was sent. */
export type Sent = {
  readonly message: IncomingMessage;
  readonly requestId: string;
  readonly seat: Seat;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
};

/** What a request gives, once its guard took it. */
export type Given = Pick<
  Request<unknown, unknown, unknown>,
  'query' | 'body' | 'files' | 'ifMatch'
> & {
  readonly params: Readonly<Record<string, unknown>>;
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
    print,
  } = await sent.seat.whileSending(() => arrived(bound, sent.message, coming));
  const isKeyed = keyOf(bound, sent) !== undefined;
  const fingerprint = isKeyed && 'value' in body ? digest([sent.query, print]) : null;
  const ifMatch = ifMatchOf(bound.operation, sent.message.headers['if-match']);
  const params = bound.params(sent.params);
  const query = bound.query(sent.query);
  const taken =
    'value' in body
      ? (bound.bodyFor(sent.params)?.(body.value) ?? ({ ok: true, value: body.value } as const))
      : ({ ok: false, complaints: [body.complaint] } as const);
  const headers = [...headerComplaints(bound, sent), ...cookieComplaints(bound.operation, sender)];
  if (!params.ok || !query.ok || !taken.ok || headers.length + misplaced.length > 0) {
    throw refused([
      ...(params.ok ? [] : params.complaints),
      ...(query.ok ? [] : query.complaints),
      ...headers,
      ...misplaced,
      // What came as a file is not missing as well.
      ...(taken.ok ? [] : taken.complaints.filter((one) => !misplaced.some(isAt(one)))),
    ]);
  }
  const given = { params: params.value, query: query.value, body: taken.value, files } as never;
  const complaints = bound.route.check(given);
  if (complaints.length > 0) throw refused(complaints);
  return { ...(given as Omit<Given, 'fingerprint' | 'ifMatch'>), fingerprint, ifMatch };
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

const digest = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex');
