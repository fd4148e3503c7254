import { otelBytes, otelRequest, otelSpan, otelTraceId } from '../test/support/otlp.js';
import { spanTextsOf, spansPerTrace, tracesPerRequest, type Bodies } from './bodies.js';

/** Traces have their numbers from here on: one that is found in the bytes is an id, and no text. */
const firstTrace = 0xa55a_0000_0000;

/**
 * The content of `wideBodies`, as an exporter sends it: traces of 10 spans of 1 KB, 20 a request.
 * Only the ids of traces are written anew for each request.
 */
export const otlpBodies = (seed: number, encoding: 'json' | 'proto'): Bodies => {
  const texts = spanTextsOf(seed, tracesPerRequest * spansPerTrace);
  const numbers = Array.from({ length: tracesPerRequest }, (_, at) => firstTrace + at);
  const request = otelRequest(
    numbers.flatMap((trace, of) =>
      Array.from({ length: spansPerTrace }, (_, at) =>
        otelSpan({
          trace,
          id: at + 1,
          ...(at > 0 && { parent: 1 }),
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.request.model': 'model-a',
            'gen_ai.usage.input_tokens': 120,
            'gen_ai.usage.output_tokens': 40,
            'input.value': texts[of * spansPerTrace + at] ?? '',
          },
        }),
      ),
    ),
  );
  const isJson = encoding === 'json';
  const bytes = isJson ? Buffer.from(JSON.stringify(request)) : Buffer.from(otelBytes(request));
  const places = numbers.map((trace) => {
    const hex = otelTraceId(trace);
    const mark = isJson ? Buffer.from(hex) : Buffer.from(hex, 'hex');
    const found: number[] = [];
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) found.push(at);
    return found;
  });
  return (n) => {
    const own = Buffer.from(bytes);
    places.forEach((offsets, at) => {
      const number = (n * tracesPerRequest + at + 1).toString(16).padStart(8, '0');
      for (const offset of offsets) own.write(number, offset, isJson ? 'latin1' : 'hex');
    });
    return { bytes: own, traces: [] };
  };
};
