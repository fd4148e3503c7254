import type { ChainName, HistoryResource } from '../../kernel/history/entries.js';
import { stream, type Envelope, type StreamName } from '../../kernel/ports.js';
import { kindOfEvent, streamNouns, type HistoryType, type StreamNoun } from './event-kinds.js';

/** What an entry is listed by. */
export type ListedBy = {
  readonly resource: HistoryResource;
  readonly projectId: string | null;
  readonly technical: boolean;
};
/** What the first event of a stream was listed by: its later ones are listed by the same. */
export type StreamPlace = Pick<ListedBy, 'resource' | 'projectId'>;

/** The rule of a stream and what its name says after the noun. */
type StreamKind = { readonly rule: Rule | null; readonly rest: string };

/** An event as history sees it. */
export type SeenEvent = {
  readonly envelope: Envelope;
  readonly kind: StreamKind;
  /** Its own type, also where today's code cannot read it. */
  readonly type: string;
  /** Null where they are erased. */
  readonly data: Readonly<Record<string, unknown>> | null;
};

type Asked = {
  /** The stream's name after the prefix. */
  readonly rest: string;
  /** Nothing unless the stream lasts. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly seen: SeenEvent;
  readonly chain: ChainName;
  /** Of the stream where the rule remembers, null before its first event. */
  readonly place: StreamPlace | null;
};

type Rule = {
  /**
   * No stream of this kind is ever erased, so its data may be asked: a rebuild must find what was
   * found before.
   */
  readonly lasts?: true;
  readonly technical?: true;
  /** The name has the project first. */
  readonly named?: true;
  /** Whose first event is remembered for this stream: its own, or that of another one. */
  readonly remembers?: (rest: string) => StreamName;
  readonly listedBy: (asked: Asked) => StreamPlace;
};

const idLength = 36;
const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const place = (type: HistoryType, id: string, projectId: string | null = null): StreamPlace => ({
  resource: { type, id },
  projectId,
});
const itself = (type: HistoryType): Pick<Rule, 'listedBy'> => ({
  listedBy: ({ rest }) => place(type, rest),
});
/** Of streams `<noun>-<project>-<id>`. */
const inProject = (type: HistoryType): Pick<Rule, 'listedBy' | 'named'> => ({
  named: true,
  listedBy: ({ rest }) => place(type, rest.slice(idLength + 1), rest.slice(0, idLength)),
});
const ofProject: Rule['listedBy'] = ({ rest }) => place('project', rest, rest);
const ofOrganization = ({ chain }: Pick<Asked, 'chain'>): StreamPlace =>
  place('organization', chain);
const projectSaid = ({ envelope }: SeenEvent): string | null =>
  envelope.metadata.about?.project_id ?? null;

/** What is said of a run beside its own stream. */
const ofRun: Pick<Rule, 'remembers' | 'listedBy'> = {
  remembers: (rest) => stream('run', rest),
  listedBy: ({ rest, seen, place: run }) => ({
    resource: run?.resource ?? { type: 'log_stream', id: rest },
    projectId: projectSaid(seen) ?? run?.projectId ?? null,
  }),
};

