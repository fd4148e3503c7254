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
/** Pages of one look, so that turns begin between looks. */
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

/** Which runs have scorers of code now, and whether a change is anything to them. */
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
    // A change may be erased before it was looked at: each run is looked at, to say that it ended.
    const { project_id: project } = event.data;
    for (const run of runsIn(project)) backlog.note(project, runStream(run), { before, run });
  } else if (isWanted(event)) {
    backlog.note(event.data.project_id, event.stream, pendingTraceOf(event, before));
  }
};

/** Scorers of runs, and the changed traces of their projects, as the log has them. */
export type ScoringFeed = ReturnType<typeof openScoringFeed>;
export const openScoringFeed = ({ log, files, path }: Needs, backlog: Backlog) => {
  const bookmark = openWorkerCursor({ files, log, path });
  const chosen = openSettings();
  const { all: settings, set, isWanted } = chosen;
  let through: Position | null = null;

  /** Settings up to where the bookmark is; traces from there on. */
  const begin = async (): Promise<Position> => {
    const kept = await bookmark.read();
    for await (const event of settingsUpTo(log, kept)) set(event);
    return kept;
  };
  const look = async (): Promise<boolean> => {
    through ??= await begin();
    const before = through;
    // Nobody's trace is read while no run has a scorer; a page then ends where the first gets one.
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
  /** The next page for a project of which more changed than is noted. */
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
    /** All changes up to there were noted; null: none was yet. */
    through: (): Position | null => through,
    /** Some pages of the log; false when there are no more for now. */
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
      return bookmark.write(backlog.oldest() ?? at, nowMs);
    },
  };
};
