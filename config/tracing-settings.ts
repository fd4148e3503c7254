import { Fault } from '../kernel/fault.js';

const endpointNames = [
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

/**
 * True if the service exports spans of its own: an OTLP endpoint is set, or `OTEL_TRACES_EXPORTER`
 * is `otlp`, and neither `OTEL_TRACES_EXPORTER=none` nor `OTEL_SDK_DISABLED=true` says otherwise
 * (OpenTelemetry, environment variable specification). All other `OTEL_*` variables are read by
 * OpenTelemetry's SDK. Throws Fault `invalid` for an exporter that is not built in.
 */
export const readTracing = (text: (name: string, fallback: string) => string): boolean => {
  if (text('OTEL_SDK_DISABLED', '').toLowerCase() === 'true') return false;
  const exporter = text('OTEL_TRACES_EXPORTER', '');
  const hasEndpoint = endpointNames.some((name) => text(name, '') !== '');
  if (exporter === 'none') return false;
  if (exporter !== '' && exporter !== 'otlp' && hasEndpoint) {
    throw new Fault('invalid', `OTEL_TRACES_EXPORTER must be otlp or none, not ${exporter}`);
  }
  return exporter === 'otlp' || hasEndpoint;
};
