/** Field of a protobuf message: its type is a scalar of protobuf or another message. */
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
 * Operation that also accepts protobuf: requests in `application/x-protobuf` get responses in it,
 * and errors as a `google.rpc.Status` (contract 5.12). Each is a name among `messages`; the JSON of
 * the same operation is protobuf's.
 */
export type Protobuf = {
  readonly messages: ProtobufMessages;
  readonly request: string;
  readonly response: string;
  readonly refusal: string;
};
