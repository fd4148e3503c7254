import { connect } from 'node:net';
import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { operations } from '../../contract/all.js';
import { canaries } from '../support/canaries.js';
import { clientOf } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { createOneOfEach } from '../support/one-of-each-object.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import {
  anyPlaces,
  malformedRequests,
  formPlaces,
  jsonPlaces,
  type CanaryRequest,
} from './canary-requests.js';
import { oneOf, validRequest } from './valid-request.js';

const requests = runs(150);
/** More are sent until each of these was an answer, which chance alone may leave out. */
const due = [200, 400, 401, 404, 413, 415, 422];
const requestsMax = requests * 10;
const kept = 'a request id, which is there for the scan to find';

/** They would take from the others what they ask about. */
const destructive = new Set([
  'deleteProject',
  'deleteGroup',
  'deleteScorer',
  'removeUser',
  'changeUser',
]);
/** An unknown trace or span is waited for, 2 s each time (contract 5.6, rule 4). */
const waiting = new Set(['updateTrace', 'logSpans', 'updateSpan']);
const asked = operations.filter(
  ({ operationId }) => !destructive.has(operationId) && !waiting.has(operationId),
);

describe('the log lines of a service', function () {
  this.timeout(60_000 * runs(1));
  const seed = drawSeed('canaries in requests');
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  before(async () => {
    folder = await temporaryFolder();
    service = await startService({
      dir: folder.dir,
      env: { ASSAY_LOG_LEVEL: 'debug', ASSAY_TRUSTED_PROXIES: '127.0.0.1' },
      linesMax: Infinity,
    });
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  it('contain ids but no content of requests, accepted or refused', async () => {
    const planted = canaries();
    const rng = seededRandom(seed).next;
    const known = await createOneOfEach(service.client, 'canaries');
    const statuses = new Set<number>();
    const isOver = (request: number): boolean =>
      request >= requests && due.every((status) => statuses.has(status));
    for (let request = 0; !isOver(request) && request < requestsMax; request += 1) {
      const operation = oneOf(rng, asked);
      const inBodies = operation.form === null ? jsonPlaces : formPlaces;
      const [place, plant] = oneOf(
        rng,
        operation.kind === 'w' ? oneOf(rng, [anyPlaces, inBodies]) : anyPlaces,
      );
      const text = planted.plant(`${request}: ${place} of ${operation.operationId}`);
      const sent = plant(validRequest(operation, rng, known), text, rng);
      statuses.add(await statusOf(service, operation.method, sent));
    }
    expect([...statuses]).to.include.members(due);
    for (const [place, head] of malformedRequests) await say(service, head(planted.plant(place)));
    const headers = { 'X-Request-Id': planted.plant(kept) };
    await service.client.call('GET', '/v2/projects', { headers });
    expect(await service.stop()).to.include({ code: 0 });
    const lines = service.output();
    expect(lines.split('\n').length).to.be.greaterThan(requests);
    expect(planted.foundIn(Buffer.from(lines)), `ASSAY_TEST_SEED=${seed}`).to.deep.equal([kept]);
  });
});

/** Each from an address of its own, because failures are counted by address. */
const statusOf = async (
  { url, apiKey }: ServiceProcess,
  method: string,
  { path, ask }: CanaryRequest,
): Promise<number> => {
  const names = Object.keys(ask.headers ?? {});
  const hasOwn = names.includes('Authorization') || names.includes('Service-API-Key');
  const client = clientOf({ url, apiKey: hasOwn ? null : apiKey, connections: 1 });
  try {
    return (await client.send(method, path, ask)).status;
  } finally {
    client.close();
  }
};

/** Sends the bytes, hears the answer, hangs up. */
const say = ({ url }: ServiceProcess, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.on('data', () => socket.destroy());
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
