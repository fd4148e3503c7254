import { Fault } from '../kernel/fault.js';
import { openCommandClient, type ApiClient, type ServiceAccess } from './api-client.js';
import { problemOf } from './import/checked.js';
import { detected, importFormats, importFormatNames, type ImportFormat } from './import/formats.js';
import type { FilePiece } from './import/lines.js';
import { isRefused, type ImportedRecord, type RefusedLine } from './import/records.js';
import { openSending } from './import/sending.js';
import { countOf, type SentCounts } from './import/settling.js';
import { openSource, type ImportSource } from './import/source.js';
import { openBar } from './progress-bar.js';
import { runPlace, type PlaceOptions, type RunPlace } from './run-place.js';
import { visible } from './visible.js';

type ImportWishes = PlaceOptions & {
  /** Null: by the first value of the file. */
  readonly format: string | null;
  /** The first line that is sent. */
  readonly from: number;
  readonly dryRun: boolean;
  readonly json: boolean;
};

/** What a shell tells of a program that Ctrl-C ended: 128 and the number of SIGINT. */
const interruptedCode = 130;
/** Refused lines that the summary repeats; each was told when it was met. */
const refusalsKept = 100;

/**
 * `assay import FILE`: reads a file in bounded memory and sends what it holds; a line that cannot
 * be taken is told with its number, and the rest goes on. Exit 1 when some were not taken. Doing it
 * again changes nothing: ids are those of the file, or follow from it.
 */
export const importFile = async (
  file: string,
  access: ServiceAccess,
  wishes: ImportWishes,
): Promise<void> => {
  const source = await openSource(file);
  const { format, pieces } = await formatOf(source, wishes);
  const how = wishes.format === null ? 'by its first value' : 'as you say';
  tell(`${file} holds ${importFormats[format].said}, ${how} (--format ${format})`);
  const refusals: RefusedLine[] = [];
  let refused = 0;
  const refuse = (one: RefusedLine): void => {
    refused += 1;
    if (refusals.length < refusalsKept) refusals.push(one);
    tell(`line ${one.line}: ${one.problem}`);
  };
  const records = importFormats[format].read(passingOver(pieces, wishes.from));
  const summary = wishes.dryRun
    ? await checkedOnly(records, refuse)
    : await sentTo(access, wishes, { records, refuse, source, inOrder: inOrder(format) });
  const told = { file, format, dry_run: wishes.dryRun, ...summary, refused, refusals };
  process.stdout.write(`${visible(wishes.json ? JSON.stringify(told) : sentence(told))}\n`);
  if (refused > 0) process.exitCode = 1;
};

const tell = (text: string): void => void process.stderr.write(`${visible(text)}\n`);
const inOrder = (format: ImportFormat): boolean => importFormats[format].inOrder;

const formatOf = async (
  { pieces }: ImportSource,
  { format: asked, from }: ImportWishes,
): Promise<{ readonly format: ImportFormat; readonly pieces: AsyncIterable<FilePiece> }> => {
  const named = importFormatNames.find((name) => name === asked);
  if (asked !== null && named === undefined) {
    throw new Fault('invalid', `--format is one of ${importFormatNames.join(', ')}`);
  }
  const found = named === undefined ? await detected(pieces) : { format: named, pieces };
  if (from > 1 && !inOrder(found.format)) {
    const why = 'spans of a trace may be anywhere in such a file: import all of it again';
    throw new Fault('invalid', `--from does not go with ${found.format}: ${why}`);
  }
  return found;
};

async function* passingOver(
  pieces: AsyncIterable<FilePiece>,
  from: number,
): AsyncGenerator<FilePiece> {
  for await (const piece of pieces) if (piece.line >= from) yield piece;
}

type ImportSummary = SentCounts & {
  readonly project: string | null;
  readonly run: string | null;
  /** What a read has to have reached to show all of it. */
  readonly position: string | null;
  readonly ignored_members: readonly string[];
};

