import { streamNameOf } from '../../kernel/ports.js';
import type { SealedLogEvent } from './sealed-log.js';

export const ours = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
export const theirs = '60c67a87-024d-48e3-9dcf-ae5652800741';
const foreign = '9b2b1a3c-7d5e-4f60-8a17-2c4d6e8f0a1b';
export const projects = [
  '1b671a64-40d5-491e-99b0-da01ff1f3341',
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
];
export const traceOf = (at: number): string =>
  `7c9e6679-7425-40de-944b-${String(at).padStart(12, '0')}`;

/** Traces of two projects, secrets, another organisation's events, and the service's own. */
export const sampleEventAt = (at: number): SealedLogEvent => {
  const organization = at % 9 === 4 ? theirs : ours;
  if (at % 31 === 7) {
    const name = streamNameOf('reservation', 'email', String(at));
    return { stream: name, type: 'NameClaimed', data: { holder: 'x' }, organization: null };
  }
  if (at % 23 === 11) {
    const data = { api_key_id: traceOf(at), value_hash: 'secret of nobody', n: at };
    return {
      stream: streamNameOf('api-key', traceOf(at)),
      type: 'ApiKeyCreated',
      data,
      organization,
    };
  }
  const project = (organization === theirs ? foreign : projects[at % 5 === 2 ? 1 : 0]) ?? '';
  const data = { project_id: project, text: `of ${at} \u2028 \u{1f600} "quoted"`, n: at };
  const name = streamNameOf('trace', project, traceOf(at % 97));
  return { stream: name, type: 'TraceLogged', data, organization };
};
