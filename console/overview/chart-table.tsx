import type { ChartBucket, ChartSeries } from '../parts/chart-scale.js';

/** A chart as a table, the latest bucket first; times and values of groups open their records. */
export const ChartTable = (props: {
  readonly label: string;
  readonly buckets: readonly ChartBucket[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly formatTime: (instant: string) => string;
  /** Address of the records of a bucket. */
  readonly linkOf: (bucket: number) => string;
  /** Address of the records of a series in a bucket; null where it is not a group, or has none. */
  readonly groupLinkOf: (bucket: number, series: number) => string | null;
}) => (
  <div class="scroll-x chart-table">
    <table class="grid-table">
      <caption class="visually-hidden">{props.label}</caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          {props.series.map(({ label }) => (
            <th key={label} scope="col" class="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.buckets
          .map(({ start }, bucket) => (
            <tr key={start}>
              <th scope="row">
                <a href={props.linkOf(bucket)}>{props.formatTime(start)}</a>
              </th>
              {props.series.map(({ label, values }, series) => {
                const value = values[bucket] ?? null;
                const text = value === null ? '–' : props.format(value);
                const link = value === null ? null : props.groupLinkOf(bucket, series);
                return (
                  <td key={label} class="number">
                    {link === null ? text : <a href={link}>{text}</a>}
                  </td>
                );
              })}
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  </div>
);
