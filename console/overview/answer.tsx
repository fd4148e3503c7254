import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import type { ChartBucket } from '../parts/chart-scale.js';
import { instantFigure } from '../parts/instants.js';
import { printCount, printDuration } from '../parts/numbers.js';
import type { TimeRange } from '../parts/address.js';
import { runSelector } from '../parts/record-scope.js';
import { TimeChart } from '../parts/time-chart.js';
import { otherPopulationCode, unknownMetricCode } from '../../kernel/records/evaluation-errors.js';
import { cardsOf, lackedMetrics, type OverviewCard } from './cards.js';
import { ChartTable } from './chart-table.js';
import { Distributions } from './distributions.js';
import { overviewLinks, type LinkScope, type OverviewLinks } from './links.js';
import {
  bucketsOf,
  countOf,
  groupChoices,
  groupOfTraces,
  groupSeries,
  groupsOf,
  measureOf,
  movedWindow,
  windowOfBuckets,
} from './model.js';
import type { OverviewAnswer } from './questions.js';
import { overviewCodec } from './state.js';

type Props = LinkScope & {
  readonly isStale: boolean;
  readonly onRange: (range: TimeRange) => void;
};

/** Charts, chips and groups of an answer; all of them lead to the explorer. */
export const Answer = (props: Props) => {
  const { answer } = props;
  const links = overviewLinks(props);
  const { navigation } = useSurroundings();
  const population = populationText(answer);
  return (
    <>
      <p class="note overview-note" role="status">
        {population !== null && <span>{population}</span>}
        {answer.isLengthened && <span>Longer steps: shorter ones have too many values</span>}
        <EvaluationErrors {...props} links={links} />
        <LackedMetrics {...props} />
      </p>
      {props.view.show === 'distributions' ? (
        <Distributions
          {...props}
          bounds={answer.window}
          run={runSelector(props.run) ?? {}}
          onOpen={(condition) => navigation.go(links.path, links.with(condition))}
        />
      ) : (
        <Cards {...props} links={links} />
      )}
      {answer.isGrouped && <Groups {...props} links={links} />}
      <Chips {...props} links={links} />
    </>
  );
};

const populationText = ({ all }: OverviewAnswer): string | null => {
  if (all.population === 'traces') return null;
  return all.group_by_columns.includes('model')
    ? 'Spans of the kind llm are counted: only they have a model'
    : 'Spans are counted: traces lack a column of the filter or grouping';
};

/** Names in a sentence. */
const namesMax = 3;

/** Metrics that are not shown as traces alone have them, and the grouping that shows them. */
const LackedMetrics = (props: Props) => {
  const { navigation } = useSurroundings();
  const { view, answer } = props;
  const lacked = lackedMetrics(answer, props.metrics);
  if (lacked.length === 0) return null;
  const names = lacked.slice(0, namesMax).map(({ label }) => label);
  const more = lacked.length - names.length;
  const other = answer.by === null ? null : groupOfTraces(answer.by, props.columns);
  const fragment = overviewCodec.write({ ...view, by: other?.value ?? null });
  return (
    <span>
      Recorded on traces, not on spans: {names.join(', ')}
      {more > 0 && ` and ${more} more`}.{' '}
      {other !== null && (
        <a href={navigation.href(`/p/${props.projectId}`, fragment)}>Group by {other.text}</a>
      )}
    </span>
  );
};

/** Evaluation errors of the metrics, each with the way to its records. */
const EvaluationErrors = ({ answer, links }: Props & { readonly links: OverviewLinks }) => {
  const { navigation } = useSurroundings();
  const errors = Object.values(answer.all.standard_errors).filter(isOfRecords);
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
        const href = hrefOf(code);
        return href === null ? (
          <span key={code} class="warn">
            ⚠ {code} {message}
          </span>
        ) : (
          <a key={code} class="warn" href={href}>
            ⚠ {code} {message}
          </a>
        );
      })}
    </>
  );
};

/** False for errors about the question alone: the page says in its own words what is missing. */
const isOfRecords = ({ error_code: code }: { readonly error_code: number }): boolean =>
  code !== unknownMetricCode && code !== otherPopulationCode;

