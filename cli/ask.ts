import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Config } from '../config.js';
import { Fault } from '../kernel/fault.js';

/** Enough for a replay of any log that fits one machine; `fetch` alone gives up after 5 minutes. */
const answerWithinMs = 86_400_000;

/**
 * Asks the service itself and waits as long as the work takes; throws Fault `unavailable` with what
 * it said, or with what is at the address instead of an operators' listener.
 */
export const operateCommand =
  (
    opsUrl: string,
    { opsToken }: Pick<Config, 'opsToken'>,
    withinMs: number = answerWithinMs,
  ): ((name: string, request: unknown) => Promise<unknown>) =>
  async (name, request) => {
    if (!/^https?:/.test(opsUrl) || !URL.canParse(opsUrl)) {
      throw new Fault(
        'invalid',
        `--ops takes an address like http://localhost:8081, not ${opsUrl}`,
      );
    }
    const url = new URL(`${opsUrl.replace(/\/$/, '')}/operate/${name}`);
    const token = opsToken === null ? {} : { Authorization: `Bearer ${opsToken}` };
    const answer = await posted(url, token, JSON.stringify(request), withinMs).catch(
      (error: NodeJS.ErrnoException) => {
        throw unreached(opsUrl, error);
      },
    );
    return understood(opsUrl, answer);
  };

type Answer = { readonly status: number; readonly text: string };

const posted = (
  url: URL,
  token: Readonly<Record<string, string>>,
  body: string,
  withinMs: number,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const headers = { 'Content-Type': 'application/json', ...token };
    const request = send(url, { method: 'POST', headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      );
    });
    request.setTimeout(withinMs, () => {
      const seconds = withinMs / 1_000;
      const why = `${url.origin} has not answered within ${seconds} s; it may be at it still`;
      request.destroy(new Fault('unavailable', why));
    });
    request.on('error', reject);
    request.end(body);
  });

const unreached = (opsUrl: string, error: NodeJS.ErrnoException): Fault => {
  if (error instanceof Fault) return error;
  const why =
    error.code === 'ECONNREFUSED'
      ? `no operators' listener answers at ${opsUrl}`
      : `${opsUrl} gave no answer: ${error.code ?? error.message}`;
  return new Fault('unavailable', why, { cause: error });
};

/** Its answer, if it is an operators' listener that answered. */
const understood = (opsUrl: string, { status, text }: Answer): unknown => {
  const body = parsed(text);
  if (status === 200 && body !== undefined) return body;
  const { detail } = (body ?? {}) as { readonly detail?: unknown };
  if (status === 404 || typeof detail !== 'string') {
    throw new Fault(
      'unavailable',
      `what answers at ${opsUrl} (${status}) is no operators' listener of Assay: ` +
        'it is at ASSAY_OPS_PORT, not at the port of the API',
    );
  }
  throw new Fault('unavailable', detail);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
