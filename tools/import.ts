import { Fault } from '../kernel/fault.js';
import { openCommandClient, type ApiClient, type ServiceAccess } from './api-client.js';
import { validationProblem } from './import/record-validation.js';
import {
  detectFormat,
  importFormats,
  importFormatNames,
  type ImportFormat,
} from './import/formats.js';
import type { FilePiece } from './import/lines.js';
import { isRefused, type ImportedRecord, type RefusedLine } from './import/records.js';
import { openBatchSender } from './import/batch-sender.js';
import { countNames, type SentCounts } from './import/rejection-bisection.js';
import { openSource, type ImportSource } from './import/source.js';
import { openProgressBar } from './terminal/progress-bar.js';
import { resolveRunTarget, type TargetOptions, type RunTarget } from './run-target.js';
import { escapeControls } from './terminal/terminal-escape.js';

type ImportArguments = TargetOptions & {
  /** Null: detected from the first value of the file. */
  readonly format: string | null;
  /** The first line that is sent. */
  readonly from: number;
  readonly dryRun: boolean;
  readonly json: boolean;
};

/** Exit code of a shell for a program that Ctrl-C ended: 128 and the number of SIGINT. */
const interruptedCode = 130;
/** Refused lines that the summary repeats; each was printed when it was read. */
const refusalsKept = 100;

/**
 * `assay import FILE`: reads a file in bounded memory and sends its records; a refused line is
 * reported with its number, and the import continues. Exit 1 when some were refused. Idempotent:
 * ids are those of the file, or derived from it.
 */
export const importFile = async (
  file: string,
  access: ServiceAccess,
  wishes: ImportArguments,
): Promise<void> => {
  const source = await openSource(file);
  const { format, pieces } = await resolveFormat(source, wishes);
  const how = wishes.format === null ? 'by its first value' : 'as you say';
  printNotice(`${file} holds ${importFormats[format].said}, ${how} (--format ${format})`);
  const refusals: RefusedLine[] = [];
  let refused = 0;
  const refuse = (one: RefusedLine): void => {
    refused += 1;
    if (refusals.length < refusalsKept) refusals.push(one);
    printNotice(`line ${one.line}: ${one.problem}`);
  };
  const records = importFormats[format].read(skipLines(pieces, wishes.from));
  const summary = wishes.dryRun
    ? await dryRunImport(records, refuse)
    : await importInto(access, wishes, { records, refuse, source, inOrder: isOrdered(format) });
  const told = { file, format, dry_run: wishes.dryRun, ...summary, refused, refusals };
  process.stdout.write(
    `${escapeControls(wishes.json ? JSON.stringify(told) : summarySentence(told))}\n`,
  );
  if (refused > 0) process.exitCode = 1;
};

const printNotice = (text: string): void => void process.stderr.write(`${escapeControls(text)}\n`);
const isOrdered = (format: ImportFormat): boolean => importFormats[format].inOrder;

const resolveFormat = async (
  { pieces }: ImportSource,
  { format: asked, from }: ImportArguments,
): Promise<{ readonly format: ImportFormat; readonly pieces: AsyncIterable<FilePiece> }> => {
  const named = importFormatNames.find((name) => name === asked);
  if (asked !== null && named === undefined) {
    throw new Fault('invalid', `--format is one of ${importFormatNames.join(', ')}`);
  }
  const found = named === undefined ? await detectFormat(pieces) : { format: named, pieces };
  if (from > 1 && !isOrdered(found.format)) {
    const why = 'spans of a trace may be anywhere in such a file: import all of it again';
    throw new Fault('invalid', `--from does not go with ${found.format}: ${why}`);
  }
  return found;
};

async function* skipLines(
  pieces: AsyncIterable<FilePiece>,
  from: number,
): AsyncGenerator<FilePiece> {
  for await (const piece of pieces) if (piece.line >= from) yield piece;
}

type ImportSummary = SentCounts & {
  readonly project: string | null;
  readonly run: string | null;
  /** Position that a read needs as minimum to show all of the import. */
  readonly position: string | null;
  readonly ignored_members: readonly string[];
};

const noTarget = { project: null, run: null, position: null, ignored_members: [] };

const dryRunImport = async (
  records: AsyncIterable<ImportedRecord>,
  refuse: (one: RefusedLine) => void,
): Promise<ImportSummary> => {
  const counts = { traces: 0, sessions: 0, otlp_parts: 0, new_records: 0, cut_texts: 0 };
  for await (const one of records) {
    const problem = isRefused(one) ? one.problem : validationProblem(one);
    if (problem !== null) refuse({ line: one.line, problem });
    else if (!isRefused(one)) counts[countNames[one.kind]] += 1;
  }
  return { ...counts, ...noTarget };
};

type ImportInput = {
  readonly records: AsyncIterable<ImportedRecord>;
  readonly refuse: (one: RefusedLine) => void;
  readonly source: ImportSource;
  readonly inOrder: boolean;
};

const importInto = async (
  access: ServiceAccess,
  wishes: ImportArguments,
  reading: ImportInput,
): Promise<ImportSummary> => {
  const client = openCommandClient(access);
  try {
    const place = await resolveRunTarget(client, wishes, true);
    for (const what of place.created) printNotice(`made the ${what}`);
    return await sendRecords(client, place, reading);
  } finally {
    client.close();
  }
};

const sendRecords = async (
  client: ApiClient,
  place: RunTarget,
  { records, refuse, source, inOrder }: ImportInput,
): Promise<ImportSummary> => {
  const sending = openBatchSender(client, place, refuse);
  const bar = openProgressBar('import {bar} {percentage}% of the file, {traces} traces');
  const sayHowToGoOn = (): void => {
    const line = sending.firstUnanswered();
    const again = 'the same command again changes nothing that is there';
    printNotice(
      line !== null && inOrder ? `go on with --from ${line}; ${again}` : `not whole; ${again}`,
    );
  };
  const interrupt = (): void => {
    bar.end();
    printNotice(`stopped; ${sending.counts.traces} traces were taken`);
    sayHowToGoOn();
    process.exit(interruptedCode);
  };
  process.once('SIGINT', interrupt);
  printNotice(`into ${targetText(place)} at ${client.url}`);
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

const targetText = ({ project, run }: RunTarget): string =>
  run === null
    ? `the log stream default of project ${project.name}`
    : `the ${run.kind.replace('_', ' ')} ${run.name} of project ${project.name}`;

const summarySentence = (
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
    (ignored === '' ? '' : `\nignored members: ${ignored}`)
  );
};
