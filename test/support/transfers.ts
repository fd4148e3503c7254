import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment, program } from './outside.js';
import type { ServiceProcess } from './service-process.js';

export type Ran = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs `assay import` or `assay export` as a client of the service, to its end. */
export const transfer = async (
  { url, apiKey }: Pick<ServiceProcess, 'url' | 'apiKey'>,
  args: readonly string[],
  stdin = '',
): Promise<Ran> => {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...bareEnvironment(), ASSAY_URL: url, ASSAY_API_KEY: apiKey },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  // Who does not read its input may be gone before it is written.
  child.stdin.on('error', () => undefined).end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
};

export const asLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
