import type { HistoryResourceType } from '../kernel/history-resources.js';
import type { EventSchema } from './schemas.js';

/**
 * Descriptor of a noun: its events, and where they are stored. Erasure, history and audit logs
 * derive from it; `events/all.ts` lists all. Plain data: rules with code are in
 * `ledger/fold/entry-subject.ts`, by `subject`.
 */
export type Noun = {
  readonly stream: StreamKind;
  readonly events: Readonly<Record<string, EventSchema>>;
  /** Type of the resource that history lists the events under, where `stream` has several. */
  readonly resource?: HistoryResourceType;
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
  | 'prompt template'
  | 'prompt text'
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
