import { useEffect, useId, useState } from 'preact/hooks';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useSurroundings } from '../client/context.js';
import type { ReadResult } from '../client/service.js';
import { Dialog } from '../parts/dialog.js';
import { RecordedWord } from '../parts/recorded-text.js';
import {
  matchesText,
  placeGroups,
  placeKey,
  wantedPlace,
  type ListedPage,
  type PlaceOption,
} from './model.js';
import { usePlaces } from './questions.js';

/** Pause after the last key before the service is asked. */
const typingMs = 150;
const recentMax = 6;

type Props = {
  /** The project at hand; null: none. */
  readonly projectId: string | null;
  readonly pages: readonly ListedPage[];
  /** True for a path that a page shows. */
  readonly hasPage: (path: string) => boolean;
  readonly onClose: () => void;
};

/** Finds a place by its name or id and goes there: arrow keys choose, Enter goes. */
export const GoToDialog = (props: Props) => {
  const { navigation } = useSurroundings();
  const [typed, setTyped] = useState('');
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const id = useId();
  const { options, isAsking, fault } = useOptions(props, typed);
  const groups = placeGroups(options);
  const shown = groups.flatMap((group) => group.options);
  const chosen = Math.max(
    0,
    shown.findIndex((option) => placeKey(option) === chosenKey),
  );
  const go = (option: PlaceOption | undefined): void => {
    if (option === undefined) return;
    props.onClose();
    navigation.go(option.path, option.view);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = shown[(chosen + step + shown.length) % Math.max(1, shown.length)];
    if (step !== 0 && next !== undefined) setChosenKey(placeKey(next));
    else if (event.key === 'Enter') go(shown[chosen]);
    // Again: the browser has a use of its own for it.
    else if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={props.onClose}>
      <div class="field go-to">
        <label for={id}>Name or id</label>
        <input
          id={id}
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setChosenKey(null);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <Places id={id} groups={groups} chosen={chosen} onGo={go} />
      <p class="note" role="status">
        {statusText(shown.length, isAsking)}
        {props.projectId === null && typed !== '' && ofProjects}
        {fault !== null && ` Not all could be searched: ${fault}`}
      </p>
    </Dialog>
  );
};

const ofProjects =
  ' Open a project to search its log streams, experiments, traces, spans and sessions, too.';

const statusText = (count: number, isAsking: boolean): string => {
  if (isAsking) return 'Searching…';
  if (count === 0) return 'Nothing has this name or id.';
  return count === 1 ? '1 place.' : `${count} places.`;
};

/** The text that was typed, once the keys pause. */
const useSettledText = (text: string): string => {
  const { clock } = useSurroundings();
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const pause = new AbortController();
    void clock.wait(typingMs, pause.signal).then(() => {
      if (!pause.signal.aborted) setSettled(text);
    });
    return () => pause.abort();
  }, [text]);
  return settled;
};

/** Recent places and pages that match, then what the service finds. */
const useOptions = ({ projectId, pages, hasPage }: Props, typed: string) => {
  const { navigation, queries } = useSurroundings();
  const settled = useSettledText(typed);
  const found = usePlaces(wantedPlace(settled), projectId, hasPage);
  const current = navigation.place.value.path;
  const projectName = (path: string): string => {
    const [, id = ''] = /^\/p\/([^/]+)/.exec(path) ?? [];
    return queries.getQueryData<ReadResult<Project>>(['projects', id])?.value.name ?? '';
  };
  const recent = navigation.visited.value
    .filter(({ path }) => path !== current && hasPage(path))
    .map(({ path, view, title }) => ({
      kind: 'Recent' as const,
      text: title,
      note: projectName(path),
      path,
      view,
    }));
  const listed = pages.map(({ text, path, view = '', keys = '' }) => ({
    kind: 'Pages' as const,
    text,
    note: keys,
    path,
    view,
  }));
  const isSettled = settled === typed;
  return {
    options: [
      ...recent.filter((one) => matchesText(one, typed)).slice(0, recentMax),
      ...listed.filter((one) => matchesText(one, typed)),
      ...(isSettled ? found.options : []),
    ],
    isAsking: !isSettled || found.isAsking,
    fault: found.fault,
  };
};

const Places = (props: {
  readonly id: string;
  readonly groups: ReturnType<typeof placeGroups>;
  readonly chosen: number;
  readonly onGo: (option: PlaceOption) => void;
}) => {
  const { id, groups, chosen } = props;
  const order = groups.flatMap(({ options }) => options);
  return (
    <div
      id={`${id}-list`}
      class="go-to-places"
      role="listbox"
      aria-label="Places"
      hidden={order.length === 0}
    >
      {groups.map(({ kind, options }) => (
        <div key={kind} role="group" aria-label={kind}>
          <div class="note" aria-hidden="true">
            {kind}
          </div>
          {options.map((option) => {
            const index = order.indexOf(option);
            return (
              <div
                key={placeKey(option)}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === chosen}
                ref={index === chosen ? scrollToPlace : null}
                onMouseDown={(event) => {
                  // The focus stays in the field.
                  event.preventDefault();
                }}
                onClick={() => props.onGo(option)}
              >
                <span>
                  <RecordedWord text={option.text} />
                </span>
                <span class="note">
                  <RecordedWord text={option.note} />
                </span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
};

const scrollToPlace = (option: HTMLElement | null): void =>
  option?.scrollIntoView({ block: 'nearest' });
