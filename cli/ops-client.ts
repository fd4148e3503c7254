import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { parseJsonText } from '../kernel/json-text.js';
import type { Config } from '../config.js';
import { Fault } from '../kernel/fault.js';

/** Enough for a replay of any log that fits one machine; `fetch` alone gives up after 5 minutes. */
const responseTimeoutMs = 86_400_000;

/**
 * Sends a command to the operators' listener and waits for its result; throws Fault `unavailable`
 * with its error, or with a description of what else listens at the address.
 */
export const opsCaller = (
  opsUrl: string,
  config: Pick<Config, 'opsToken'>,
  withinMs: number = responseTimeoutMs,
): ((name: string, request: unknown) => Promise<unknown>) => {
  const ask = opsStreamCaller(opsUrl, config, withinMs);
  return (name, request) => ask(name, request, () => undefined);
};

/**
 * Like opsCaller for commands that stream lines: the last line is the result, the others go to
 * `tell`.
 */
export const opsStreamCaller =
  (
    opsUrl: string,
    { opsToken }: Pick<Config, 'opsToken'>,
    withinMs: number = responseTimeoutMs,
  ): ((name: string, request: unknown, tell: (line: unknown) => void) => Promise<unknown>) =>
  async (name, request, tell) => {
    if (!/^https?:/.test(opsUrl) || !URL.canParse(opsUrl)) {
      throw new Fault(
        'invalid',
        `--ops takes an address like http://localhost:8081, not ${opsUrl}`,
      );
    }
    const url = new URL(`${opsUrl.replace(/\/$/, '')}/operate/${name}`);
    const token = opsToken === null ? {} : { Authorization: `Bearer ${opsToken}` };
    const lines = openLineParser(tell);
    const body = JSON.stringify(request);
    const { status, type, text } = await postCommand(url, token, { body, withinMs, lines }).catch(
      (error: NodeJS.ErrnoException) => {
        throw unreachableFault(opsUrl, error);
      },
    );
    if (!isNdjson(type)) return parseResponse(opsUrl, { status, text });
    return parseResponse(opsUrl, { status, text: lines.last() });
  };

type OpsResponse = { readonly status: number; readonly text: string };
const isNdjson = (type: string): boolean => type.startsWith('application/x-ndjson');

/** Parses lines from chunks: each is passed on once the next one has begun. */
const openLineParser = (tell: (line: unknown) => void) => {
  let rest = '';
  return {
    take: (piece: string): void => {
      rest += piece;
      const lines = rest.split('\n').filter((line) => line !== '');
      // The last one may be incomplete, or the result.
      if (lines.length < 2) return;
      for (const line of lines.slice(0, -1)) tell(parseJson(line));
      rest = `${lines.at(-1)}${rest.endsWith('\n') ? '\n' : ''}`;
    },
    last: () => rest,
  };
};

const postCommand = (
  url: URL,
  token: Readonly<Record<string, string>>,
  {
    body,
    withinMs,
    lines,
  }: {
    readonly body: string;
    readonly withinMs: number;
    readonly lines: ReturnType<typeof openLineParser>;
  },
): Promise<OpsResponse & { readonly type: string }> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const headers = { 'Content-Type': 'application/json', ...token };
    const request = send(url, { method: 'POST', headers, agent: false }, (response) => {
      const type = response.headers['content-type'] ?? '';
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        if (isNdjson(type)) lines.take(piece);
        else text += piece;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, type, text }));
    });
    request.setTimeout(withinMs, () => {
      const seconds = withinMs / 1_000;
      const why = `${url.origin} has not answered within ${seconds} s; it may be at it still`;
      request.destroy(new Fault('unavailable', why));
    });
    request.on('error', reject);
    request.end(body);
  });

const unreachableFault = (opsUrl: string, error: NodeJS.ErrnoException): Fault => {
  if (error instanceof Fault) return error;
  const why =
    error.code === 'ECONNREFUSED'
      ? `no operators' listener answers at ${opsUrl}`
      : `${opsUrl} gave no answer: ${error.code ?? error.message}`;
  return new Fault('unavailable', why, { cause: error });
};

/** The result, if the answer is from an operators' listener. */
const parseResponse = (opsUrl: string, { status, text }: OpsResponse): unknown => {
  const body = parseJson(text);
  const { detail } = (body ?? {}) as { readonly detail?: unknown };
  // A streamed error comes after its status was sent.
  if (status === 200 && body !== undefined && detail === undefined) return body;
  if (status === 404 || typeof detail !== 'string') {
    throw new Fault(
      'unavailable',
      `the server at ${opsUrl} (${status}) is not an operators' listener of Assay: ` +
        'it is at ASSAY_OPS_PORT, not at the port of the API',
    );
  }
  throw new Fault('unavailable', detail);
};

const parseJson = (text: string): unknown => {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
};
