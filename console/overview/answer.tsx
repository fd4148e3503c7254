import { useState } from 'preact/hooks';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import { useSurroundings } from '../client/context.js';
import {
  both,
  evaluationErrors,
  treeLimitMessage,
  withErrors,
  type FilterTree,
} from '../language/filter-tree.js';
import { printFilter } from '../language/print-filter.js';
import type { ChartBucket } from '../parts/chart-scale.js';
import { instantFigure } from '../parts/instants.js';
import { printCount, printDuration } from '../parts/numbers.js';
import type { TimeRange } from '../parts/address.js';
import { runSelector } from '../parts/record-scope.js';
import { TimeChart } from '../parts/time-chart.js';
import { otherPopulationCode, unknownMetricCode } from '../../kernel/records/evaluation-errors.js';
import { cardsOf, type OverviewCard } from './cards.js';
import { ChartTable } from './chart-table.js';
import { Distributions } from './distributions.js';
import {
  bucketsOf,
  countOf,
  groupLeaf,
  groupsOf,
  measureOf,
  movedWindow,
  widgetsOf,
  windowOfBuckets,
  type ShownMetric,
} from './model.js';
import type { OverviewAnswer } from './questions.js';
import { explorerLinkCodec, type OverviewView } from './state.js';

type Props = {
  readonly projectId: string;
  readonly view: OverviewView;
  readonly answer: OverviewAnswer;
  readonly isStale: boolean;
  readonly tree: FilterTree | null;
  readonly me: string | null;
  readonly metrics: readonly ShownMetric[];
  readonly columns: readonly Column[];
  readonly onRange: (range: TimeRange) => void;
};

/** Charts, chips and groups of an answer; all of them lead to the explorer. */
export const Answer = (props: Props) => {
  const { answer } = props;
  const links = useLinks(props);
  const { navigation } = useSurroundings();
  return (
    <>
      <p class="note overview-note" role="status">
        <span>{populationText(answer)}</span>
        {answer.isLengthened && <span>Longer steps: shorter ones have too many values</span>}
        <EvaluationErrors {...props} links={links} />
      </p>
      {props.view.show === 'distributions' ? (
        <Distributions
          {...props}
          bounds={answer.window}
          run={runSelector(props.view.run) ?? {}}
          onOpen={(condition) => navigation.go(links.path, links.with(condition))}
        />
      ) : (
        <Cards {...props} links={links} />
      )}
      {answer.groups !== null && <Groups {...props} links={links} />}
      <Chips {...props} links={links} />
    </>
  );
};

const populationText = ({ all, groups }: OverviewAnswer): string => {
  const { population, group_by_columns } = groups ?? all;
  const text = population === 'spans' ? 'Spans are counted' : 'Traces are counted';
  if (population === 'traces') return text;
  const isModel = group_by_columns.includes('model');
  return isModel ? 'Spans of the kind llm are counted: only they have a model' : text;
};

/** Evaluation errors of the metrics, each with the way to its records. */
const EvaluationErrors = ({ answer, links }: Props & { readonly links: Links }) => {
  const { navigation } = useSurroundings();
  const errors = Object.values((answer.groups ?? answer.all).standard_errors);
  const { failedEvaluations: failed } = answer;
  const hrefOf = (code: number | null): string | null => {
    const fragment = links.evaluations(code);
    return fragment === null ? null : navigation.href(links.path, fragment);
  };
  const all = hrefOf(null);
  return (
    <>
      {failed !== null && all !== null && (
        <a class="warn" href={all}>
          ⚠ {printCount(failed)} with evaluation errors
        </a>
      )}
      {errors.map(({ error_code: code, message }) => {
        const href = isAboutQuery(code) ? null : hrefOf(code);
        return href === null ? (
          <span key={code} class="warn">
            ⚠ {code} {message}
          </span>
        ) : (
          <a key={code} class="warn" href={href}>
            {code} {message}
          </a>
        );
      })}
    </>
  );
};

/** True for errors of the question itself, which no record has (contract 3.9). */
const isAboutQuery = (code: number): boolean =>
  code === unknownMetricCode || code === otherPopulationCode;

type Links = ReturnType<typeof useLinks>;

/** Addresses of the explorer for a part of what the charts show. */
const useLinks = ({ projectId, view, answer, tree, me, columns, metrics }: Props) => {
  const kind = (answer.groups ?? answer.all).population;
  const column = columns.find(({ id }) => id === view.by);
  const usual = { t: view.t, f: view.f, run: view.run, sort: null };
  const path = `/p/${projectId}/${kind}`;
  const print = (filter: FilterTree): string => printFilter(filter, me);
  return {
    path,
    /** Records of a bucket and group; null: of all. */
    of: (range: TimeRange | null, group: string | null): string => {
      const leaf = group === null || column === undefined ? null : groupLeaf(column, group);
      return explorerLinkCodec.write({
        ...usual,
        t: range ?? usual.t,
        f: leaf === null ? usual.f : print(both(tree, leaf)),
      });
    },
    failed: (): string => explorerLinkCodec.write({ ...usual, f: print(withErrors(tree)) }),
    slower: (value: number): string => {
      const name = 'metrics/duration_ns';
      const leaf = { filter: { type: 'number', name, operator: 'gt', value } } as const;
      return explorerLinkCodec.write({ ...usual, f: print(both(tree, leaf)) });
    },
    dearest: (): string =>
      explorerLinkCodec.write({ ...usual, sort: { column: 'metrics/cost', ascending: false } }),
    with: (condition: FilterTree): string =>
      explorerLinkCodec.write({ ...usual, f: print(both(tree, condition)) }),
    /** Null where the filter has too many conditions for these. */
    evaluations: (code: number | null): string | null => {
      const names = widgetsOf(metrics).map(({ metric_name: name }) => name);
      const failed = both(tree, evaluationErrors([...new Set(names)], kind, code));
      if (treeLimitMessage(failed) !== null) return null;
      return explorerLinkCodec.write({ ...usual, f: print(failed) });
    },
    unrated: (): string => {
      const text = view.f === '' ? 'not annotated' : `(${view.f}) and not annotated`;
      return explorerLinkCodec.write({ ...usual, f: text });
    },
  };
};

