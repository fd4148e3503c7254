import type { ChainName, HistoryResource } from '../../kernel/history/entries.js';
import { streamNameOf, type Envelope, type StreamName } from '../../kernel/ports.js';
import { kindOfEvent, streamNouns, type HistoryType, type StreamNoun } from './event-kinds.js';

/** Subject that an entry is listed by: resource, project, and whether it is technical. */
export type EntrySubject = {
  readonly resource: HistoryResource;
  readonly projectId: string | null;
  readonly technical: boolean;
};
/** Subject of a stream's first event, which later ones share. */
export type StreamSubject = Pick<EntrySubject, 'resource' | 'projectId'>;

/** The rule for a stream, and the part of its name after the noun. */
type StreamKind = { readonly rule: Rule | null; readonly rest: string };

/** An event as history lists it: envelope, stream kind, type and data. */
export type HistoryEvent = {
  readonly envelope: Envelope;
  readonly kind: StreamKind;
  /** The stored type, also where this version cannot decode the event. */
  readonly type: string;
  /** Null where the data is erased. */
  readonly data: Readonly<Record<string, unknown>> | null;
};

type RuleInput = {
  /** The stream's name after the prefix. */
  readonly rest: string;
  /** Empty unless streams of this kind are never erased. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly seen: HistoryEvent;
  readonly chain: ChainName;
  /** Subject of the rule's `subjectStream`; null before its first event. */
  readonly streamSubject: StreamSubject | null;
};

type Rule = {
  /**
   * Streams of this kind are never erased, so the rule may use their data: a rebuild must give the
   * same subject.
   */
  readonly isNeverErased?: true;
  readonly technical?: true;
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
  type: HistoryType,
  id: string,
  projectId: string | null = null,
): StreamSubject => ({
  resource: { type, id },
  projectId,
});
const ownSubject = (type: HistoryType): Pick<Rule, 'subjectOf'> => ({
  subjectOf: ({ rest }) => subject(type, rest),
});
/** Subject rule for streams `<noun>-<project>-<id>`. */
const projectResource = (type: HistoryType): Pick<Rule, 'subjectOf' | 'hasProjectInName'> => ({
  hasProjectInName: true,
  subjectOf: ({ rest }) => subject(type, rest.slice(idLength + 1), rest.slice(0, idLength)),
});
const projectSubject: Rule['subjectOf'] = ({ rest }) => subject('project', rest, rest);
const organizationSubject = ({ chain }: Pick<RuleInput, 'chain'>): StreamSubject =>
  subject('organization', chain);
const envelopeProject = ({ envelope }: HistoryEvent): string | null =>
  envelope.metadata.about?.project_id ?? null;

/** Rule for streams about a run, beside its own stream. */
const runRule: Pick<Rule, 'subjectStream' | 'subjectOf'> = {
  subjectStream: (rest) => streamNameOf('run', rest),
  subjectOf: ({ rest, seen, streamSubject: run }) => ({
    resource: run?.resource ?? { type: 'log_stream', id: rest },
    projectId: envelopeProject(seen) ?? run?.projectId ?? null,
  }),
};

/** Holder types of reservations, by the part of the stream's name after `reservation-`. */
const reservationHolders: readonly (readonly [string, HistoryType])[] = [
  ['organization', 'organization'],
  ['project', 'project'],
  ['log-stream', 'log_stream'],
  ['experiment', 'experiment'],
  ['dataset', 'dataset'],
  ['api-key-value', 'api_key'],
  ['email', 'user'],
  ['session', 'session'],
  ['group', 'group'],
  ['invitation', 'user'],
  ['identity', 'user'],
  ['id-token', 'user'],
  ['last-admin', 'organization'],
  ['scorer', 'scorer'],
];

