import { extraForbidden, type Complaint } from '../../kernel/fault.js';
import type { IgnoredPath } from '../ajv/ignored.js';

/** What was sent and nobody reads (contract 1.2, rule 3). */
export type Ignored = {
  readonly query: readonly string[];
  readonly body: readonly IgnoredPath[];
};

/** Whether nothing may be ignored: `Prefer: handling=strict` (RFC 7240); the first one counts. */
export const asksStrictness = (prefer: string | readonly string[] | undefined): boolean =>
  /(?:^|,)\s*handling\s*=\s*"?(\w+)/i.exec(String(prefer ?? ''))?.[1]?.toLowerCase() === 'strict';

/** Contract 1.2, rule 3. */
const pathsMax = 20;
const charactersMax = 2_048;
/** Of one name: who sends longer ones knows which it was. */
const nameMax = 64;

/** As `X-Ignored-Members` has it; null when there is nothing to say. */
export const ignoredMembers = ({ query, body }: Ignored): string | null => {
  const paths = [...query.map((name) => `?${shownName(name)}`), ...body.map(shownMember)];
  return paths.length === 0 ? null : listed(paths);
};

/** A header has room for so many names, percent-encoded, and `...` for the rest of them. */
export const listed = (names: readonly string[]): string => {
  let text = '';
  for (const [index, name] of names.entries()) {
    const longer = index === 0 ? name : `${text}, ${name}`;
    if (index === pathsMax || longer.length > charactersMax) return `${text}, ...`;
    text = longer;
  }
  return text;
};

/** The path of a member of the body: names and indices, joined by `/`. */
export const shownMember = (path: readonly string[]): string => path.map(shownName).join('/');

const shownName = (name: string): string => {
  const characters = Array.from(name.slice(0, 2 * nameMax));
  const shown = encodeURIComponent(characters.slice(0, nameMax).join('').toWellFormed());
  return characters.length > nameMax ? `${shown}...` : shown;
};

/** The name of a column, which may have slashes. */
export const shownPath = (column: string): string => column.split('/').map(shownName).join('/');

/** The same as complaints, for who asked for strict handling. */
export const ignoredComplaints = ({ query, body }: Ignored): readonly Complaint[] =>
  [...query.map((name) => ['query', name]), ...body.map((path) => ['body', ...path])].map(
    extraForbidden,
  );
