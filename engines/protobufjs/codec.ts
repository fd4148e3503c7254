import protobuf from 'protobufjs/light.js';
import type { Messages } from '../../contract/messages.js';

export type MessageCodec = {
  /**
   * In protobuf's JSON: 64-bit integers as text, bytes as base64, enums as numbers, members at
   * their default left out. `too many`: it has more fields than that. Null: the bytes are no such
   * message, or one that is nested deeper than 100 levels.
   */
  readonly decode: (
    message: string,
    bytes: Buffer,
    fieldsMax: number,
  ) => object | 'too many' | null;
  readonly encode: (message: string, value: object) => Uint8Array;
};

const asJson = { longs: String, bytes: String, json: true } as const;

/** Reading and writing is compiled once for each message. */
export const messageCodec = (messages: Messages): MessageCodec => {
  const root = protobuf.Root.fromJSON({ nested: messages as never });
  return {
    decode: (message, bytes, fieldsMax) => {
      const type = root.lookupType(message);
      const counting = countingReader(bytes, fieldsMax);
      try {
        return type.toObject(type.decode(counting.reader), asJson);
      } catch {
        return counting.isOver() ? 'too many' : null;
      }
    },
    encode: (message, value) => {
      const type = root.lookupType(message);
      return type.encode(type.fromObject({ ...value })).finish();
    },
  };
};

/**
 * Two bytes can be a field, and a field an object: they are counted while they are read, so that a
 * small body does not become a large one in memory.
 */
const countingReader = (bytes: Buffer, fieldsMax: number) => {
  const reader = protobuf.Reader.create(bytes);
  const next = reader.tag.bind(reader);
  let fields = 0;
  reader.tag = () => {
    fields += 1;
    if (fields > fieldsMax) throw new RangeError('too many fields');
    return next();
  };
  return { reader, isOver: (): boolean => fields > fieldsMax };
};
