import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session } from '../../clients/typescript/src/generated/sessions-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { CopyId } from '../parts/copy-id.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCost, printCount, printDuration } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { markedText } from '../parts/text-pieces.js';
import {
  turnsMax,
  turnsPageSize,
  useSession,
  useTurns,
  type SessionIds,
} from './session-questions.js';
import { SessionStrip } from './session-strip.js';
import { nextErrorTurn, sessionLengthMs, type Turn } from './session-turns.js';
import { sessionCodec } from './state.js';
import { TurnPage } from './turn-page.js';

/** One session as a conversation, turn by turn. */
export const Page = ({ params }: PageProps) => {
  const ids = { projectId: params['project_id'] ?? '', sessionId: params['session_id'] ?? '' };
  const session = useSession(ids);
  const turns = useTurns(ids, session.value?.is_complete ?? true);
  const list = turns.value ?? [];
  return (
    <>
      <SessionHeading ids={ids} session={session.value ?? null} turns={list} />
      <FaultNotice fault={session.fault ?? turns.fault} onRetry={session.refetch} />
      <BehindNotice isBehind={session.isBehind || turns.isBehind} />
      {(session.isLoading || turns.isLoading) && <Skeleton />}
      {session.value === null && (
        <EmptyNotice title="Not found, or not shared with you">
          <p>This project has no session of this id; a trace without a session is none.</p>
        </EmptyNotice>
      )}
      {session.value != null && turns.value !== undefined && list.length === 0 && (
        <EmptyNotice title="No turn yet">
          <p>Traces that name this session will be its turns.</p>
        </EmptyNotice>
      )}
      {list.length > 0 && <Conversation ids={ids} turns={list} />}
    </>
  );
};

const SessionHeading = (props: {
  readonly ids: SessionIds;
  readonly session: Session | null;
  readonly turns: readonly Turn[];
}) => {
  const { clipboard, navigation } = useSurroundings();
  const { session, turns, ids } = props;
  if (session === null) return <PageHeading title="Session" />;
  const cost = turns.reduce((sum, turn) => sum + (turn.cost ?? 0), 0);
  const previous = session.previous_session_id ?? null;
  const facts = [
    turns.length === 1 ? '1 turn' : `${printCount(turns.length)} turns`,
    ...(turns.length === 0 ? [] : [printDuration(sessionLengthMs(turns) * 1e6)]),
    ...(turns.some((turn) => turn.cost !== null) ? [printCost(cost)] : []),
  ];
  return (
    <PageHeading title={session.name === '' ? 'Session' : markedText(session.name)}>
      <span class="muted">
        <Instant at={session.created_at} />
      </span>
      <span class="muted">{facts.join(' · ')}</span>
      {(session.num_traces ?? 0) > turnsMax && (
        <span class="warn">the first {printCount(turnsMax)} turns</span>
      )}
      {!session.is_complete && <span class="warn">goes on</span>}
      {previous !== null && (
        <a href={navigation.href(`/p/${ids.projectId}/sessions/${previous}`)}>Session before</a>
      )}
      <CopyId id={session.id} onCopy={clipboard.copy} />
    </PageHeading>
  );
};

const Conversation = (props: { readonly ids: SessionIds; readonly turns: readonly Turn[] }) => {
  const { ids, turns } = props;
  const [view, changeView] = useView(sessionCodec);
  const box = useRef<HTMLDivElement>(null);
  const places = useMemo(() => new Map(turns.map(({ id, index }) => [id, index])), [turns]);
  const selected = places.get(view.sel) ?? -1;
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set([0]));
  const select = (index: number): void => {
    const turn = turns[Math.max(0, Math.min(turns.length - 1, index))];
    if (turn !== undefined) changeView({ sel: turn.id }, 'replace');
  };
  const look = (): void => {
    const visible = pagesInSight(box.current);
    if (visible.some((page) => !seen.has(page))) setSeen(new Set([...seen, ...visible]));
  };
  useEffect(() => {
    if (selected < 0) return;
    setSeen((current) => new Set([...current, Math.floor(selected / turnsPageSize)]));
    box.current?.querySelector(`[data-turn="${selected}"]`)?.scrollIntoView({ block: 'center' });
  }, [selected]);
  useTurnKeys(ids.projectId, turns, selected, select);
  const pages = Math.ceil(turns.length / turnsPageSize);
  return (
    <div class="session-view">
      <SessionStrip turns={turns} selected={selected} onSelect={select} />
      <div
        class="session-turns"
        ref={box}
        onScroll={look}
        role="group"
        tabIndex={0}
        aria-label="Conversation"
      >
        {Array.from({ length: pages }, (_page, page) => (
          <TurnPage
            key={page}
            ids={ids}
            page={page}
            turns={turns.slice(page * turnsPageSize, (page + 1) * turnsPageSize)}
            selected={selected}
            isSeen={seen.has(page)}
            onSelect={select}
            onShown={() => {
              look();
              if (Math.floor(selected / turnsPageSize) !== page) return;
              const turn = box.current?.querySelector(`[data-turn="${selected}"]`);
              turn?.scrollIntoView({ block: 'center' });
            }}
          />
        ))}
      </div>
    </div>
  );
};

/** The keys of a conversation. */
const useTurnKeys = (
  projectId: string,
  turns: readonly Turn[],
  selected: number,
  select: (index: number) => void,
): void => {
  const { navigation } = useSurroundings();
  useKeys(
    [
      { keys: 'j', what: 'Next turn', run: () => select(selected + 1) },
      { keys: 'k', what: 'Turn before', run: () => select(selected - 1) },
      {
        keys: '!',
        what: 'Next turn with an error',
        run: () => select(nextErrorTurn(turns, selected)?.index ?? selected),
      },
      {
        keys: 'Enter',
        what: 'Open the trace of the turn',
        run: () => {
          const turn = turns[selected];
          if (turn !== undefined) navigation.go(`/p/${projectId}/traces/${turn.id}`);
        },
      },
    ],
    [turns, selected],
  );
};

/** Pages of turns of which a part is in sight. */
const pagesInSight = (box: HTMLElement | null): readonly number[] => {
  if (box === null) return [];
  const { top, bottom } = box.getBoundingClientRect();
  return [...box.querySelectorAll<HTMLElement>('[data-page]')]
    .filter((page) => {
      const place = page.getBoundingClientRect();
      return place.bottom > top && place.top < bottom;
    })
    .map((page) => Number(page.dataset['page']));
};
