import type { Command } from 'commander';
import { Fault } from '../kernel/fault.js';
import type { ClientSettings } from '../config/client-settings.js';
import { wholeNumber } from './terminal/numbers.js';
import type { TargetOptions } from './run-target.js';
import {
  serviceAccessOf,
  withTargetOptions,
  targetOptionsOf,
  withRetryOption,
  type AccessOptions,
} from './service-options.js';

type ImportOptions = AccessOptions &
  TargetOptions & {
    readonly format?: string;
    readonly from: string;
    readonly dryRun?: true;
    readonly json?: true;
  };
type ShowOptions = AccessOptions & TargetOptions & { readonly json?: true; readonly full?: true };
type ExportOptions = AccessOptions &
  TargetOptions & {
    readonly format?: string;
    readonly output?: string;
    readonly filter?: string;
    readonly from?: string;
    readonly to?: string;
    readonly minPosition?: string;
  };

const importHelp = `
Formats: assay (a trace with its nested spans a line, as POST …/traces takes it and
\`assay export traces\` writes it), otlp (OTLP as JSON: a request or a span a line), langfuse
(traces with observations; rows of a blob storage export), phoenix (rows of spans with
context.trace_id). JSON Lines, or one JSON text; either may be packed by gzip.

Doing it again changes nothing: ids of the file are kept, others follow from the content, so two
lines without ids that are the same are one. A line that cannot be taken is listed with its number
and the rest goes in; then the exit code is 1. Lines of sessions stand before those of their traces.
langfuse and phoenix put the rows of a trace together in a table in the folder for temporary files
(TMPDIR), which takes as much room as the file.

Examples:
  assay import runs.jsonl --project airline --dry-run
  assay import runs.jsonl.gz --project airline --log-stream nightly
  ASSAY_URL=https://assay.example.org assay import spans.jsonl --project chat --api-key key.txt
  cat traces.jsonl observations.jsonl scores.jsonl | assay import - --project chat`;

const exportHelp = `
Traces as JSON Lines come with their spans, in the form that \`assay import\` takes; what people
rated stays behind. Anything else is the file of the service (docs/contract.md, 5.7). A file has
its name only when it is whole. Right after a large import give the position of its summary (--json)
as --min-position: a service that is behind for more than 2 s shows what it has.

Examples:
  assay export traces --project airline --output airline.jsonl.gz
  assay export spans --project airline --log-stream nightly --format csv > spans.csv
  assay export traces --project airline --from 2026-03-01 --filter \\
    '{"filter": {"type": "number", "name": "metrics/reward", "operator": "lt", "value": 1}}'
  (assay export sessions --project a; assay export traces --project a) |
    assay import - --project b`;

const showHelp = `
Examples:
  assay show --project airline
  assay show 60c67a87-024d-48e3-9dcf-ae5652800741 --project airline
  assay show --project airline --log-stream nightly --json | jq .spans`;

/**
 * `assay import`, `assay export` and `assay show`: records into a service, out of it, and on the
 * screen, through its API.
 */
export const addTransfers = (program: Command, environment: () => ClientSettings): void => {
  withRetryOption(
    withTargetOptions(program.command('import'), 'name or id; made when it is not there'),
  )
    .description('send recorded runs from a file to a service; repeating it is harmless')
    .argument('<file>', 'JSON Lines or JSON, also packed by gzip; - is standard input')
    .option('--format <name>', 'assay, otlp, langfuse or phoenix (default: by its first value)')
    .option('--from <line>', 'first line to send (assay, otlp)', '1')
    .option('--dry-run', 'read and check everything, send nothing')
    .option('--json', 'the summary as one JSON object')
    .addHelpText('after', importHelp)
    .action(async (file: string, options: ImportOptions) => {
      const { importFile } = await import('./import.js');
      await importFile(file, await serviceAccessOf(environment(), options), {
        ...targetOptionsOf(options, environment()),
        format: options.format ?? null,
        from: wholeNumber('--from', options.from, 1),
        dryRun: options.dryRun === true,
        json: options.json === true,
      });
    });
  addExport(program, environment);
  withRetryOption(withTargetOptions(program.command('show'), 'name or id'))
    .description('a trace with its steps: texts, times, tokens, costs, metrics, ratings, failures')
    .argument('[trace]', 'its id, external id or OpenTelemetry id (default: the newest trace)')
    .option('--full', 'full texts (default: cut at the width of the terminal)')
    .option('--json', 'the whole trace as one JSON object')
    .addHelpText('after', showHelp)
    .action(async (trace: string | undefined, options: ShowOptions) => {
      const { showTrace } = await import('./show.js');
      const wishes = {
        ...targetOptionsOf(options, environment()),
        json: options.json === true,
        full: options.full === true,
      };
      await showTrace(trace ?? null, await serviceAccessOf(environment(), options), wishes);
    });
};

const formatOf = (name: string): string => (/\.csv(\.gz)?$/i.test(name) ? 'csv' : 'jsonl');

const addExport = (program: Command, environment: () => ClientSettings): void => {
  withRetryOption(withTargetOptions(program.command('export'), 'name or id'))
    .description('write the records of a project as JSON Lines or CSV, oldest first')
    .argument('<what>', 'traces, spans or sessions')
    .option('--format <name>', 'jsonl or csv (default: by the name of --output, else jsonl)')
    .option(
      '--output <file>',
      'file to write (default: standard output); a name in .gz compresses it',
    )
    .option('--filter <json>', 'only records that match this filter: docs/contract.md, 3.7')
    .option('--from <time>', 'created at this time or later')
    .option('--to <time>', 'created at this time or earlier')
    .option(
      '--min-position <position>',
      'wait until all records logged up to this position can be read',
    )
    .addHelpText('after', exportHelp)
    .action(async (what: string, options: ExportOptions) => {
      const { exportRecords } = await import('./export.js');
      const format = options.format ?? formatOf(options.output ?? '');
      if (!['jsonl', 'csv'].includes(format)) {
        throw new Fault('invalid', '--format is jsonl or csv');
      }
      await exportRecords(what, await serviceAccessOf(environment(), options), {
        ...targetOptionsOf(options, environment()),
        csv: format === 'csv',
        output: options.output ?? null,
        filter: options.filter ?? null,
        from: options.from ?? null,
        to: options.to ?? null,
        minPosition: options.minPosition ?? null,
      });
    });
};
