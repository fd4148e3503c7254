import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import answers from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import empties from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type { Position } from '../../kernel/ports.js';
import { positionOf, type OutgoingEvent } from './stored-event.js';

/** One append to a stream at exactly the expected revision. */
export type AppendRequest = {
  /** Stream name on the server. */
  readonly name: string;
  readonly expected: number | 'none';
  readonly events: readonly OutgoingEvent[];
};
/** Revision and position of the last appended event. */
export type AppendReceipt = { readonly revision: number; readonly position: Position };

/** Encodes one append as a whole message; the response carries the same correlation `key`. */
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

/** Encodes an event with raw bytes: the client would make base64 of them, and bytes of that. */
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

/** Correlation id of a response: servers write ids in another form than they received. */
export const correlationIdOf = (response: messages.BatchAppendResp): string =>
  parseUUID(response.getCorrelationId()) ?? '';

/** Result of an append; errors are those of the client's own append call. */
export const parseOutcome = (response: messages.BatchAppendResp): AppendReceipt | Error => {
  const error = response.getError();
  if (error !== undefined) return commandErrorOf(response, error);
  const success = response.getSuccess();
  const position = success?.getPosition();
  if (success === undefined || position === undefined) {
    return new Error('the response of the server has no position');
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
  // A follower node responds without details that the client can parse.
  if (error.getDetails() === undefined) return new Error(error.getMessage());
  const stream = response.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array();
  return answers.unpackToCommandError(error, Buffer.from(stream).toString('utf8'));
};
