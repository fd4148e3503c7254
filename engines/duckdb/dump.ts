import type { DumpItem } from '../../kernel/documents.js';
import { pageBytesMax } from '../../kernel/records/questions.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { dumpItem } from '../../kernel/records/record-dump.js';
import type { Ask } from './keeper.js';
import type { RecordsModel } from './model.js';
import { groupFrom, groupsWithin } from './portions.js';
import { rowsOfGroups } from './groups.js';
import { bindText, parameters } from './sql.js';

// Groups read at a time, fewer when they are large.
const pageGroups = 200;

/** One item a row, by group in code point order and by ordinal in it. */
export async function* dump(ask: Ask): AsyncIterable<DumpItem> {
  for (let after = ''; ;) {
    const [last, rows] = await ask((model) => readPage(model, after));
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
    const to = parameters();
    const page = await statements.rows(
      `SELECT name, grp, size FROM groups WHERE name > ${bindText(to, after)}
       ORDER BY name LIMIT ${pageGroups}`,
      to,
    );
    const groups = page.map(([name, ...group]) => ({ name: String(name), ...groupFrom(group) }));
    const some = await groupsWithin(statements, groups, pageBytesMax);
    const last = some.at(-1);
    if (last === undefined) return [null, []];
    const found = await rowsOfGroups(statements, some);
    const names = [...found.keys()].sort(byCodePoint);
    return [last.name, names.flatMap((name) => found.get(name) ?? [])];
  });
