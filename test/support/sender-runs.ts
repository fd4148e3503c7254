import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from './client.js';
import { bareEnvironment, program } from './test-environment.js';
import { pollUntil } from './poll-until.js';

const run = promisify(execFile);

/** The tested members of a trace's record, with its steps. */
export type SenderRecord = {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly is_complete: boolean;
  readonly spans?: readonly SenderRecord[];
  readonly [member: string]: unknown;
};

/**
 * Runs a program of `dist` as its user would, with only the exporter's usual variables in its
 * environment; resolves with its exit code and output.
 */
export const runSender = async (
  name: string,
  service: { readonly url: string; readonly apiKey: string },
  project: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> => {
  const address = `${service.url}/v2/otel/v1/traces`;
  const headers = `Service-API-Key=${service.apiKey},project=${project}`;
  const all = {
    ...bareEnvironment(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers,
    ...env,
  };
  try {
    return { code: 0, ...(await run(process.execPath, [join(program, '..', name)], { env: all })) };
  } catch (error) {
    return error as { readonly code: number; readonly stdout: string; readonly stderr: string };
  }
};

/** Id of the project; throws if there is none. */
export const projectNamed = async (client: Client, wanted: string): Promise<string> => {
  const { body: projects } = await client.call<readonly { id: string; name: string }[]>(
    'GET',
    '/v2/projects/all',
  );
  const id = projects.find(({ name }) => name === wanted)?.id;
  if (id === undefined) throw new Error(`there is no project ${wanted}`);
  return id;
};

/** The complete traces of the project of that name, oldest first, once there are `count`. */
export const waitForTraces = async (
  client: Client,
  project: string,
  count: number,
): Promise<readonly SenderRecord[]> => {
  const id = await projectNamed(client, project);
  type Page = { readonly records: readonly SenderRecord[] };
  let found: readonly SenderRecord[] = [];
  await pollUntil(`${count} complete traces in ${project}`, 20_000, async () => {
    const sort = { column_id: 'created_at', ascending: true };
    const page = await client.call<Page>('POST', `/v2/projects/${id}/traces/search`, {
      body: { sort },
    });
    found = page.body.records;
    return found.filter((one) => one.is_complete).length >= count;
  });
  const whole = found.map((one) =>
    client.call<SenderRecord>('GET', `/v2/projects/${id}/traces/${one.id}`),
  );
  return (await Promise.all(whole)).map(({ body }) => body);
};

/** One line for each record: indentation by depth, kind and name. */
export const outline = (record: SenderRecord, depth = 0): readonly string[] => [
  `${'  '.repeat(depth)}${record.type} ${record.name}`,
  ...(record.spans ?? []).flatMap((span) => outline(span, depth + 1)),
];
/** All spans under it, depth first. */
export const spansUnder = (record: SenderRecord): readonly SenderRecord[] =>
  (record.spans ?? []).flatMap((span) => [span, ...spansUnder(span)]);