const Cards = (props: Props & { readonly links: OverviewLinks }) => {
  const { answer, links, view } = props;
  const { navigation, service } = useSurroundings();
  const [cursor, setCursor] = useState<number | null>(null);
  const formatTime = useTimeFormat(answer.minutes);
  const buckets = bucketsOf(answer.window, answer.minutes);
  const rangeOf = (first: number, last: number): TimeRange => {
    const [from, to] = [buckets[first], buckets[last]] as [ChartBucket, ChartBucket];
    return windowOfBuckets(from, to);
  };
  const hrefOf = (bucket: number, group: string | null): string =>
    navigation.href(links.path, links.of(rangeOf(bucket, bucket), group));
  const groups = answer.isGrouped ? groupsOf(answer.all) : [];
  const isRunning = Date.parse(buckets.at(-1)?.end ?? '') > service.now();
  const cards = cardsOf(answer, props.metrics, props.columns);
  const deprecated = cards.filter(({ isDeprecated }) => isDeprecated);
  const shown = (some: readonly OverviewCard[]) => (
    <div class="overview-cards" aria-busy={props.isStale}>
      {some.map((card) => (
        <section key={card.key} class="overview-card" aria-label={card.title}>
          <CardHead card={card} />
          {card.lack !== null ? (
            <p class="note">{card.lack}</p>
          ) : view.show === 'tables' ? (
            <CardTable {...{ answer, card, buckets, formatTime, hrefOf }} />
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
              isNested={card.key === 'latency' && !answer.isGrouped}
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
  return (
    <>
      {shown(cards.filter(({ isDeprecated }) => !isDeprecated))}
      {deprecated.length > 0 && (
        <details>
          <summary>Deprecated metrics ({deprecated.length})</summary>
          {shown(deprecated)}
        </details>
      )}
    </>
  );
};

const CardTable = (props: {
  readonly answer: OverviewAnswer;
  readonly card: OverviewCard;
  readonly buckets: readonly ChartBucket[];
  readonly formatTime: (instant: string) => string;
  readonly hrefOf: (bucket: number, group: string | null) => string;
}) => {
  const { answer, card, buckets, hrefOf } = props;
  const groups = answer.isGrouped ? groupsOf(answer.all) : [];
  const counts = groupSeries(answer.all, buckets, countOf(answer.all), 'count');
  return (
    <ChartTable
      {...card}
      label={card.title}
      buckets={buckets}
      formatTime={props.formatTime}
      linkOf={(bucket) => hrefOf(bucket, null)}
      groupLinkOf={(bucket, series) => {
        const group = groups[series]?.value ?? null;
        // A link without records behind it would lead to an empty list.
        const isEmpty = (counts[series]?.values[bucket] ?? 0) === 0;
        return group === null || isEmpty ? null : hrefOf(bucket, group);
      }}
    />
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
      {card.figures.map(({ label, text }) => (
        <span key={label}>
          {label !== null && <span class="note">{label} </span>}
          <strong>{text} </strong>
        </span>
      ))}
      {card.level !== null && <span>{card.level} </span>}
      {card.change !== null && (
        <span class={`note ${card.change.look ?? ''}`}>{card.change.text}</span>
      )}
    </span>
  </div>
);

const Groups = ({ answer, columns, links }: Props & { readonly links: OverviewLinks }) => {
  const { navigation } = useSurroundings();
  const { by } = answer;
  const label = groupChoices(columns).find(({ value }) => value === by)?.text ?? by ?? '';
  return (
    <section class="overview-groups" aria-label="Groups">
      <h2>By {label}</h2>
      <ul>
        {groupsOf(answer.all).map(({ value, label: text, count }, index) => (
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

const Chips = ({ answer, links, projectId }: Props & { readonly links: OverviewLinks }) => {
  const { navigation } = useSurroundings();
  const p95 = measureOf(answer.all.aggregate_metrics, 'p95');
  const hasCost = measureOf(answer.all.aggregate_metrics, 'cost') !== null;
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
      {hasCost && (
        <a class="button" href={href(links.dearest())}>
          Most expensive
        </a>
      )}
      {kind === 'traces' && (
        <a class="button" href={href(links.unrated())}>
          Unrated
        </a>
      )}
    </nav>
  );
};
