import { flatFiltersMax, leafTypes } from '../../contract/filters.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import {
  filterDepthMax,
  filterLevelNodesMax,
  filterNodesMax,
  type Filter,
} from '../../kernel/filter.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import type { Population } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import {
  resolveColumn,
  acceptedFilters,
  lookUpColumn,
  type KnownTemplates,
  type KnownMetricTypes,
} from './catalogue.js';
import {
  missingMember,
  tagMissing,
  tagUnknown,
  tooFewItems,
  tooManyItems,
  wrongType,
  type Loc,
} from './complaints.js';
import {
  levelFilter,
  levels,
  levelsOf,
  joinNames,
  misplacedMessage,
  type Level,
} from './levels.js';
import {
  readComparison,
  readErrorCodes,
  readUsers,
  valuesComplaints,
  type Complaints,
} from './leaf.js';

/** Catalogue of the searched population, in which the filter's columns are looked up. */
export type Catalogue = {
  readonly population: Population;
  readonly types: KnownMetricTypes;
  /** Absent: the project's templates are not loaded. */
  readonly templates?: KnownTemplates;
  /** Spans or traces: the columns decide later (contract 4.5, rule 1). */
  readonly orTraces?: true;
};

type PlannedFilter = {
  /** Null when the request has no filter, or after complaints. */
  readonly filter: Filter | null;
  readonly complaints: readonly Complaint[];
};

/**
 * Filter of a request as read from its JSON. Binding looks its columns up in a catalogue; it adds
 * all complaints, in the order of the request, and returns null after one.
 */
type ReadFilter = (catalogue: Catalogue, complaints: Complaints) => Filter | null;

const refused =
  (...own: readonly Complaint[]): ReadFilter =>
  (_catalogue, complaints) => {
    complaints.push(...own);
    return null;
  };

/**
 * Validates the filters of a request and combines them into one tree (contract 3.7): a flat list,
 * joined with AND, and a tree; null and absence mean no restriction. Complaints come in the order
 * of the request, list before tree. A request is read once, however often it is bound: to nothing
 * known, and then to the types and templates of its project.
 */
export const planFilter = (
  written: { readonly filters?: Json | undefined; readonly filter_tree?: Json | undefined },
  catalogue: Catalogue,
): PlannedFilter => {
  const complaints: Complaints = [];
  const bind = (read: ReadFilter) => read(catalogue, complaints) ?? [];
  const list = listOf(written.filters).flatMap(bind);
  const tree = treeOf(written.filter_tree).flatMap(bind);
  const all = [...list, ...tree];
  const ofList = valuesComplaints(list, ['body', 'filters']);
  complaints.push(...(ofList.length > 0 ? ofList : valuesComplaints(all, ['body', 'filter_tree'])));
  if (complaints.length > 0) return { filter: null, complaints };
  return { filter: all.length > 1 ? { all } : (all[0] ?? null), complaints };
};

/** Columns named by the leaves, on every level; `fully_annotated` names none. */
export const columnsInFilter = (filter: Filter | null): readonly string[] =>
  columnsInLeaves(filter, ({ where }) => columnsInFilter(where));

/** Columns of the filtered records themselves, without those of lower levels. */
export const ownColumnsInFilter = (filter: Filter | null): readonly string[] =>
  columnsInLeaves(filter, () => []);

type LevelNode = Extract<Filter, { readonly some: unknown }>;

const columnsInLeaves = (
  filter: Filter | null,
  below: (node: LevelNode) => readonly string[],
): readonly string[] => {
  if (filter === null) return [];
  const each = (node: Filter): readonly string[] => columnsInLeaves(node, below);
  if ('all' in filter) return filter.all.flatMap(each);
  if ('any' in filter) return filter.any.flatMap(each);
  if ('not' in filter) return each(filter.not);
  if ('some' in filter) return below(filter);
  return filter.kind === 'fully_annotated' ? [] : [filter.column];
};

const readList = (written: Json): readonly ReadFilter[] => {
  const loc = ['body', 'filters'];
  if (!Array.isArray(written)) return [refused(wrongType(loc, 'list_type'))];
  const leaves = written as readonly Json[];
  return leaves.length > flatFiltersMax
    ? [refused(tooManyItems(loc, flatFiltersMax, leaves.length))]
    : leaves.map((leaf, index) => readLeaf(leaf, [...loc, String(index)]));
};

