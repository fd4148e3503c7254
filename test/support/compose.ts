import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from './test-environment.js';

/** A service of the compose file, as far as the tests look at it. */
export type ComposeService = {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly args?: Readonly<Record<string, string>> };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly restart?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas?: number };
};
export type Compose = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
};

/** The compose file with its anchors and merges resolved. */
export const readCompose = async (): Promise<Compose> =>
  parse(await readFile(join(repository, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose;

/**
 * A value as compose would fill it in: `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$`.
 * Throws the message for a required variable that is not set.
 */
export const interpolate = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (found, name: string | undefined, sort?: string, rest?: string) => {
      if (name === undefined) return '$';
      const value = variables[name] ?? '';
      if (value !== '') return value;
      if (sort === '?') throw new Error(rest);
      return sort === '-' ? (rest ?? '') : found;
    },
  );
