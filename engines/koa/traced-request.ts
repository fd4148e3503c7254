import type { Context } from 'koa';
import { exportMark, type Tracing } from '../../kernel/tracing.js';
import { failureOf } from './problem.js';
import type { EncodedAnswer, ResponseMeta } from './respond.js';

/**
 * Runs a request within its root span, named by method and operation. Requests that export spans of
 * a service are not traced: each export would cause another one.
 */
export const tracedRequest = (
  tracing: Tracing,
  ctx: Context,
  meta: ResponseMeta,
  work: () => Promise<EncodedAnswer>,
): Promise<EncodedAnswer> => {
  if (!tracing.isOn || ctx.get('tracestate').includes(exportMark)) return work();
  return tracing.request(meta.requestId, async ({ describe }) => {
    const end = (status: number): void =>
      describe(`${ctx.method} ${meta.operation}`, status, {
        'http.request.method': ctx.method,
        'assay.operation': meta.operation,
      });
    try {
      const answer = await work();
      end(answer.status);
      return answer;
    } catch (error) {
      end(failureOf(error, ctx.req, meta.requestId).status);
      throw error;
    }
  });
};
