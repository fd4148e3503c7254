import type { ChartBucket, ChartSeries } from '../parts/chart-scale.js';

/** The values of a chart as a table, the latest bucket first; its times open the records. */
export const ChartTable = (props: {
  readonly label: string;
  readonly buckets: readonly ChartBucket[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly formatTime: (instant: string) => string;
  readonly linkOf: (bucket: number) => string;
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
              {props.series.map(({ label, values }) => {
                const value = values[bucket] ?? null;
                return (
                  <td key={label} class="number">
                    {value === null ? '–' : props.format(value)}
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
