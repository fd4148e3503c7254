import type { ChartBucket, ChartSeries } from '../parts/chart-scale.js';

/** A chart as a table, the latest bucket first; times and values of groups open the records. */
export const ChartTable = (props: {
  readonly label: string;
  readonly buckets: readonly ChartBucket[];
  readonly series: readonly ChartSeries[];
  /** True where each series is a group of records. */
  readonly areGroups: boolean;
  readonly format: (value: number) => string;
  readonly formatTime: (instant: string) => string;
  /** Address of the records of a bucket, or of those of one series in it. */
  readonly linkOf: (bucket: number, series: number | null) => string;
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
                <a href={props.linkOf(bucket, null)}>{props.formatTime(start)}</a>
              </th>
              {props.series.map(({ label, values }, series) => {
                const value = values[bucket] ?? null;
                const text = value === null ? '–' : props.format(value);
                const isLink = props.areGroups && value !== null;
                return (
                  <td key={label} class="number">
                    {isLink ? <a href={props.linkOf(bucket, series)}>{text}</a> : text}
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
