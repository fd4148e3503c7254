import { nounOfEvent, streamKinds } from '../../events/all.js';
import type { StreamForm, StreamKind, SubjectRule } from '../../events/noun.js';
import { reservationHolders } from '../../events/reservations.js';
import type { ChainName, HistoryResource } from '../chain/entries.js';
import type { HistoryResourceType } from '../../kernel/history-resources.js';
import { streamNameOf, type Envelope, type StreamName } from '../../kernel/ports.js';

/** Subject that an entry is listed by: resource, project, and whether it is technical. */
export type EntrySubject = {
  readonly resource: HistoryResource;
  readonly projectId: string | null;
  readonly technical: boolean;
};
/** Subject of a stream's first event, which later ones share. */
export type StreamSubject = Pick<EntrySubject, 'resource' | 'projectId'>;

/** A kind of stream with its rule. */
type RuledStream = StreamKind & StreamForm & { readonly rule: Rule };

/** An event as history lists it: envelope, kind of stream, type and data. */
export type HistoryEvent = {
  readonly envelope: Envelope;
  /** Null for streams that this version does not know. */
  readonly kind: RuledStream | null;
  /** The stream's name after its noun. */
  readonly rest: string;
  /** The stored type, also where this version cannot decode the event. */
  readonly type: string;
  /** Null where the data is erased. */
  readonly data: Readonly<Record<string, unknown>> | null;
};

type RuleInput = {
  readonly rest: string;
  /** Empty unless streams of this kind are never erased. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly seen: HistoryEvent;
  readonly chain: ChainName;
  /** Subject of the rule's `subjectStream`; null before its first event. */
  readonly streamSubject: StreamSubject | null;
};

type Rule = {
  /** The name starts with the project's id. */
  readonly hasProjectInName?: true;
  /** Stream whose first event determines the subject: its own, or another one. */
  readonly subjectStream?: (rest: string) => StreamName;
  readonly subjectOf: (input: RuleInput) => StreamSubject;
};

const idLength = 36;
const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const subject = (
  type: HistoryResourceType,
  id: string,
  projectId: string | null = null,
): StreamSubject => ({
  resource: { type, id },
  projectId,
});
/** Subject rule for streams `<noun>-<id>` and `<noun>-<project>-<id>`. */
const ownSubject = (type: HistoryResourceType, { ids }: StreamForm): Rule =>
  ids.length === 1
    ? { subjectOf: ({ rest }) => subject(type, rest) }
    : {
        hasProjectInName: true,
        subjectOf: ({ rest }) => subject(type, rest.slice(idLength + 1), rest.slice(0, idLength)),
      };
/** Subject rule for streams whose first event names the project. */
const projectInData = (noun: string, type: HistoryResourceType): Rule => ({
  subjectStream: (rest) => streamNameOf(noun, rest),
  subjectOf: ({ rest, data }) => subject(type, rest, textOrNull(data['project_id'])),
});
/** Subject rule for streams of parts, whose names begin with the id of what they are parts of. */
const partOf = (noun: string, type: HistoryResourceType): Rule => ({
  subjectStream: (rest) => streamNameOf(noun, rest.slice(0, idLength)),
  subjectOf: ({ rest, streamSubject: whole }) =>
    subject(type, rest.slice(0, idLength), whole?.projectId ?? null),
});
const projectSubject: Rule['subjectOf'] = ({ rest }) => subject('project', rest, rest);
const organizationSubject = ({ chain }: Pick<RuleInput, 'chain'>): StreamSubject =>
  subject('organization', chain);
const envelopeProject = ({ envelope }: HistoryEvent): string | null =>
  envelope.metadata.about?.project_id ?? null;

const reservationHolderTypes = Object.entries(reservationHolders);

