import { expect } from 'chai';
import { operations } from '../../contract/all.js';
import { exampleIds } from '../../contract/example-ids.js';
import { exampleParameter } from '../../contract/openapi-examples.js';
import type { Operation } from '../../contract/operation.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { startApp, type App } from '../support/app.js';
import { formRequest } from '../support/multipart-forms.js';
import { openApiText } from '../../cli/openapi.js';

/** Operations that make what later examples refer to, in the order of their needs. */
const first = [
  'getCurrentUser',
  'createProject',
  'createGroup',
  'createLogStream',
  'createExperiment',
  'createSession',
  'logTraces',
  'createDataset',
  'createAnnotationTemplate',
  'createScorer',
  'createProjectPromptTemplate',
  'createApiKey',
  'tagExperiment',
  'editDatasetContent',
  'configureIntegration',
  'giveRating',
  'addGroupCollaborators',
  'deleteByMetadata',
];
/** Ends what others need: a template goes with its ratings, a project with all in it. */
const last = ['withdrawRating', 'removeGroupCollaborator', 'deleteSessions', 'deleteTraces'];
const isEnd = ({ operationId, method }: Operation): boolean =>
  method === 'DELETE' || operationId.startsWith('delete');

/** Guarded examples (test/contract) that one admin with one key cannot send. */
const unsent: readonly string[] = [
  // A credential other than a key, or a one-time token.
  'socialLogin',
  'login',
  'loginWithApiKey',
  'refreshToken',
  'logout',
  'changePassword',
  'acceptInvitation',
  // 409: the caller is the only owner and maintainer, and the project is the dataset's home.
  'removeCollaborator',
  'removeGroupMember',
  'removeUser',
  'unlinkDataset',
  // A sandbox, and a file that it found valid.
  'validateScorerOnDataset',
  'validateScorer',
  'pollScorerValidation',
  'getJob',
  'addScorerVersion',
  'getScorerCode',
  'scorePast',
  'readPastScoring',
  'cancelPastScoring',
  // A seal, and what it covers.
  'readCheckpoint',
  'proveEntry',
  'proveConsistency',
  'exportHistory',
  'certifyErasure',
  // A query.
  'getPromptVersionByName',
  // Two experiments.
  'compareExperiments',
];

const told = operations.filter(({ operationId }) => !unsent.includes(operationId));
const called = (names: readonly string[]): readonly Operation[] =>
  names.flatMap((name) => told.filter(({ operationId }) => operationId === name));
const isPlaced = ({ operationId }: Operation): boolean =>
  first.includes(operationId) || last.includes(operationId);
const story: readonly Operation[] = [
  ...called(first),
  ...told.filter((one) => !isPlaced(one) && !isEnd(one)),
  ...called(last),
  ...told.filter((one) => !isPlaced(one) && isEnd(one)).reverse(),
];

type Document = {
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: Json }>>;
  };
};
const {
  paths,
  components: { examples },
} = JSON.parse(openApiText()) as Document;
const exampleAnswer = ({ method, path }: Operation): Json => {
  const name = /"#\/components\/examples\/(\w+)"/.exec(
    JSON.stringify(paths[path]?.[method.toLowerCase()]),
  )?.[1];
  return examples[name ?? '']?.value ?? null;
};

/** The service's own ids by those of the examples. */
const idsBetween = (shown: Json, answered: Json, found: Map<string, string>): void => {
  if (typeof shown === 'string' && typeof answered === 'string') {
    const isKnown = Object.values<string>(exampleIds).includes(shown);
    if (isKnown && !found.has(shown)) found.set(shown, answered);
    return;
  }
  if (shown === null || answered === null) return;
  if (typeof shown !== 'object' || typeof answered !== 'object') return;
  for (const [member, one] of Object.entries(shown)) {
    const other = (answered as JsonObject)[member];
    if (other !== undefined) idsBetween(one, other, found);
  }
};

describe('the examples of the OpenAPI document', () => {
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('are answered as they are, one after the other, with the ids of the service', async () => {
    const ids = new Map<string, string>();
    const real = (text: string): string =>
      [...ids].reduce((known, [shown, own]) => known.replaceAll(shown, own), text);
    const refused: string[] = [];
    for (const operation of story) {
      const { operationId, method, path, example, form: file, status } = operation;
      const place = real(
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(exampleParameter(name))),
      );
      const body = JSON.parse(real(JSON.stringify(example))) as JsonObject | null;
      const parts = Object.entries(body ?? {}).map(([name, one]) => ({
        name,
        content: typeof one === 'string' ? one : JSON.stringify(one),
      }));
      const ask = file === null ? { ...(body !== null && { body }) } : formRequest(parts);
      const reply = await app.client.send<Json>(method, place, ask);
      if (reply.status !== status) {
        refused.push(`${operationId} ${reply.status} ${JSON.stringify(reply.body)}`);
      }
      idsBetween(exampleAnswer(operation), reply.body, ids);
    }
    expect(refused, refused.join('\n')).to.deep.equal([]);
  });

  it('are all sent, except those that need more than a key', () =>
    expect(story.length + unsent.length).to.equal(operations.length));
});
