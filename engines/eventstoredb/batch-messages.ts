import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import answers from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import empties from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { Position } from '../../kernel/ports.js';
import { positionOf, type OutgoingEvent } from './stored-event.js';

/** What is appended, at exactly the expected revision. */
export type AppendRequest = {
  /** As the server knows it. */
  readonly name: string;
  readonly expected: number | 'none';
  readonly events: readonly OutgoingEvent[];
};
/** Of the last event. */
export type AppendReceipt = { readonly revision: number; readonly position: Position };

/** One append as a whole message. The answer to it has the same key. */
export const toBatchRequest = (
  { name, expected, events }: AppendRequest,
  deadline: Date,
): { readonly key: string; readonly request: messages.BatchAppendReq } => {
  const key = randomUUID();
  const options = new messages.BatchAppendReq.Options()
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(name)))
    .setDeadline(timestamps.Timestamp.fromDate(deadline));
  if (expected === 'none') options.setNoStream(new empties.Empty());
  else options.setStreamPosition(String(expected));
  const request = new messages.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(key))
    .setOptions(options)
    .setProposedMessagesList(events.map(toProposedMessage))
    .setIsFinal(true);
  return { key, request };
};

/** Bytes as they are: the client would make base64 of them, and bytes of that. */
const toProposedMessage = ({
  id,
  type,
  contentType,
  data,
  metadata,
}: OutgoingEvent): messages.BatchAppendReq.ProposedMessage => {
  const message = new messages.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata);
  message.getMetadataMap().set('type', type).set('content-type', contentType);
  return message;
};

/** Servers write ids in another form than the one they were sent. */
export const correlationIdOf = (response: messages.BatchAppendResp): string =>
  parseUUID(response.getCorrelationId()) ?? '';

/** Errors are the client's, as of an append by a call of its own. */
export const parseOutcome = (response: messages.BatchAppendResp): AppendReceipt | Error => {
  const error = response.getError();
  if (error !== undefined) return commandErrorOf(response, error);
  const success = response.getSuccess();
  const position = success?.getPosition();
  if (success === undefined || position === undefined) {
    return new Error('the server does not say where the events are');
  }
  return {
    revision: Number(success.getCurrentRevision()),
    position: positionOf(BigInt(position.getCommitPosition())),
  };
};

const commandErrorOf = (
  response: messages.BatchAppendResp,
  error: NonNullable<ReturnType<messages.BatchAppendResp['getError']>>,
): Error => {
  // A node that does not lead answers with no details that the client knows.
  if (error.getDetails() === undefined) return new Error(error.getMessage());
  const stream = response.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array();
  return answers.unpackToCommandError(error, Buffer.from(stream).toString('utf8'));
};