/** Whose name is reserved, by what the stream's name says after `reservation-`. */
const holders: readonly (readonly [string, HistoryType])[] = [
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
  organization: { ...itself('organization'), lasts: true },
  user: { ...itself('user'), lasts: true },
  group: { ...itself('group'), lasts: true },
  project: { named: true, listedBy: ofProject },
  'api-key': {
    lasts: true,
    remembers: (rest) => stream('api-key', rest),
    listedBy: ({ rest, data }) => place('api_key', rest, textOrNull(data['project_id'])),
  },
  dataset: {
    lasts: true,
    remembers: (rest) => stream('dataset', rest),
    listedBy: ({ rest, data }) => place('dataset', rest, textOrNull(data['project_id'])),
  },
  datasetrows: {
    technical: true,
    remembers: (rest) => stream('dataset', rest.slice(0, idLength)),
    listedBy: ({ rest, place: dataset }) =>
      place('dataset', rest.slice(0, idLength), dataset?.projectId ?? null),
  },
  scorer: { ...itself('scorer'), lasts: true },
  'scorer-task': {
    remembers: (rest) => stream('scorer-task', rest),
    listedBy: ({ rest, seen }) => place('scorer_task', rest, projectSaid(seen)),
  },
  'scorer-queue': { technical: true, listedBy: ofOrganization },
  'scorer-file': { technical: true, listedBy: ofOrganization },
  'org-job': { ...itself('org_job'), lasts: true },
  run: {
    remembers: (rest) => stream('run', rest),
    listedBy: ({ rest, seen }) =>
      place(
        kindOfEvent(seen.type)?.of ?? 'log_stream',
        seen.envelope.metadata.about?.task_id ?? rest,
        projectSaid(seen),
      ),
  },
  'insights-settings': ofRun,
  'scorer-settings': ofRun,
  'run-scoring': ofRun,
  // `past-scoring-<run>-<scorer>`
  'past-scoring': {
    remembers: (rest) => stream('run', rest.slice(0, idLength)),
    listedBy: (asked) => ofRun.listedBy({ ...asked, rest: asked.rest.slice(0, idLength) }),
  },
  trace: inProject('trace'),
  session: inProject('session'),
  'sized-session': { ...inProject('session'), technical: true },
  'annotation-templates': {
    named: true,
    listedBy: ({ rest, seen }) => {
      const template = seen.envelope.metadata.about?.template_id;
      return template === undefined
        ? place('project', rest, rest)
        : place('annotation_template', template, rest);
    },
  },
  'experiment-scope': {
    named: true,
    listedBy: ({ rest, seen }) => {
      const project = projectSaid(seen) ?? rest;
      return place('project', project, project);
    },
  },
  'price-list': { named: true, listedBy: ofProject },
  'ranking-criteria': { named: true, listedBy: ofProject },
  deletion: {
    lasts: true,
    remembers: (rest) => stream('deletion', rest),
    listedBy: ({ rest, data }) => {
      const project = textOrNull(data['project_id']);
      const job = textOrNull(data['job_id']);
      return job === null
        ? place('project', project ?? rest, project)
        : place('org_job', job, project);
    },
  },
  erasure: {
    lasts: true,
    listedBy: ({ rest, data }) => {
      const project = textOrNull(data['project_id']);
      return place('project', project ?? rest, project);
    },
  },
  integration: {
    lasts: true,
    listedBy: ({ rest, data }) => place('integration', textOr(data['integration_id'], rest)),
  },
  'sealed-integration': {
    technical: true,
    listedBy: ({ rest }) => place('integration', rest.slice(0, idLength)),
  },
  'refresh-family': {
    lasts: true,
    remembers: (rest) => stream('refresh-family', rest),
    listedBy: ({ rest, data }) => place('user', textOr(data['user_id'], rest)),
  },
  reservation: {
    lasts: true,
    technical: true,
    listedBy: ({ rest, data }) => {
      const holder = holders.find(([what]) => rest.startsWith(`${what}-`));
      return place(holder?.[1] ?? 'organization', textOr(data['holder'], rest));
    },
  },
  idempotency: { technical: true, listedBy: ofOrganization },
  seals: { technical: true, listedBy: ofOrganization },
  operations: { listedBy: ofOrganization },
};

/** By the first word, the longest noun first. */
const byWord = Map.groupBy(
  [...streamNouns].sort((one, other) => other.length - one.length),
  (noun) => noun.split('-', 1)[0] ?? noun,
);

const kindOfStream = (name: StreamName): StreamKind => {
  const dash = name.indexOf('-');
  const nouns = byWord.get(dash === -1 ? name : name.slice(0, dash)) ?? [];
  for (const noun of nouns) {
    if (name.startsWith(noun) && name[noun.length] === '-') {
      return { rule: rules[noun], rest: name.slice(noun.length + 1) };
    }
  }
  return { rule: null, rest: dash === -1 ? name : name.slice(dash + 1) };
};

/** `type` is its own, `data` null where they are erased. */
export const seenOf = (envelope: Envelope, type: string, data: SeenEvent['data']): SeenEvent => ({
  envelope,
  kind: kindOfStream(envelope.stream),
  type,
  data,
});

/** Whose first event says what this stream is listed by, where its name alone does not. */
export const rememberedFor = ({ kind: { rule, rest } }: SeenEvent): StreamName | null =>
  rule?.remembers?.(rest) ?? null;

const nothing: Readonly<Record<string, unknown>> = {};

/** Its data, if no stream of its kind is ever erased. */
export const lastingData = ({ kind, data }: SeenEvent): Readonly<Record<string, unknown>> =>
  (kind.rule?.lasts === true ? data : null) ?? nothing;

/**
 * What an event is about, by the name of its stream, its envelope and what its stream's first event
 * said; never by data that can be erased, since a rebuild must answer the same. What is not known
 * is told as technical, of the organisation.
 */
export const listedBy = (
  seen: SeenEvent,
  chain: ChainName,
  place: StreamPlace | null,
): ListedBy => {
  const { rule, rest } = seen.kind;
  if (rule === null) return { ...ofOrganization({ chain }), technical: true };
  const technical = rule.technical === true || kindOfEvent(seen.type)?.technical === true;
  const isOwn = place !== null && rule.remembers?.(rest) === seen.envelope.stream;
  const { resource, projectId } = isOwn
    ? place
    : rule.listedBy({ rest, data: lastingData(seen), seen, chain, place });
  return { resource, projectId, technical };
};

/** The project that the stream's name names; null where it names none. */
export const projectNamed = ({ kind: { rule, rest } }: SeenEvent): string | null =>
  rule?.named === true ? rest.slice(0, idLength) : null;
