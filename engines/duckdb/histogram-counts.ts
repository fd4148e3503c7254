import { measuredColumn } from '../../kernel/records/column-value.js';
import { histogramEdges, type Histogram } from '../../kernel/records/histogram.js';
import type { Widget } from '../../kernel/records/query-plans.js';
import { countByCell, type CellCounts } from './category-counts.js';
import { noGroupColumns } from './group-by.js';
import { groupedRowsSql, type AggregateQuery } from './grouped-rows.js';
import { doubleConstant } from './sql.js';
import { isHistogram } from './widget-measures.js';

/** Edges of a widget's bins, and counts by the number of the bin. */
type CountedBins = { readonly edges: readonly number[]; readonly counts: CellCounts };

/** Histograms by measured column; a column without values is absent. */
export type CountedHistograms = ReadonlyMap<string, CountedBins>;

/**
 * Counts the values of histograms by bin. The edges follow from the least and the greatest value of
 * all cells, so a scan for these comes first.
 */
export const countHistograms = async (inquiry: AggregateQuery): Promise<CountedHistograms> => {
  const widgets = [
    ...new Map(
      inquiry.plan.widgets.filter(isHistogram).map((widget) => [measuredColumn(widget), widget]),
    ).values(),
  ];
  if (widgets.length === 0) return new Map();
  const { sql, parameters } = groupedRowsSql(inquiry, noGroupColumns, (source) =>
    widgets.map((widget) => source.measuredValue(widget)),
  );
  const ends = widgets.map((_, at) => `min(v${at}), max(v${at})`).join(', ');
  const [found = []] = await inquiry.statements.rows(`SELECT ${ends} FROM ${sql}`, parameters);
  const counted = new Map<string, CountedBins>();
  for (const [at, widget] of widgets.entries()) {
    const [least = null, greatest = null] = found.slice(2 * at, 2 * at + 2);
    if (least === null || greatest === null) continue;
    const isInteger = widget.type === 'integer';
    const edges = histogramEdges(Number(least) + 0, Number(greatest) + 0, isInteger);
    const counts = await countByCell(inquiry, widget, binSql(edges));
    counted.set(measuredColumn(widget), { edges, counts });
  }
  return counted;
};

/** Number of the bin of `v0`; constants are exact, so each bin is that of `histogramBin`. */
const binSql = (edges: readonly number[]): string => {
  const inner = edges.slice(1, -1);
  if (inner.length === 0) return '0';
  const cases = inner.map((edge, at) => `WHEN v0 < ${doubleConstant(edge)} THEN ${at}`);
  return `CASE ${cases.join(' ')} ELSE ${inner.length} END`;
};

/** Histogram of the widget in the cell, the total for null; null without values. */
export const histogramIn = (
  counted: CountedHistograms,
  widget: Widget,
  cell: string | null,
): Histogram | null => {
  const bins = counted.get(measuredColumn(widget));
  const counts = bins?.counts.get(cell);
  if (bins === undefined || counts === undefined) return null;
  const { edges } = bins;
  return { edges, counts: edges.slice(1).map((_, at) => counts[String(at)] ?? 0) };
};
