import protobuf from 'protobufjs/light.js';
import type { ProtobufMessages } from '../../contract/protobuf-messages.js';
import { compileFieldCounter, type FieldCounter } from './field-counter.js';

type MessageCodec = {
  /** Counts fields before a message is built. */
  readonly count: (message: string, bytes: Buffer) => FieldCounter;
  /**
   * Decodes to protobuf's JSON: 64-bit integers as text, bytes as base64, enums as numbers, members
   * at their default omitted. Null for malformed bytes, or more than 100 nested levels.
   */
  readonly decode: (message: string, bytes: Buffer) => object | null;
  readonly encode: (message: string, value: object) => Uint8Array;
};

const asJson = { longs: String, bytes: String, json: true } as const;

/** Codec whose readers and writers are compiled once per message. */
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
