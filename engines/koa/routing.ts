import type { IncomingMessage } from 'node:http';
import { Router } from '@koa/router';
import type { Context } from 'koa';
import { pathPrefix } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { RawRequest } from './validate-request.js';
import type { CompiledRoute } from './compiled-routes.js';
import { percentDecode, parseUrlencoded } from './http-syntax.js';

export type RoutedRequest = {
  readonly compiledRoute: CompiledRoute;
  readonly sent: Omit<RawRequest, 'requestId' | 'slot' | 'setHeader' | 'addNote'>;
};

/**
 * Finds the operation of a request with koa's router; each is registered under the prefix and at
 * the root (contract 1.1). Throws Fault `not-found`, `method-not-allowed` (the response then has
 * `Allow`) or `malformed` for broken percent-encoding.
 */
export const openRouting = (table: readonly CompiledRoute[]): ((ctx: Context) => RoutedRequest) => {
  const routers = new Map<string, Router>();
  const byPath = new Map<unknown, CompiledRoute[]>();
  for (const compiled of table) {
    for (const path of registeredPaths(compiled.operation.path)) {
      byPath.set(path, [...(byPath.get(path) ?? []), compiled]);
      const shape = pathShape(path);
      const router = routers.get(shape) ?? new Router({ strict: true, sensitive: true });
      routers.set(shape, router);
      router.register(path, [compiled.operation.method], () => undefined);
    }
  }
  return (ctx) => {
    checkHost(ctx.req);
    // The most specific path was registered first; the methods of a vaguer one do not apply to it.
    const path = pathOf(ctx);
    const [layer] = routers.get(pathShape(path))?.match(path, ctx.method).path ?? [];
    const here = byPath.get(layer?.path) ?? [];
    if (layer === undefined || here.length === 0) throw new Fault('not-found', 'No such route');
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const compiledRoute = here.find(({ operation }) => operation.method === method);
    if (compiledRoute === undefined) {
      ctx.set('Allow', allowedMethods(here));
      throw new Fault(
        'method-not-allowed',
        'This path does not support the method; Allow lists those that it does',
      );
    }
    const params = decodedParams(layer.paramNames, layer.captures(path));
    return {
      compiledRoute,
      sent: { message: ctx.req, params, query: parseUrlencoded(ctx.querystring) },
    };
  };
};

/** Throws Fault `malformed` for several `Host` headers (RFC 9112, 3.2); Node keeps the first. */
const checkHost = ({ rawHeaders }: IncomingMessage): void => {
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Fault('malformed', 'Send one Host header, not several');
};

/**
 * Lookup key that a path shares with the routes it can match: its first segment, which is literal
 * in every route, and the number of segments. A router tries all of its routes, some hundreds, at
 * each request.
 */
const pathShape = (path: string): string => {
  const segments = path.split('/');
  return `${segments.length} ${segments[1] ?? ''}`;
};

/** Path of the request, not decoded. Throws Fault `malformed` for a malformed URL. */
export const pathOf = (ctx: Context): string => {
  try {
    return ctx.path;
  } catch (cause) {
    throw new Fault('malformed', 'Malformed request URL', { cause });
  }
};

const registeredPaths = (path: string): readonly string[] => {
  const colons = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return colons.startsWith(`${pathPrefix}/`) ? [colons, colons.slice(pathPrefix.length)] : [colons];
};

const allowedMethods = (here: readonly CompiledRoute[]): string => {
  const methods = here.map(({ operation }) => operation.method as string);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
};

const decodedParams = (
  names: readonly { readonly name: string }[],
  captures: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map(({ name }, index) => [name, percentDecode(captures[index] ?? '')]));
