import { SingleBar } from 'cli-progress';
import { parseAsOf } from '../../contract/as-of.js';
import { systemClock } from '../../engines/node/clock.js';
import { engineChoiceOf, type Config } from '../../config.js';
import { Fault } from '../../kernel/fault.js';
import type { HistoryBound } from '../chain/bounds.js';
import type { BundleHeader, BundleManifest } from '../chain/bundle.js';
import { systemChain, type HistoryResource } from '../chain/entries.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { projectScopedResources } from '../../kernel/history-resources.js';
import type { BundleRequest } from '../exports/bundle-pages.js';
import { writeBundle, type BundleSource } from './bundle.js';
import { openHistoryReader } from '../reader.js';
import { httpSource, logSource } from './sources.js';

export type ExportOptions = {
  readonly organization?: string;
  readonly system?: true;
  readonly project?: string;
  readonly resource?: string;
  readonly from?: string;
  readonly to?: string;
  /** False: `--no-data`. */
  readonly data: boolean;
  readonly gzip?: true;
  readonly out: string;
  readonly json?: true;
  readonly url?: string;
  readonly apiKey?: string;
};

/**
 * `assay audit export`: writes a bundle (verifier/ALGORITHM.md) into a folder; repeated, it
 * resumes.
 */
export const auditExport = async (config: Config, options: ExportOptions): Promise<void> => {
  const source = await sourceOf(config, options);
  const said = options.json === true ? jsonProgress() : terminalProgress();
  try {
    const { out, json: _json, apiKey: _apiKey, ...asked } = options;
    const manifest = await writeBundle(source, {
      dir: out,
      gzip: options.gzip === true,
      by: 'assay audit export 0.1.0',
      now: () => systemClock.now(),
      asked: sortMembers(asked),
      progress: said.show,
    });
    said.end(manifest, out);
  } finally {
    said.stop();
    await source.close();
  }
};

const sortMembers = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));

const sourceOf = async (config: Config, options: ExportOptions): Promise<BundleSource> => {
  if (options.url !== undefined) return remoteSource(options, options.url);
  const question = bundleRequestOf(options);
  const history = await openHistoryReader(engineChoiceOf(config));
  const behind = await history.eventsBehind();
  if (behind > 0) {
    process.stderr.write(
      `history is ${behind} events behind the log: what is folded is exported. ` +
        'A running service folds the rest\n',
    );
  }
  return logSource(history, question, options.data);
};

const remoteSource = (options: ExportOptions, url: string): Promise<BundleSource> => {
  if (options.apiKey === undefined) {
    throw new Fault('invalid', '--url needs --api-key FILE: a file that holds an API key');
  }
  if (options.system === true || !options.data) {
    throw new Fault('invalid', '--system and --no-data need the folder or the engines, not --url');
  }
  const { resource } = bundleRequestOf({
    ...options,
    organization: options.organization ?? 'its own',
  });
  const { project, from, to } = options;
  const query = {
    ...(project !== undefined && { project_id: project }),
    ...(resource !== null && { resource_type: resource.type, resource_id: resource.id }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  return httpSource({ url, keyFile: options.apiKey }, query);
};

const bundleRequestOf = (options: Omit<ExportOptions, 'out'>): BundleRequest => {
  const { organization, system, project = null } = options;
  if ((organization === undefined) === (system === undefined)) {
    throw new Fault('invalid', 'export what? Either --organization ID or --system');
  }
  const resource = options.resource === undefined ? null : resourceOf(options.resource);
  if (resource !== null && projectScopedResources.includes(resource.type) && project === null) {
    throw new Fault('invalid', `a ${resource.type} is one of a project: add --project ID`);
  }
  return {
    chain: organization ?? systemChain,
    projectId: project,
    resource,
    from: boundOf('--from', options.from),
    to: boundOf('--to', options.to),
  };
};

const resourceOf = (text: string): HistoryResource => {
  const [, type, id] = /^([a-z_]+):(.+)$/.exec(text) ?? [];
  if (type !== undefined && id !== undefined) return { type, id };
  throw new Fault('invalid', `--resource takes a type and an id like trace:ID, not ${text}`);
};

const boundOf = (option: string, text: string | undefined): HistoryBound | null => {
  if (text === undefined) return null;
  const bound = parseAsOf(text);
  if (bound !== null) return bound;
  throw new Fault('invalid', `${option} takes a position or a date-time, not ${text}`);
};

type ExportProgress = {
  readonly show: (
    at: { readonly seq: number; readonly entries: number },
    begun: BundleHeader,
  ) => void;
  readonly end: (manifest: BundleManifest, out: string) => void;
  readonly stop: () => void;
};

const lineEveryMs = 1_000;

const openRateMeter = () => {
  const began = { at: systemClock.milliseconds(), seq: 0, is: false };
  return (seq: number): number => {
    // The rate excludes entries of an earlier run.
    if (!began.is) Object.assign(began, { seq, is: true });
    const seconds = (systemClock.milliseconds() - began.at) / 1_000;
    return seconds > 0 ? Math.round((seq - began.seq) / seconds) : 0;
  };
};

/** Progress as one JSON object a second, then the manifest. */
const jsonProgress = (): ExportProgress => {
  const rate = openRateMeter();
  let said = 0;
  return {
    show: ({ seq, entries }, { to }) => {
      const now = systemClock.milliseconds();
      const events_per_second = rate(seq);
      if (now - said < lineEveryMs) return;
      said = now;
      const eta_seconds = events_per_second > 0 ? Math.ceil((to - seq) / events_per_second) : null;
      const line = { seq, to, entries, events_per_second, eta_seconds };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    },
    end: (manifest) => void process.stdout.write(`${JSON.stringify({ manifest })}\n`),
    stop: () => undefined,
  };
};

/** Progress bar on a terminal, silent elsewhere: scripts read the line that follows. */
const terminalProgress = (): ExportProgress => {
  const rate = openRateMeter();
  const bar = new SingleBar({
    format: 'export {bar} {percentage}% · entry {value} of {total} · {rate}/s · {eta_formatted}',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let isStarted = false;
  return {
    show: ({ seq }, { to }) => {
      if (!process.stderr.isTTY) return;
      if (!isStarted) bar.start(to, seq, { rate: 0 });
      isStarted = true;
      bar.update(seq, { rate: rate(seq) });
    },
    end: ({ entries, erased, withheld, size, to, origin }, out) => {
      const unsealed = to > size ? `; entries after ${size} are not sealed yet` : '';
      process.stdout.write(
        `${out}: ${entries} entries of ${origin}, ${erased} erased, ${withheld} withheld` +
          `${unsealed}\n`,
      );
    },
    stop: () => bar.stop(),
  };
};
