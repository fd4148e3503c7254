import type { DumpItem } from '../../kernel/documents.js';
import { pageBytesMax } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { dumpItem } from '../../kernel/records/record-dump.js';
import type { RunOnModel } from './instance-supervisor.js';
import type { RecordsModel } from './model.js';
import { groupExtentOf, takeGroupsWithin } from './record-sizes.js';
import { readGroups } from './record-groups.js';
import { bindText, newParameters } from './sql.js';

// Groups read at a time, fewer when they are large.
const pageGroups = 200;

/** Dumps all records, one item per row: groups in code point order, then by ordinal. */
export async function* dump(withModel: RunOnModel): AsyncIterable<DumpItem> {
  for (let after = ''; ;) {
    const [last, rows] = await withModel((model) => readPage(model, after));
    if (last === null) return;
    yield* rows.map(dumpItem);
    after = last;
  }
}

const readPage = (
  model: RecordsModel,
  after: string,
): Promise<readonly [string | null, readonly RecordRow[]]> =>
  model.connections.read(async (statements) => {
    const to = newParameters();
    const page = await statements.rows(
      `SELECT name, grp, size FROM groups WHERE name > ${bindText(to, after)}
       ORDER BY name LIMIT ${pageGroups}`,
      to,
    );
    const groups = page.map(([name, ...group]) => ({
      name: String(name),
      ...groupExtentOf(group),
    }));
    const some = await takeGroupsWithin(statements, groups, pageBytesMax);
    const last = some.at(-1);
    if (last === undefined) return [null, []];
    const found = await readGroups(statements, some);
    const names = [...found.keys()].sort(byCodePoint);
    return [last.name, names.flatMap((name) => found.get(name) ?? [])];
  });
