import type { IncomingMessage } from 'node:http';
import type { Protobuf } from '../../contract/messages.js';
import { messageCodec } from '../protobufjs/codec.js';
import type { FieldCount } from '../protobufjs/field-count.js';
import type { Parsed } from './json.js';
import { essenceOf } from './media.js';
import type { Problem } from './problem.js';

/** What an operation says in protobuf. */
export type BoundMessages = {
  readonly count: (bytes: Buffer) => FieldCount;
  /** Null: the bytes are not its message. */
  readonly read: (bytes: Buffer) => Parsed | null;
  readonly answer: (body: object) => Uint8Array;
  readonly refusal: (problem: Problem) => Uint8Array;
};

export const protobufMedia = 'application/x-protobuf';
export const isProtobuf = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  essenceOf(headers['content-type']) === protobufMedia;

export const boundMessages = (protobuf: Protobuf): BoundMessages => {
  const codec = messageCodec(protobuf.messages);
  return {
    count: (bytes) => codec.count(protobuf.request, bytes),
    read: (bytes) => {
      const decoded = codec.decode(protobuf.request, bytes);
      return decoded && { value: decoded };
    },
    answer: (body) => codec.encode(protobuf.response, body),
    refusal: (problem) => codec.encode(protobuf.refusal, statusOf(problem)),
  };
};

/** Of google/rpc/code.proto in https://github.com/googleapis/googleapis, by HTTP status. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  409: 10,
  412: 9,
  413: 3,
  415: 3,
  422: 3,
  429: 8,
  500: 13,
  503: 14,
};

type RpcStatus = { readonly code: number; readonly message: string };
const statusOf = ({ status, body }: Problem): RpcStatus => {
  const { detail } = body as { readonly detail: unknown };
  const message = Array.isArray(detail)
    ? (detail as readonly { readonly loc: readonly string[]; readonly msg: string }[])
        .map(({ loc, msg }) => `${loc.join('/')}: ${msg}`)
        .join('; ')
    : String(detail);
  return { code: rpcCodes[status] ?? 2, message };
};

/** The same in JSON, with what contract 1.5 has beside it: `code` stays the number. */
export const statusJsonOf = (problem: Problem): object => ({
  ...(problem.body as object),
  ...statusOf(problem),
});
