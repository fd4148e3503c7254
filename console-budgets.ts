import type { Metafile } from 'esbuild';

/** Most gzipped bytes of the console's first page, and of what a lazy entry adds to it. */
const kilobyte = 1_024;
const firstPage = ['console/main.tsx', 'console/main.css'];
const firstPageMax = 150 * kilobyte;
/** Everything that a page or another lazy entry adds to the first page. */
const lazyMax = 50 * kilobyte;
const codeEditor = 'console/engines/editor.ts';
const codeEditorMax = 140 * kilobyte;
/** The outputs that these sources became part of, without what they share with other pages. */
const ownMax: Readonly<Record<string, number>> = {
  'console/traces/page.tsx': 25 * kilobyte,
  'console/parts/time-chart.tsx': 12 * kilobyte,
  'console/datasets/dataset-page.tsx': 25 * kilobyte,
};

type Outputs = Metafile['outputs'];

/**
 * A sentence for each entry of the build that is over its budget. An entry has what it imports
 * statically; a lazy one only what the first page has not loaded already.
 */
export const budgetExcesses = (
  outputs: Outputs,
  zippedBytes: (path: string) => number,
): readonly string[] => {
  const entries = Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined ? [] : [{ path, entryPoint }],
  );
  const isFirst = ({ entryPoint }: { readonly entryPoint: string }): boolean =>
    firstPage.includes(entryPoint);
  const loaded = staticImports(
    outputs,
    entries.filter(isFirst).map(({ path }) => path),
  );
  const bytesOf = (paths: ReadonlySet<string>): number =>
    [...paths].reduce((sum, path) => sum + zippedBytes(path), 0);
  const lazy = entries
    .filter((entry) => !isFirst(entry))
    .map(({ path, entryPoint }) => ({
      name: entryPoint,
      bytes: bytesOf(staticImports(outputs, [path]).difference(loaded)),
      max: entryPoint === codeEditor ? codeEditorMax : lazyMax,
    }));
  const chunks = Object.entries(outputs).flatMap(([path, { inputs }]) =>
    Object.entries(ownMax)
      .filter(([source]) => source in inputs)
      .map(([source, max]) => ({
        name: `The chunk with ${source}`,
        bytes: zippedBytes(path),
        max,
      })),
  );
  const firstPageSize = { name: 'The first page', bytes: bytesOf(loaded), max: firstPageMax };
  return [firstPageSize, ...lazy, ...chunks]
    .filter(({ bytes, max }) => bytes > max)
    .map(
      ({ name, bytes, max }) =>
        `${name} of the console has ${bytes} gzipped bytes (${max} at most). ` +
        'Import what it shows late by import(), or write less.',
    );
};

/** These outputs and what they import statically. */
export const staticImports = (outputs: Outputs, paths: readonly string[]): ReadonlySet<string> => {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const { kind, path: target } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') add(target);
    }
  };
  paths.forEach(add);
  return found;
};
