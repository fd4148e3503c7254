import { memberNames, type RecordView } from '../../contract/record-reads.js';
import { valueComplaint, type Complaint } from '../../kernel/fault.js';
import { parseColumnId } from '../../kernel/records/column-value.js';
import { contentMembers, type WantedContents } from '../../kernel/records/record-contents.js';
import type { Population } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Fields of a search (contract 5.7): members of a record, and single entries of its maps. */
export type RecordFields = readonly string[];

/** Complains about fields that records of this kind cannot have. */
export const fieldComplaints = (
  fields: RecordFields | null | undefined,
  population: Population,
): readonly Complaint[] =>
  (fields ?? []).flatMap((field, at) =>
    memberNames[population].includes(field) || entryOf(field) !== null
      ? []
      : [valueComplaint(['body', 'fields', String(at)], `${population}s have no field '${field}'`)],
  );

/** The column of a metric or a user metadata key; null for a member. */
const entryOf = (field: string): { readonly map: string; readonly name: string } | null => {
  const place = parseColumnId(field);
  if (place?.in === 'metrics') return { map: 'metrics', name: place.metric };
  return place?.in === 'user_metadata' ? { map: 'user_metadata', name: place.key } : null;
};

/** Fields that are columns of metrics and user metadata. */
export const columnsInFields = (fields: RecordFields | null | undefined): readonly string[] =>
  (fields ?? []).filter((field) => entryOf(field) !== null);

/** Contents that records with these fields are read with. */
export const contentsOf = (fields: RecordFields): WantedContents =>
  contentMembers.filter((member) => fields.includes(member));

/**
 * The record with its `id` and these fields only. An entry of `metrics` comes with that of
 * `metric_info` where this says more than the record's own value.
 */
export const pickFields = (record: RecordView, fields: RecordFields): RecordView => {
  const picked: Record<string, Json> = { id: record['id'] ?? null };
  const entries: [map: string, name: string][] = [];
  for (const field of fields) {
    const entry = entryOf(field);
    if (entry !== null) entries.push([entry.map, entry.name]);
    else if (record[field] !== undefined) picked[field] = record[field];
  }
  const take = (map: string, name: string, value: Json | undefined): void => {
    if (fields.includes(map)) return;
    const known = (picked[map] ?? {}) as JsonObject;
    picked[map] = value === undefined ? known : { ...known, [name]: value };
  };
  for (const [map, name] of entries) {
    take(map, name, memberOf(record[map], name));
    if (map !== 'metrics') continue;
    const info = memberOf(record['metric_info'], name);
    if (info !== undefined && !isOwnValue(info)) take('metric_info', name, info);
  }
  return picked;
};

const memberOf = (map: Json | undefined, name: string): Json | undefined =>
  map != null && Object.hasOwn(map as JsonObject, name) ? (map as JsonObject)[name] : undefined;

const isOwnValue = (info: Json): boolean => {
  const { status_type: status, scorer_value: score, price } = info as JsonObject;
  return status === 'success' && score === undefined && price === undefined;
};