const nowhere = { project: null, run: null, position: null, ignored_members: [] };

const checkedOnly = async (
  records: AsyncIterable<ImportedRecord>,
  refuse: (one: RefusedLine) => void,
): Promise<ImportSummary> => {
  const counts = { traces: 0, sessions: 0, otlp_parts: 0, new_records: 0, cut_texts: 0 };
  for await (const one of records) {
    const problem = isRefused(one) ? one.problem : problemOf(one);
    if (problem !== null) refuse({ line: one.line, problem });
    else if (!isRefused(one)) counts[countOf[one.kind]] += 1;
  }
  return { ...counts, ...nowhere };
};

type Reading = {
  readonly records: AsyncIterable<ImportedRecord>;
  readonly refuse: (one: RefusedLine) => void;
  readonly source: ImportSource;
  readonly inOrder: boolean;
};

const sentTo = async (
  access: ServiceAccess,
  wishes: ImportWishes,
  reading: Reading,
): Promise<ImportSummary> => {
  const client = openCommandClient(access);
  try {
    const place = await runPlace(client, wishes, true);
    for (const what of place.made) tell(`made the ${what}`);
    return await sentAll(client, place, reading);
  } finally {
    client.close();
  }
};

const sentAll = async (
  client: ApiClient,
  place: RunPlace,
  { records, refuse, source, inOrder }: Reading,
): Promise<ImportSummary> => {
  const sending = openSending(client, place, refuse);
  const bar = openBar('import {bar} {percentage}% of the file, {traces} traces');
  const sayHowToGoOn = (): void => {
    const line = sending.firstOpen();
    const again = 'the same command again changes nothing that is there';
    tell(line !== null && inOrder ? `go on with --from ${line}; ${again}` : `not whole; ${again}`);
  };
  const interrupt = (): void => {
    bar.end();
    tell(`stopped; ${sending.counts.traces} traces were taken`);
    sayHowToGoOn();
    process.exit(interruptedCode);
  };
  process.once('SIGINT', interrupt);
  tell(`into ${placeSaid(place)} at ${client.url}`);
  try {
    for await (const one of records) {
      if (isRefused(one)) refuse(one);
      else await sending.add(one);
      const { done, total } = source.read();
      if (total !== null) bar.show(done, total, { traces: sending.counts.traces });
    }
    await sending.end();
  } catch (error) {
    sayHowToGoOn();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    bar.end();
  }
  return {
    ...sending.counts,
    project: place.project.id,
    run: place.run?.id ?? null,
    position: sending.position(),
    ignored_members: [...sending.ignored],
  };
};

const placeSaid = ({ project, run }: RunPlace): string =>
  run === null
    ? `the log stream default of project ${project.name}`
    : `the ${run.kind.replace('_', ' ')} ${run.name} of project ${project.name}`;

const sentence = (
  told: ImportSummary & { readonly dry_run: boolean; readonly refused: number },
): string => {
  const kinds = [
    [told.traces, 'trace', 'traces'],
    [told.sessions, 'session', 'sessions'],
    [told.otlp_parts, 'part of OTLP requests', 'parts of OTLP requests'],
  ] as const;
  const some = kinds
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`);
  const what = some.join(', ') || 'nothing';
  const not = `${told.refused} ${told.refused === 1 ? 'line' : 'lines'} refused`;
  if (told.dry_run) return `${what} would be sent, ${not}; nothing was sent`;
  const ignored = told.ignored_members.join(', ');
  // OpenTelemetry's answer does not say what was new.
  const isTold = told.traces + told.sessions > 0;
  return (
    `${what} taken${isTold ? `, ${told.new_records} records of them new` : ''}; ${not}` +
    (told.cut_texts === 0 ? '' : `\ntexts over 1 MiB that were cut: ${told.cut_texts}`) +
    (ignored === '' ? '' : `\nmembers that nobody reads: ${ignored}`)
  );
};
