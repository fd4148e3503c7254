/** A field of a protobuf message: its type is a scalar of protobuf or another message. */
export type MessageField = {
  readonly rule?: 'repeated';
  readonly type: string;
  readonly id: number;
};
/** Protobuf messages by name, in the JSON form of protobufjs. */
export type ProtobufMessages = Readonly<
  Record<
    string,
    {
      readonly fields: Readonly<Record<string, MessageField>>;
      readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>;
    }
  >
>;

/**
 * An operation that is also spoken in protobuf: who sends `application/x-protobuf` is answered in
 * it, and refusals are a `google.rpc.Status` (contract 5.12). Each is a name among `messages`; the
 * JSON of the same operation is protobuf's.
 */
export type Protobuf = {
  readonly messages: ProtobufMessages;
  readonly request: string;
  readonly response: string;
  readonly refusal: string;
};