const readTree = (written: Json): readonly ReadFilter[] => {
  const loc = ['body', 'filter_tree'];
  const { depth, nodes, levels: levelNodes } = measure(written);
  const tooLarge: Complaint[] = [];
  if (depth > filterDepthMax) {
    tooLarge.push(valueComplaint(loc, `a filter is at most ${filterDepthMax} levels deep`));
  }
  if (nodes > filterNodesMax) {
    tooLarge.push(valueComplaint(loc, `a filter has at most ${filterNodesMax} nodes`));
  }
  if (levelNodes > filterLevelNodesMax) {
    const members = joinNames([...levels.keys()]);
    tooLarge.push(valueComplaint(loc, `a filter has at most ${filterLevelNodesMax} of ${members}`));
  }
  return [tooLarge.length > 0 ? refused(...tooLarge) : readNode(written, loc)];
};

/** Reads each array or object once. */
const memoized = (read: (written: Json) => readonly ReadFilter[]) => {
  const readOnce = memoizeByObject((written: object) => read(written as Json));
  return (written: Json | undefined = null): readonly ReadFilter[] => {
    if (written === null) return [];
    return typeof written === 'object' ? readOnce(written) : read(written);
  };
};
const listOf = memoized(readList);
const treeOf = memoized(readTree);

/** Kinds of filter nodes, by their member as clients spell it. */
const combinations: ReadonlyMap<string, 'leaf' | 'all' | 'any' | 'not' | Level> = new Map<
  string,
  'leaf' | 'all' | 'any' | 'not' | Level
>([
  ['filter', 'leaf'],
  ['and_', 'all'],
  ['and', 'all'],
  ['or', 'any'],
  ['or_', 'any'],
  ['not', 'not'],
  ['not_', 'not'],
  ...levels,
]);
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (node: JsonObject): readonly string[] =>
  [...combinations.keys()].filter((member) => Object.hasOwn(node, member));

type Size = { readonly depth: number; readonly nodes: number; readonly levels: number };

/**
 * Size of the client's filter, well-formed or not: a leaf counts 1, each other node one more.
 * `levels`: nodes that filter the level below.
 */
const measure = (node: Json): Size => {
  const below = isObject(node)
    ? membersOf(node).flatMap((member) => {
        const value = node[member];
        if (member === 'filter' || value === undefined) return [];
        return Array.isArray(value) ? (value as readonly Json[]) : [value];
      })
    : [];
  const own = isObject(node) ? membersOf(node).filter((member) => levels.has(member)).length : 0;
  let [depth, nodes, levelNodes] = [0, 1, own];
  for (const child of below) {
    const size = measure(child);
    depth = Math.max(depth, size.depth);
    nodes += size.nodes;
    levelNodes += size.levels;
  }
  return { depth: depth + 1, nodes, levels: levelNodes };
};

const readNode = (node: Json, loc: Loc): ReadFilter => {
  if (!isObject(node)) return refused(wrongType(loc, 'dict_type'));
  const [member, ...others] = Object.keys(node);
  const combination = combinations.get(member ?? '');
  if (member === undefined || combination === undefined || others.length > 0) {
    return (catalogue, complaints) => {
      const legal = ['filter', 'and_', 'or', 'not', ...levelsOf(populationOf(catalogue))];
      const sentence = `a filter node has exactly one of the members ${joinNames(legal)}`;
      complaints.push(valueComplaint(loc, sentence));
      return null;
    };
  }
  const value = node[member] ?? null;
  const place = [...loc, member];
  if (combination === 'leaf') return readLeaf(value, place);
  if (combination === 'not') {
    const read = readNode(value, place);
    return (catalogue, complaints) => {
      const negated = read(catalogue, complaints);
      return negated && { not: negated };
    };
  }
  return typeof combination === 'object'
    ? readLevel(member, combination, value, place)
    : readNodes(combination, value, place);
};

const readLevel = (member: string, level: Level, value: Json, place: Loc): ReadFilter => {
  const read = readNode(value, place);
  return (catalogue, complaints) => {
    const population = populationOf(catalogue);
    if (level.of !== population) {
      complaints.push(valueComplaint(place, misplacedMessage(member, level, population)));
      return null;
    }
    const { types, templates = null } = catalogue;
    const where = read({ population: level.below, types, templates }, complaints);
    return where && levelFilter(level, where);
  };
};