const rules: Readonly<Record<Extract<SubjectRule, string>, Rule>> = {
  organization: { subjectOf: organizationSubject },
  project: { hasProjectInName: true, subjectOf: projectSubject },
  // Streams about a run beside its own: the run's id is first in their names.
  run: {
    subjectStream: (rest) => streamNameOf('run', rest.slice(0, idLength)),
    subjectOf: ({ rest, seen, streamSubject: run }) => ({
      resource: run?.resource ?? { type: 'log_stream', id: rest.slice(0, idLength) },
      projectId: envelopeProject(seen) ?? run?.projectId ?? null,
    }),
  },
  'own run': {
    subjectStream: (rest) => streamNameOf('run', rest),
    subjectOf: ({ rest, seen }) =>
      subject(
        nounOfEvent(seen.type)?.resource ?? 'log_stream',
        seen.envelope.metadata.about?.task_id ?? rest,
        envelopeProject(seen),
      ),
  },
  'api key': projectInData('api-key', 'api_key'),
  dataset: projectInData('dataset', 'dataset'),
  rows: partOf('dataset', 'dataset'),
  'prompt template': projectInData('prompt-template', 'prompt_template'),
  'prompt text': partOf('prompt-template', 'prompt_template'),
  'scorer task': {
    subjectStream: (rest) => streamNameOf('scorer-task', rest),
    subjectOf: ({ rest, seen }) => subject('scorer_task', rest, envelopeProject(seen)),
  },
  template: {
    hasProjectInName: true,
    subjectOf: ({ rest, seen }) => {
      const template = seen.envelope.metadata.about?.template_id;
      return template === undefined
        ? subject('project', rest, rest)
        : subject('annotation_template', template, rest);
    },
  },
  'experiment scope': {
    hasProjectInName: true,
    subjectOf: ({ rest, seen }) => {
      const project = envelopeProject(seen) ?? rest;
      return subject('project', project, project);
    },
  },
  deletion: {
    subjectStream: (rest) => streamNameOf('deletion', rest),
    subjectOf: ({ rest, data }) => {
      const project = textOrNull(data['project_id']);
      const job = textOrNull(data['job_id']);
      return job === null
        ? subject('project', project ?? rest, project)
        : subject('org_job', job, project);
    },
  },
  erasure: {
    subjectOf: ({ rest, data }) => {
      const project = textOrNull(data['project_id']);
      return subject('project', project ?? rest, project);
    },
  },
  integration: {
    subjectOf: ({ rest, data }) => subject('integration', textOr(data['integration_id'], rest)),
  },
  'sealed integration': {
    subjectOf: ({ rest }) => subject('integration', rest.slice(0, idLength)),
  },
  'refresh family': {
    subjectStream: (rest) => streamNameOf('refresh-family', rest),
    subjectOf: ({ rest, data }) => subject('user', textOr(data['user_id'], rest)),
  },
  reservation: {
    subjectOf: ({ rest, data }) => {
      const holder = reservationHolderTypes.find(([what]) => rest.startsWith(`${what}-`));
      return subject(holder?.[1] ?? 'organization', textOr(data['holder'], rest));
    },
  },
};

const ruledStreams: readonly RuledStream[] = streamKinds.map((stream) => ({
  ...stream,
  rule:
    typeof stream.subject === 'string'
      ? rules[stream.subject]
      : ownSubject(stream.subject.own, stream),
}));

/** Kinds of streams by the first word of the noun, the longest noun first. */
const kindsByFirstWord = Map.groupBy(
  ruledStreams.toSorted((one, other) => other.noun.length - one.noun.length),
  ({ noun }) => noun.split('-', 1)[0] ?? noun,
);

const parseStream = (name: StreamName): Pick<HistoryEvent, 'kind' | 'rest'> => {
  const dash = name.indexOf('-');
  const kinds = kindsByFirstWord.get(dash === -1 ? name : name.slice(0, dash)) ?? [];
  const kind = kinds.find(({ noun }) => name.startsWith(noun) && name[noun.length] === '-') ?? null;
  const length = kind?.noun.length ?? dash;
  return { kind, rest: length === -1 ? name : name.slice(length + 1) };
};

/** `type` is the stored type, `data` null where it is erased. */
export const historyEvent = (
  envelope: Envelope,
  type: string,
  data: HistoryEvent['data'],
): HistoryEvent => ({
  envelope,
  ...parseStream(envelope.stream),
  type,
  data,
});

/** Stream whose first event determines the subject, where the name alone does not. */
export const subjectStreamOf = ({ kind, rest }: HistoryEvent): StreamName | null =>
  kind?.rule.subjectStream?.(rest) ?? null;

const nothing: Readonly<Record<string, unknown>> = {};

/** Data of the event if streams of its kind are never erased, otherwise empty. */
export const durableData = ({ kind, data }: HistoryEvent): Readonly<Record<string, unknown>> =>
  (kind?.erasedWith === 'nothing' ? data : null) ?? nothing;

/**
 * Subject of an event, from the name of its stream, its envelope and its stream's first event;
 * never from data that can be erased, since a rebuild must give the same. Unknown streams count as
 * technical, of the organisation.
 */
export const entrySubject = (
  seen: HistoryEvent,
  chain: ChainName,
  streamSubject: StreamSubject | null,
): EntrySubject => {
  const { kind, rest, type } = seen;
  if (kind === null) return { ...organizationSubject({ chain }), technical: true };
  const { rule } = kind;
  const technical =
    kind.isTechnical === true || nounOfEvent(type)?.events[type]?.isTechnical === true;
  const isOwn = streamSubject !== null && rule.subjectStream?.(rest) === seen.envelope.stream;
  const { resource, projectId } = isOwn
    ? streamSubject
    : rule.subjectOf({ rest, data: durableData(seen), seen, chain, streamSubject });
  return { resource, projectId, technical };
};

/** Project id in the stream's name; null where the name has none. */
export const projectInName = ({ kind, rest }: HistoryEvent): string | null =>
  kind?.rule.hasProjectInName === true ? rest.slice(0, idLength) : null;