const rules: Readonly<Record<StreamNoun, Rule>> = {
  organization: { ...ownSubject('organization'), isNeverErased: true },
  user: { ...ownSubject('user'), isNeverErased: true },
  group: { ...ownSubject('group'), isNeverErased: true },
  project: { hasProjectInName: true, subjectOf: projectSubject },
  'api-key': {
    isNeverErased: true,
    subjectStream: (rest) => streamNameOf('api-key', rest),
    subjectOf: ({ rest, data }) => subject('api_key', rest, textOrNull(data['project_id'])),
  },
  dataset: {
    isNeverErased: true,
    subjectStream: (rest) => streamNameOf('dataset', rest),
    subjectOf: ({ rest, data }) => subject('dataset', rest, textOrNull(data['project_id'])),
  },
  datasetrows: {
    technical: true,
    subjectStream: (rest) => streamNameOf('dataset', rest.slice(0, idLength)),
    subjectOf: ({ rest, streamSubject: dataset }) =>
      subject('dataset', rest.slice(0, idLength), dataset?.projectId ?? null),
  },
  scorer: { ...ownSubject('scorer'), isNeverErased: true },
  'scorer-task': {
    subjectStream: (rest) => streamNameOf('scorer-task', rest),
    subjectOf: ({ rest, seen }) => subject('scorer_task', rest, envelopeProject(seen)),
  },
  'scorer-queue': { technical: true, subjectOf: organizationSubject },
  'scorer-file': { technical: true, subjectOf: organizationSubject },
  'org-job': { ...ownSubject('org_job'), isNeverErased: true },
  run: {
    subjectStream: (rest) => streamNameOf('run', rest),
    subjectOf: ({ rest, seen }) =>
      subject(
        kindOfEvent(seen.type)?.of ?? 'log_stream',
        seen.envelope.metadata.about?.task_id ?? rest,
        envelopeProject(seen),
      ),
  },
  'insights-settings': runRule,
  'scorer-settings': runRule,
  'run-scoring': runRule,
  // `past-scoring-<run>-<scorer>`
  'past-scoring': {
    subjectStream: (rest) => streamNameOf('run', rest.slice(0, idLength)),
    subjectOf: (input) => runRule.subjectOf({ ...input, rest: input.rest.slice(0, idLength) }),
  },
  trace: projectResource('trace'),
  session: projectResource('session'),
  'sized-session': { ...projectResource('session'), technical: true },
  'annotation-templates': {
    hasProjectInName: true,
    subjectOf: ({ rest, seen }) => {
      const template = seen.envelope.metadata.about?.template_id;
      return template === undefined
        ? subject('project', rest, rest)
        : subject('annotation_template', template, rest);
    },
  },
  'experiment-scope': {
    hasProjectInName: true,
    subjectOf: ({ rest, seen }) => {
      const project = envelopeProject(seen) ?? rest;
      return subject('project', project, project);
    },
  },
  'price-list': { hasProjectInName: true, subjectOf: projectSubject },
  'ranking-criteria': { hasProjectInName: true, subjectOf: projectSubject },
  views: { hasProjectInName: true, subjectOf: projectSubject },
  deletion: {
    isNeverErased: true,
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
    isNeverErased: true,
    subjectOf: ({ rest, data }) => {
      const project = textOrNull(data['project_id']);
      return subject('project', project ?? rest, project);
    },
  },
  integration: {
    isNeverErased: true,
    subjectOf: ({ rest, data }) => subject('integration', textOr(data['integration_id'], rest)),
  },
  'sealed-integration': {
    technical: true,
    subjectOf: ({ rest }) => subject('integration', rest.slice(0, idLength)),
  },
  'refresh-family': {
    isNeverErased: true,
    subjectStream: (rest) => streamNameOf('refresh-family', rest),
    subjectOf: ({ rest, data }) => subject('user', textOr(data['user_id'], rest)),
  },
  reservation: {
    isNeverErased: true,
    technical: true,
    subjectOf: ({ rest, data }) => {
      const holder = reservationHolders.find(([what]) => rest.startsWith(`${what}-`));
      return subject(holder?.[1] ?? 'organization', textOr(data['holder'], rest));
    },
  },
  idempotency: { technical: true, subjectOf: organizationSubject },
  seals: { technical: true, subjectOf: organizationSubject },
  operations: { subjectOf: organizationSubject },
};

/** Stream nouns by first word, the longest noun first. */
const nounsByFirstWord = Map.groupBy(
  [...streamNouns].sort((one, other) => other.length - one.length),
  (noun) => noun.split('-', 1)[0] ?? noun,
);

const kindOfStream = (name: StreamName): StreamKind => {
  const dash = name.indexOf('-');
  const nouns = nounsByFirstWord.get(dash === -1 ? name : name.slice(0, dash)) ?? [];
  for (const noun of nouns) {
    if (name.startsWith(noun) && name[noun.length] === '-') {
      return { rule: rules[noun], rest: name.slice(noun.length + 1) };
    }
  }
  return { rule: null, rest: dash === -1 ? name : name.slice(dash + 1) };
};

/** `type` is the stored type, `data` null where it is erased. */
export const historyEvent = (
  envelope: Envelope,
  type: string,
  data: HistoryEvent['data'],
): HistoryEvent => ({
  envelope,
  kind: kindOfStream(envelope.stream),
  type,
  data,
});

/** Stream whose first event determines the subject, where the name alone does not. */
export const subjectStreamOf = ({ kind: { rule, rest } }: HistoryEvent): StreamName | null =>
  rule?.subjectStream?.(rest) ?? null;

const nothing: Readonly<Record<string, unknown>> = {};

/** Data of the event if streams of its kind are never erased, otherwise empty. */
export const durableData = ({ kind, data }: HistoryEvent): Readonly<Record<string, unknown>> =>
  (kind.rule?.isNeverErased === true ? data : null) ?? nothing;

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
  const { rule, rest } = seen.kind;
  if (rule === null) return { ...organizationSubject({ chain }), technical: true };
  const technical = rule.technical === true || kindOfEvent(seen.type)?.technical === true;
  const isOwn = streamSubject !== null && rule.subjectStream?.(rest) === seen.envelope.stream;
  const { resource, projectId } = isOwn
    ? streamSubject
    : rule.subjectOf({ rest, data: durableData(seen), seen, chain, streamSubject });
  return { resource, projectId, technical };
};

/** Project id in the stream's name; null where the name has none. */
export const projectInName = ({ kind: { rule, rest } }: HistoryEvent): string | null =>
  rule?.hasProjectInName === true ? rest.slice(0, idLength) : null;
