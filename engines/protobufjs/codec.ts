import protobuf from 'protobufjs/light.js';
import type { ProtobufMessages } from '../../contract/protobuf-messages.js';
import { compileFieldCounter, type FieldCounter } from './field-counter.js';

type MessageCodec = {
  /** Counts fields before anything is built of them. */
  readonly count: (message: string, bytes: Buffer) => FieldCounter;
  /**
   * In protobuf's JSON: 64-bit integers as text, bytes as base64, enums as numbers, members at
   * their default left out. Null: the bytes are no such message, or one that is nested deeper than
   * 100 levels.
   */
  readonly decode: (message: string, bytes: Buffer) => object | null;
  readonly encode: (message: string, value: object) => Uint8Array;
};

const asJson = { longs: String, bytes: String, json: true } as const;

/** Reading and writing is compiled once for each message. */
export const messageCodec = (messages: ProtobufMessages): MessageCodec => {
  const root = protobuf.Root.fromJSON({ nested: messages as never });
  return {
    count: compileFieldCounter(messages),
    decode: (message, bytes) => {
      const type = root.lookupType(message);
      try {
        return type.toObject(type.decode(bytes), asJson);
      } catch {
        return null;
      }
    },
    encode: (message, value) => {
      const type = root.lookupType(message);
      return type.encode(type.fromObject({ ...value })).finish();
    },
  };
};
