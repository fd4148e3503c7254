import { runScorersOf, type RunScorer } from '../../contract/scorer-settings.js';
import type { DeletionEvent } from '../../events/deletions.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { ScorerSettingsEvent } from '../../events/scorers.js';
import type { TraceEvent } from '../../events/traces.js';
import {
  logStart,
  type EventLog,
  type Files,
  type Position,
  type StoredEvent,
} from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';
import { runStream } from '../facts/runs.js';
import { openWorkerCursor } from '../work/worker-cursor.js';
import type { Backlog, PendingTrace } from './backlog.js';

type Needs = {
  readonly log: EventLog;
  readonly files: Files;
  readonly path: string;
};

const pageEvents = 500;
/** Pages per poll, so that rounds can begin between polls. */
const pagesMax = 8;

type TraceChange = Extract<
  TraceEvent,
  {
    readonly type:
      'TraceLogged' | 'OtelSpansReceived' | 'SpansLogged' | 'TraceUpdated' | 'SpanUpdated';
  }
>;
type SettingsEvent =
  ScorerSettingsEvent | Extract<ExperimentEvent, { readonly type: 'ExperimentCreated' }>;
type Erased = Extract<DeletionEvent, { readonly type: 'RecordsErased' }>;
type FeedEvent = SettingsEvent | TraceChange | Erased;
const settingTypes: readonly SettingsEvent['type'][] = [
  'ScorerSettingsChanged',
  'ExperimentCreated',
];
const traceTypes: readonly TraceChange['type'][] = [
  'TraceLogged',
  'OtelSpansReceived',
  'SpansLogged',
  'TraceUpdated',
  'SpanUpdated',
];

/** Code scorers by run, and a filter of the changes that concern them. */
const openSettings = () => {
  const settings = new Map<RunId, readonly RunScorer[]>();
  const runsOf = new Map<ProjectId, Set<RunId>>();
  return {
    all: settings as ReadonlyMap<RunId, readonly RunScorer[]>,
    set: ({ data }: SettingsEvent): void => {
      const { run_id: run, project_id: project } = data;
      const chosen = runScorersOf(data.scorers).filter((one) => one.scorer_type === 'code');
      const runs = runsOf.get(project) ?? new Set<RunId>();
      if (chosen.length > 0) {
        settings.set(run, chosen);
        runsOf.set(project, runs.add(run));
      } else {
        settings.delete(run);
        runs.delete(run);
        if (runs.size === 0) runsOf.delete(project);
      }
    },
    runsIn: (project: ProjectId): ReadonlySet<RunId> => runsOf.get(project) ?? new Set(),
    isWanted: ({ data }: TraceChange): boolean =>
      data.run_id === undefined ? runsOf.has(data.project_id) : settings.has(data.run_id),
  };
};

async function* settingsUpTo(
  log: EventLog,
  end: Position,
): AsyncGenerator<StoredEvent<SettingsEvent>> {
  for (let at = logStart; at < end;) {
    const page = await log.page(at, pageEvents * 4, settingTypes);
    for (const event of page.events) {
      if (event.position <= end) yield event as unknown as StoredEvent<SettingsEvent>;
    }
    if (page.through === at) return;
    at = page.through;
  }
}

const pendingTraceOf = ({ data }: TraceChange, before: Position): PendingTrace => ({
  before,
  run: data.run_id ?? null,
});

type FeedState = ReturnType<typeof openSettings> & { readonly backlog: Backlog };

const recordChange = (
  { set, isWanted, runsIn, backlog }: FeedState,
  event: StoredEvent<FeedEvent>,
  before: Position,
): void => {
  if (event.type === 'ScorerSettingsChanged' || event.type === 'ExperimentCreated') set(event);
  else if (event.type === 'RecordsErased') {
    // A change may be erased before it is read: each run is queued, to record its end.
    const { project_id: project } = event.data;
    for (const run of runsIn(project)) backlog.note(project, runStream(run), { before, run });
  } else if (isWanted(event)) {
    backlog.note(event.data.project_id, event.stream, pendingTraceOf(event, before));
  }
};

/** Feed of a scoring worker: scorer settings of runs and changed traces, from the log. */
export type ScoringFeed = ReturnType<typeof openScoringFeed>;
export const openScoringFeed = ({ log, files, path }: Needs, backlog: Backlog) => {
  const cursor = openWorkerCursor({ files, log, path });
  const chosen = openSettings();
  const { all: settings, set, isWanted } = chosen;
  let through: Position | null = null;

  /** Reads settings up to the cursor; traces are read from there on. */
  const begin = async (): Promise<Position> => {
    const kept = await cursor.read();
    for await (const event of settingsUpTo(log, kept)) set(event);
    return kept;
  };
  const look = async (): Promise<boolean> => {
    through ??= await begin();
    const before = through;
    // Trace events are skipped while no run has a scorer; the page then ends at the first setting.
    const types =
      settings.size > 0 ? [...settingTypes, ...traceTypes, 'RecordsErased'] : settingTypes;
    const page = await log.page(before, pageEvents, types);
    for (const event of page.events) {
      const isFirst = settings.size === 0;
      recordChange({ ...chosen, backlog }, event as unknown as StoredEvent<FeedEvent>, through);
      through = event.position;
      if (isFirst && settings.size > 0) return true;
    }
    through = page.through;
    return page.through > before;
  };
  /** Reads the next page for a project whose queue overflowed. */
  const catchUp = async (project: ProjectId, after: Position): Promise<void> => {
    const page = await log.page(after, pageEvents, traceTypes);
    let at = after;
    for (const one of page.events) {
      const event = one as unknown as StoredEvent<TraceChange>;
      const isOurs = event.data.project_id === project && isWanted(event);
      if (isOurs && !backlog.add(project, event.stream, pendingTraceOf(event, at))) {
        backlog.caughtUp(project, at, false);
        return;
      }
      at = event.position;
    }
    backlog.caughtUp(project, page.through, through === null || page.through >= through);
  };
  return {
    settings,
    /** Position up to which all changes are queued; null: not started. */
    through: (): Position | null => through,
    /** Reads some pages of the log; false at its head. */
    look: async (): Promise<boolean> => {
      let grew = false;
      for (let pages = 0; pages < pagesMax && (await look()); pages += 1) grew = true;
      for (let pages = 0; pages < pagesMax; pages += 1) {
        const behind = backlog.behind();
        if (behind === null) break;
        await catchUp(...behind);
        grew = true;
      }
      return grew;
    },
    keep: (nowMs: number): Promise<void> => {
      const at = through ?? logStart;
      return cursor.write(backlog.oldest() ?? at, nowMs);
    },
  };
};
