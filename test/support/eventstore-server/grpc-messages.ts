import empties from 'google-protobuf/google/protobuf/empty_pb.js';
import anies from 'google-protobuf/google/protobuf/any_pb.js';
import codes from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, status, type ServerErrorResponse } from '@grpc/grpc-js';
import type { ServerEvent, ExpectedRevision, ServerAppendOutcome, ProposedEvent } from './store.js';

/** Converts between messages of the wire and the store. */
export const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

const identifierOf = (name: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name));

export const idOf = (uuid: shared.UUID | undefined): string => {
  const structured = uuid?.getStructured();
  if (structured === undefined) return uuid?.getString() ?? '';
  const hex = [structured.getMostSignificantBits(), structured.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

type ExpectedOptions = {
  readonly hasNoStream: () => boolean;
  readonly hasAny: () => boolean;
  readonly hasStreamExists: () => boolean;
};
export const expectedOf = (options: ExpectedOptions, revision: string): ExpectedRevision => {
  if (options.hasNoStream()) return 'none';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'exists' : BigInt(revision);
};

type ProposedMessage = messages.AppendReq.ProposedMessage | messages.BatchAppendReq.ProposedMessage;
export const proposedOf = (message: ProposedMessage): ProposedEvent => ({
  id: idOf(message.getId()),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: Buffer.from(message.getData_asU8()),
  metadata: Buffer.from(message.getCustomMetadata_asU8()),
});

const ticksPerMillisecond = 10_000n;
export const eventOf = (entry: ServerEvent): messages.ReadResp => {
  const position = String(entry.position);
  const recorded = new messages.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(entry.id))
    .setStreamIdentifier(identifierOf(entry.stream))
    .setStreamRevision(String(entry.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(entry.data)
    .setCustomMetadata(entry.metadata);
  recorded.getMetadataMap().set('type', entry.type);
  recorded.getMetadataMap().set('content-type', entry.contentType);
  const ticks = BigInt(entry.created) * ticksPerMillisecond;
  recorded.getMetadataMap().set('created', String(ticks));
  const event = new messages.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position);
  return new messages.ReadResp().setEvent(event);
};

export const streamNotFound = (name: string): messages.ReadResp =>
  new messages.ReadResp().setStreamNotFound(
    new messages.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(name)),
  );
export const subscriptionConfirmed = (id: string): messages.ReadResp =>
  new messages.ReadResp().setConfirmation(
    new messages.ReadResp.SubscriptionConfirmation().setSubscriptionId(id),
  );
/** A server of this version often leaves the prepare position out. */
export const checkpoint = (position: bigint): messages.ReadResp =>
  new messages.ReadResp().setCheckpoint(
    new messages.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition('0'),
  );

export const appendAnswer = (
  outcome: ServerAppendOutcome,
  expected: ExpectedRevision,
): messages.AppendResp => {
  const answer = new messages.AppendResp();
  if (outcome.kind === 'success') {
    const position = String(outcome.position);
    return answer.setSuccess(
      new messages.AppendResp.Success()
        .setCurrentRevision(String(outcome.revision))
        .setPosition(
          new messages.AppendResp.Position()
            .setCommitPosition(position)
            .setPreparePosition(position),
        ),
    );
  }
  const wrong = new messages.AppendResp.WrongExpectedVersion();
  if (outcome.kind === 'wrong-version' && outcome.actual !== null) {
    wrong.setCurrentRevision(String(outcome.actual));
  } else wrong.setCurrentNoStream(new shared.Empty());
  if (expected === 'none') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return answer.setWrongExpectedVersion(wrong);
};

export type Refusal = { readonly kind: 'too-large' } | { readonly kind: 'timeout' };
export const appendBytesMax = 1_048_576;
/** The answer to one batch append; errors are a status whose details name what happened. */
export const batchAnswer = (
  outcome: ServerAppendOutcome | Refusal,
  { correlation, name, expected }: BatchHead,
): messages.BatchAppendResp => {
  const answer = new messages.BatchAppendResp()
    .setCorrelationId(correlation)
    .setStreamIdentifier(identifierOf(name));
  if (outcome.kind === 'success') {
    const position = String(outcome.position);
    return answer.setSuccess(
      new messages.BatchAppendResp.Success()
        .setCurrentRevision(String(outcome.revision))
        .setPosition(
          new shared.AllStreamPosition().setCommitPosition(position).setPreparePosition(position),
        ),
    );
  }
  const details = new anies.Any();
  const pack = (message: { serializeBinary(): Uint8Array }, type: string): void =>
    details.pack(message.serializeBinary(), `event_store.client.${type}`);
  switch (outcome.kind) {
    case 'wrong-version': {
      const wrong = new shared.WrongExpectedVersion();
      if (outcome.actual === null) wrong.setCurrentNoStream(new empties.Empty());
      else wrong.setCurrentStreamRevision(String(outcome.actual));
      if (expected === 'none') wrong.setExpectedNoStream(new empties.Empty());
      else if (expected === 'exists') wrong.setExpectedStreamExists(new empties.Empty());
      else if (expected === 'any') wrong.setExpectedAny(new empties.Empty());
      else wrong.setExpectedStreamPosition(String(expected));
      pack(wrong, 'WrongExpectedVersion');
      break;
    }
    case 'deleted':
      pack(new shared.StreamDeleted().setStreamIdentifier(identifierOf(name)), 'StreamDeleted');
      break;
    case 'too-large':
      pack(
        new shared.MaximumAppendSizeExceeded().setMaxappendsize(appendBytesMax),
        'MaximumAppendSizeExceeded',
      );
      break;
    case 'timeout':
      pack(new shared.Timeout(), 'Timeout');
      break;
  }
  return answer.setError(
    new statuses.Status().setCode(codes.Code.UNKNOWN).setMessage(outcome.kind).setDetails(details),
  );
};
export type BatchHead = {
  readonly correlation: shared.UUID;
  readonly name: string;
  readonly expected: ExpectedRevision;
};

/** A status with the trailer `exception`, from which clients tell what happened. */
export const statusWithException = (
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ServerErrorResponse => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
};
export const streamDeleted = (name: string): ServerErrorResponse =>
  statusWithException(status.FAILED_PRECONDITION, `Event stream '${ascii(name)}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': ascii(name),
  });
export const wrongVersion = (
  name: string,
  expected: ExpectedRevision,
  actual: bigint | null,
): ServerErrorResponse =>
  statusWithException(status.FAILED_PRECONDITION, `Append failed due to WrongExpectedVersion.`, {
    exception: 'wrong-expected-version',
    'stream-name': ascii(name),
    'expected-version': String(numbers[String(expected)] ?? expected),
    'actual-version': String(actual ?? -1n),
  });
const numbers: Readonly<Record<string, number>> = { none: -1, any: -2, exists: -4 };

/** Trailers are HTTP headers. */
const ascii = (text: string): string => encodeURIComponent(text);
