import type { IncomingMessage } from 'node:http';
import type { Protobuf } from '../../contract/protobuf-messages.js';
import { messageCodec } from '../protobufjs/codec.js';
import type { FieldCounter } from '../protobufjs/field-counter.js';
import type { ParsedBody } from './json-parser.js';
import { mediaTypeEssence } from './http-syntax.js';
import type { Problem } from './problem.js';

/** Protobuf codec of an operation's messages. */
export type ProtobufCodec = {
  readonly openFieldCount: (bytes: Buffer) => FieldCounter;
  /** Null when the bytes are not its message. */
  readonly decode: (bytes: Buffer) => ParsedBody | null;
  readonly encodeAnswer: (body: object) => Uint8Array;
  readonly encodeProblem: (problem: Problem) => Uint8Array;
};

export const protobufMedia = 'application/x-protobuf';
export const isProtobufRequest = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  mediaTypeEssence(headers['content-type']) === protobufMedia;

export const protobufCodec = (protobuf: Protobuf): ProtobufCodec => {
  const codec = messageCodec(protobuf.messages);
  return {
    openFieldCount: (bytes) => codec.count(protobuf.request, bytes),
    decode: (bytes) => {
      const decoded = codec.decode(protobuf.request, bytes);
      return decoded && { value: decoded };
    },
    encodeAnswer: (body) => codec.encode(protobuf.response, body),
    encodeProblem: (problem) => codec.encode(protobuf.refusal, rpcStatusOf(problem)),
  };
};

/** Codes of google/rpc/code.proto in https://github.com/googleapis/googleapis, by HTTP status. */
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
const rpcStatusOf = ({ status, body }: Problem): RpcStatus => {
  const { detail } = body as { readonly detail: unknown };
  const message = Array.isArray(detail)
    ? (detail as readonly { readonly loc: readonly string[]; readonly msg: string }[])
        .map(({ loc, msg }) => `${loc.join('/')}: ${msg}`)
        .join('; ')
    : String(detail);
  return { code: rpcCodes[status] ?? 2, message };
};

/** Status in JSON, with the other members of contract 1.5: `code` stays the number. */
export const rpcStatusJson = (problem: Problem): object => ({
  ...(problem.body as object),
  ...rpcStatusOf(problem),
});