const readNodes = (combination: 'all' | 'any', value: Json, place: Loc): ReadFilter => {
  if (!Array.isArray(value)) return refused(wrongType(place, 'list_type'));
  const nodes = value as readonly Json[];
  if (nodes.length === 0) return refused(tooFewItems(place, 1, 0));
  const reads = nodes.map((child, index) => readNode(child, [...place, String(index)]));
  return (catalogue, complaints) => {
    const filters = reads.flatMap((read) => read(catalogue, complaints) ?? []);
    return combination === 'all' ? { all: filters } : { any: filters };
  };
};

const populationOf = ({ population, orTraces }: Catalogue): Population =>
  orTraces === true ? 'trace' : population;

const readLeaf = (leaf: Json, loc: Loc): ReadFilter => {
  if (!isObject(leaf)) return refused(wrongType(loc, 'dict_type'));
  const own: Complaints = [];
  const type = readType(leaf, loc, own);
  const column = type && readColumn(leaf, loc, own, type === 'fully_annotated');
  if (type === null || column === null) return refused(...own);
  const filter = readConditions(type, leaf, loc, own);
  return (catalogue, complaints) => {
    if (type !== 'fully_annotated' || column.name !== type) {
      complaints.push(...columnComplaints(column, type, loc, catalogue));
    }
    complaints.push(...own);
    return (
      filter && withColumn(filter, resolveColumn(column.name, catalogue.types, catalogue.templates))
    );
  };
};

/** Conditions of a leaf, whose column is not known yet. */
const readConditions = (
  type: (typeof leafTypes)[number],
  leaf: JsonObject,
  loc: Loc,
  complaints: Complaints,
): Filter | null => {
  if (type === 'fully_annotated') return readUsers(leaf, loc, complaints);
  return type === 'error'
    ? readErrorCodes('', leaf, loc, complaints)
    : readComparison(type, '', leaf, loc, complaints);
};

const withColumn = (filter: Filter, column: string): Filter => {
  if ('not' in filter) return { not: withColumn(filter.not, column) };
  return 'column' in filter ? { ...filter, column } : filter;
};

const readType = (leaf: JsonObject, loc: Loc, complaints: Complaints) => {
  const written = leaf['type'];
  const type = leafTypes.find((known) => known === written) ?? null;
  if (written === undefined) complaints.push(tagMissing(loc, leafTypes));
  else if (type === null) {
    const tag = typeof written === 'string' ? written : JSON.stringify(written);
    complaints.push(tagUnknown(loc, tag, leafTypes));
  }
  return type;
};

type NamedColumn = { readonly name: string; readonly member: string };

const readColumn = (
  leaf: JsonObject,
  loc: Loc,
  complaints: Complaints,
  mayBeLeftOut: boolean,
): NamedColumn | null => {
  const given = ['name', 'column_id'].filter((member) => leaf[member] !== undefined);
  const columns = given.flatMap((member) => {
    const name = leaf[member];
    if (typeof name === 'string') return [{ name, member }];
    complaints.push(wrongType([...loc, member], 'string_type'));
    return [];
  });
  if (columns.length < given.length) return null;
  const [column, other] = columns;
  if (column === undefined) {
    if (mayBeLeftOut) return { name: 'fully_annotated', member: 'name' };
    complaints.push(missingMember([...loc, 'name']));
    return null;
  }
  if (other !== undefined && other.name !== column.name) {
    complaints.push(valueComplaint(loc, 'name and column_id name different columns'));
    return null;
  }
  return column;
};

const filterArticle: Readonly<Record<string, string>> = { id: 'an' };

/** Complaints about a leaf's column (contract 3.7, rules 4 and 5). */
const columnComplaints = (
  { name, member }: NamedColumn,
  type: string,
  loc: Loc,
  { population, types, templates = null, orTraces }: Catalogue,
): readonly Complaint[] => {
  const meant = resolveColumn(name, types, templates);
  const column = lookUpColumn(meant, population, types, templates);
  if (column === null) return [valueComplaint([...loc, member], `unknown column '${name}'`)];
  const isElsewhere = 'applies' in column && !column.applies;
  if (isElsewhere && !(column.is === 'annotation' && orTraces === true)) {
    return [valueComplaint([...loc, member], `column '${name}' does not apply to ${population}s`)];
  }
  const taken = acceptedFilters(column);
  const isTaken = type === 'error' ? column.is === 'metric' : taken.some((kind) => kind === type);
  if (isTaken) return [];
  const wanted =
    taken.length > 1 ? `${taken.slice(0, -1).join(', ')} or ${taken.at(-1)}` : String(taken[0]);
  const article = filterArticle[wanted] ?? 'a';
  return [valueComplaint([...loc, 'type'], `column '${name}' takes ${article} ${wanted} filter`)];
};
