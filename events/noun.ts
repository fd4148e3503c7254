import type { HistoryResourceType } from '../kernel/history/resources.js';
import type { EventSchemas } from './schemas.js';

/**
 * Descriptor of a noun: where its events are stored and what follows from that. Erasure, history
 * and audit logs derive from it; `events/all.ts` lists all. Plain data: rules with code are in
 * `projections/history/entry-subject.ts`, by `subject`.
 */
export type Noun<M extends EventSchemas> = {
  readonly stream: StreamKind;
  readonly events: M;
  /** Type of the resource that history lists the events under, where `stream` has several. */
  readonly resource?: HistoryResourceType;
  /** Technical event types of a stream that is not technical. */
  readonly technical?: readonly (keyof M)[];
  /** Class and activity in audit logs, by event type. */
  readonly activities: { readonly [T in keyof M]: AuditActivity };
};

/** The noun of any events. */
export type AnyNoun = Pick<Noun<EventSchemas>, 'stream' | 'resource'> & {
  readonly events: EventSchemas;
  readonly technical?: readonly string[];
  readonly activities: Readonly<Record<string, AuditActivity>>;
};

/** A kind of stream. Nouns that share streams share the value. */
export type StreamKind = {
  /** Form of the stream names: `<run>` stands for the id of a run, others likewise. */
  readonly name: `${string}-<${string}>`;
  readonly subject: SubjectRule;
  /**
   * Container whose deletion erases the streams. `nothing`: never erased, so history may use the
   * data. Null: rules of their own.
   */
  readonly erasedWith: 'run' | 'project' | 'nothing' | null;
  /** History lists the events as technical. */
  readonly isTechnical?: true;
};

/** Parts of stream names: the noun, and the kinds of things that each id after it may be of. */
export type StreamForm = {
  readonly noun: string;
  readonly ids: readonly (readonly string[])[];
};

export const streamForm = ({ name }: StreamKind): StreamForm => {
  const [noun = '', ...ids] = name.split('-<');
  return { noun, ids: ids.map((id) => id.slice(0, -1).split(' or ')) };
};

/**
 * Rule for the resource that history lists a stream's events under. `own`: the resource whose id
 * ends the stream's name, in the project whose id starts it, if any.
 */
export type SubjectRule =
  | { readonly own: HistoryResourceType }
  | 'organization'
  | 'project'
  | 'run'
  | 'own run'
  | 'api key'
  | 'dataset'
  | 'rows'
  | 'deletion'
  | 'erasure'
  | 'experiment scope'
  | 'integration'
  | 'refresh family'
  | 'reservation'
  | 'scorer task'
  | 'sealed integration'
  | 'template';

/** Class and activity of an event in audit logs; `service/history/ocsf.ts` has their numbers. */
export type AuditActivity =
  | 'access assign'
  | 'access revoke'
  | 'account create'
  | 'account delete'
  | 'account enable'
  | 'account other'
  | 'account password'
  | 'account password reset'
  | 'entity create'
  | 'entity delete'
  | 'entity disable'
  | 'entity enable'
  | 'entity update'
  | 'group add'
  | 'group create'
  | 'group delete'
  | 'group other'
  | 'group remove'
  | 'login off'
  | 'login on'
  | 'login other';