const Cards = (props: Props & { readonly links: Links }) => {
  const { answer, links, view } = props;
  const { navigation, service } = useSurroundings();
  const [cursor, setCursor] = useState<number | null>(null);
  const formatTime = useTimeFormat(answer.minutes);
  const buckets = bucketsOf(answer.window, answer.minutes);
  const rangeOf = (first: number, last: number): TimeRange => {
    const [from, to] = [buckets[first], buckets[last]] as [ChartBucket, ChartBucket];
    return windowOfBuckets(from, to);
  };
  const groups = answer.groups === null ? [] : groupsOf(answer.groups);
  const isRunning = Date.parse(buckets.at(-1)?.end ?? '') > service.now();
  return (
    <div class="overview-cards" aria-busy={props.isStale}>
      {cardsOf(answer, props.metrics, props.columns).map((card) => (
        <section key={card.key} class="overview-card" aria-label={card.title}>
          <CardHead card={card} />
          {view.show === 'tables' ? (
            <ChartTable
              {...card}
              label={card.title}
              buckets={buckets}
              areGroups={groups.length > 0}
              formatTime={formatTime}
              linkOf={(bucket, series) => {
                const group = series === null ? null : (groups[series]?.value ?? null);
                return navigation.href(links.path, links.of(rangeOf(bucket, bucket), group));
              }}
            />
          ) : (
            <TimeChart
              label={card.title}
              buckets={buckets}
              series={card.series}
              kind={card.kind}
              thresholds={card.thresholds}
              format={card.format}
              formatTime={formatTime}
              cursor={cursor}
              onCursor={setCursor}
              isRunning={isRunning}
              onSelect={(first, last) => props.onRange(rangeOf(first, last))}
              onPan={(share) => props.onRange(movedWindow(answer.window, share))}
              onOpen={(bucket, series) => {
                const group = groups[series]?.value ?? null;
                navigation.go(links.path, links.of(rangeOf(bucket, bucket), group));
              }}
            />
          )}
        </section>
      ))}
    </div>
  );
};

/** Times of buckets: days begin in UTC and say so, shorter ones are in the chosen zone. */
const useTimeFormat = (minutes: number) => {
  const { appearance, service } = useSurroundings();
  const isDays = minutes >= 1_440;
  const scale = { nowMs: service.now(), zone: isDays ? 'UTC' : appearance.zone.value };
  return (instant: string): string => {
    const text = instantFigure(instant, scale)?.text ?? instant;
    return isDays ? `${text.replace(/ 00:00:00$/, '')} UTC` : text.replace(/:00$/, '');
  };
};

const CardHead = ({ card }: { readonly card: OverviewCard }) => (
  <div class="overview-figures">
    <h2>{card.title}</h2>
    <span>
      {card.figures.map((figure, index) => (
        <strong key={index}>{figure} </strong>
      ))}
      {card.level !== null && <span>{card.level} </span>}
      {card.change !== null && (
        <span class="note" title="Against the window before, of the same length">
          {card.change}
        </span>
      )}
    </span>
  </div>
);

const Groups = ({ answer, view, columns, links }: Props & { readonly links: Links }) => {
  const { navigation } = useSurroundings();
  if (answer.groups === null) return null;
  const label = columns.find(({ id }) => id === view.by)?.label ?? view.by ?? '';
  return (
    <section class="overview-groups" aria-label="Groups">
      <h2>By {label}</h2>
      <ul>
        {groupsOf(answer.groups).map(({ value, label: text, count }, index) => (
          <li key={value ?? 'rest'}>
            {value === null ? (
              <span>{text}</span>
            ) : (
              <>
                <svg class="chart-swatch" viewBox="0 0 8 8" aria-hidden="true">
                  <rect width={8} height={8} fill={`var(--series-${index + 1})`} />
                </svg>
                <a href={navigation.href(links.path, links.of(null, value))}>{text}</a>
              </>
            )}{' '}
            <span class="muted">{printCount(count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Chips = ({ answer, links, projectId }: Props & { readonly links: Links }) => {
  const { navigation } = useSurroundings();
  const p95 = measureOf(answer.all.aggregate_metrics, 'p95');
  const failed = answer.errors.aggregate_metrics[countOf(answer.all)];
  const kind = answer.all.population;
  const href = (fragment: string): string => navigation.href(`/p/${projectId}/${kind}`, fragment);
  return (
    <nav class="inline" aria-label="Records">
      <a class="button" href={href(links.of(null, null))}>
        All {kind}
      </a>
      <a class="button" href={href(links.failed())}>
        {printCount(failed)} errors
      </a>
      {p95 !== null && (
        <a class="button" href={href(links.slower(p95))}>
          Slower than {printDuration(p95)}
        </a>
      )}
      <a class="button" href={href(links.dearest())}>
        Dearest
      </a>
      {kind === 'traces' && (
        <a class="button" href={href(links.unrated())}>
          Unrated
        </a>
      )}
    </nav>
  );
};
