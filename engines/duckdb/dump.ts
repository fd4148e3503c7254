import type { DumpItem } from '../../kernel/ports.js';
import type { RecordRow } from '../../kernel/records.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { dumpItem } from '../../kernel/record-dump.js';
import type { Model } from './model.js';
import { rowsOfGroups } from './search.js';
import { bindText, parameters } from './sql.js';

// Groups read at a time: a few thousand rows.
const pageGroups = 200;

/** One item a row, by group in code point order and by ordinal in it. */
export async function* dump(model: Model): AsyncIterable<DumpItem> {
  for (let after = ''; ;) {
    const [last, rows] = await readPage(model, after);
    if (last === null) return;
    yield* rows.map(dumpItem);
    after = last;
  }
}

const readPage = (
  model: Model,
  after: string,
): Promise<readonly [string | null, readonly RecordRow[]]> =>
  model.connections.read(async (statements) => {
    const to = parameters();
    const page = await statements.rows(
      `SELECT name, grp, size FROM groups WHERE name > ${bindText(to, after)} ORDER BY name LIMIT ${pageGroups}`,
      to,
    );
    const last = page.at(-1);
    if (last === undefined) return [null, []];
    const groups = await rowsOfGroups(
      statements,
      page.map(([, grp, size]) => ({ grp: Number(grp), size: Number(size) })),
    );
    const names = [...groups.keys()].sort(byCodePoint);
    return [String(last[0]), names.flatMap((name) => groups.get(name) ?? [])];
  });
