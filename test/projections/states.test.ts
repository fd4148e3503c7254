import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { seededRandom } from '../../kernel/seeded-random.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import { operations } from '../../contract/all.js';
import { sha256 } from '../../engines/node/digest.js';
import { decode } from '../../events/codec.js';
import { historyResources, type HistoryResourceType } from '../../kernel/history-resources.js';
import type { StoredEvent, StreamName } from '../../kernel/ports.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { decodeEvent } from '../../projections/page-reader.js';
import { changesByEvent } from '../../projections/states/changes.js';
import {
  maskedSecret,
  maskedText,
  openMask,
  mergePatches,
  type StateValue,
} from '../../projections/states/masked-state.js';
import type { StateSubject } from '../../projections/states/state.js';
import { stateDefinitions } from '../../projections/states/state-definitions.js';
import { oneOf, validRequest } from '../fuzz/valid-request.js';
import { startApp, type App } from '../support/app.js';
import { createOneOfEach } from '../support/one-of-each-object.js';
import { mergePatched, withoutNulls } from '../support/merge-patch.js';
import { drawSeed } from '../support/test-environment.js';
import { readAllPages } from '../support/log-pages.js';
import { runs } from '../support/runs.js';

const mask = openMask(sha256);

/** Takes away what the others ask about, or waits for what does not come. */
const unwanted = ['deleteProject', 'removeUser', 'changePassword', 'logout', 'validateScorer'];
const writes = operations.filter(
  ({ kind, schemes, operationId }) =>
    kind === 'w' && schemes.includes('K') && !unwanted.some((one) => operationId.startsWith(one)),
);

describe('the states of resources', function () {
  const seed = drawSeed('writes about known objects');
  let app: App;
  let known: Readonly<Record<string, unknown>>;
  let events: readonly StoredEvent[];

  before(async () => {
    app = await startApp();
    const touched = await createOneOfEach(app.client, 'states');
    const rng = seededRandom(seed).next;
    for (let call = 0; call < runs(150); call += 1) {
      const operation = oneOf(rng, writes);
      const names = { ...touched, name: `n${call}`, emails: [`n${call}@example.org`] };
      const { path, ask } = validRequest(operation, rng, names);
      await app.client.send(operation.method, path, ask);
    }
    // Seeds whose writes make little compare these.
    await createOneOfEach(app.client, 'more');
    // The others may be gone by now.
    known = await createOneOfEach(app.client, 'read');
    const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
    events = (await readAllPages(reader)).map((event) => decodeEvent(event, decode));
    await close();
  });
  after(() => app.close());

  /** All there is in the log that has streams of its own. */
  const subjects = (): readonly StateSubject[] =>
    historyResources.flatMap((type) => [...subjectsIn(events, type).values()]);
  const eventsOf = (subject: StateSubject): readonly StoredEvent[] => {
    const streams = stateDefinitions[subject.type as HistoryResourceType].streams(subject);
    return events.filter(({ stream }) => streams.includes(stream));
  };

  it('result from applying their patches in order (H8)', () => {
    let compared = 0;
    for (const subject of subjects()) {
      const own = eventsOf(subject);
      const definition = stateDefinitions[subject.type as HistoryResourceType];
      const wanted = new Set(own.map(({ id }) => id));
      const changes = changesByEvent(definition, subject, own, { wanted, mask });
      let made: Json = null;
      let unmade: Json = null;
      for (const { id } of own) {
        const { before, after } = changes.get(id) ?? { before: null, after: null };
        made = after === null ? null : mergePatched(made, after);
        unmade ??= before;
      }
      const state = definition.open(subject);
      state.fold(own);
      const shown = state.snapshot();
      expect(made, `ASSAY_TEST_SEED=${seed} ${subject.type}`).to.deep.equal(
        shown === null ? null : withoutNulls(mask(shown)),
      );
      compared += 1;
    }
    expect(compared).to.be.greaterThan(30);
  });

  it('return to nothing by applying their patches in reverse', () => {
    for (const subject of subjects()) {
      const own = eventsOf(subject);
      const definition = stateDefinitions[subject.type as HistoryResourceType];
      const wanted = new Set(own.map(({ id }) => id));
      const changes = changesByEvent(definition, subject, own, { wanted, mask });
      const state = definition.open(subject);
      state.fold(own);
      const shown = state.snapshot();
      let made = shown === null ? null : withoutNulls(mask(shown));
      for (const { id } of [...own].reverse()) {
        const { before = null } = changes.get(id) ?? {};
        made = before === null ? null : mergePatched(made, before);
      }
      expect(made, subject.type).to.equal(null);
    }
  });

  it('equal what reads return, in the members that both have', async () => {
    const root = `/v2/projects/${String(known['project_id'])}`;
    const paths: Readonly<Record<string, string>> = {
      project: root,
      group: `/v2/groups/${String(known['group_id'])}`,
      log_stream: `${root}/log_streams/${String(known['log_stream_id'])}`,
      experiment: `${root}/experiments/${String(known['experiment_id'])}`,
      dataset: `/v2/datasets/${String(known['dataset_id'])}`,
      annotation_template: `${root}/annotation/templates/${String(known['template_id'])}`,
      scorer: `/v2/scorers/${String(known['scorer_id'])}`,
      session: `${root}/sessions/${String(known['session_id'])}`,
      trace: `${root}/traces/${String(known['trace_id'])}`,
      user: `/v2/users/${String(known['user_id'])}`,
    };
    let compared = 0;
    for (const [type, path] of Object.entries(paths)) {
      const reply = await app.client.send<{ readonly id: string } & JsonObject>('GET', path);
      if (reply.status !== 200) continue;
      const subject = subjectsIn(events, type as HistoryResourceType).get(reply.body.id);
      if (subject === undefined) throw new Error(`no ${type} in the log`);
      const state = stateDefinitions[type as HistoryResourceType].open(subject);
      state.fold(eventsOf(subject));
      const shown = (state.snapshot() ?? {}) as Readonly<Record<string, StateValue>>;
      for (const name of Object.keys(shown)) {
        if (!Object.hasOwn(reply.body, name) || differs.includes(`${type}.${name}`)) continue;
        compared += 1;
        const answered = JSON.stringify(reply.body[name]);
        expect(plain(shown[name] ?? null), `${type}.${name} of ${path}`).to.deep.equal(
          JSON.parse(answered),
        );
      }
    }
    expect(compared).to.be.greaterThan(60);
  });
});

/** A read gives it another form, or adds to it what other streams say. */
const differs = ['trace.spans', 'experiment.updated_at', 'experiment.scorers', 'experiment.tags'];

/** Reveals hidden values. */
const plain = (shown: StateValue): unknown => {
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return shown;
  const [mark] = Object.getOwnPropertySymbols(shown);
  if (mark !== undefined) return (shown as unknown as { value: Json }).value;
  return Object.fromEntries(Object.entries(shown).map(([name, one]) => [name, plain(one)]));
};

const noun: Readonly<Partial<Record<HistoryResourceType, RegExp>>> = {
  organization: /^organization-(.{36})$/,
  user: /^user-(.{36})$/,
  api_key: /^api-key-(.{36})$/,
  group: /^group-(.{36})$/,
  project: /^project-(.{36})$/,
  dataset: /^dataset-(.{36})$/,
  scorer: /^scorer-(.{36})$/,
  scorer_task: /^scorer-task-(.{36})$/,
  org_job: /^org-job-(.{36})$/,
};
const subjectsIn = (
  events: readonly StoredEvent[],
  type: HistoryResourceType,
): ReadonlyMap<string, StateSubject> => {
  const found = new Map<string, StateSubject>();
  const add = (id: string, projectId: string | null, stream: StreamName): void => {
    if (!found.has(id)) found.set(id, { type, id, projectId, stream });
  };
  for (const { stream, type: happened, data } of events) {
    const values = data as Readonly<Record<string, unknown>>;
    const [, id] = noun[type]?.exec(stream) ?? [];
    const [, project = '', record] = new RegExp(`^${type}-(.{36})-(.{36})$`).exec(stream) ?? [];
    if (id !== undefined) add(id, null, stream);
    else if (record !== undefined) add(record, project, stream);
    else if (type === 'integration' && happened === 'IntegrationConfigured') {
      add(String(values['integration_id']), null, stream);
    } else if (type === 'annotation_template' && happened === 'AnnotationTemplateCreated') {
      add(String(values['template_id']), String(values['project_id']), stream);
    } else if (
      (type === 'log_stream' && happened === 'LogStreamCreated') ||
      (type === 'experiment' && happened === 'ExperimentCreated')
    ) {
      add(String(values['run_id']), String(values['project_id']), stream);
    }
  }
  return found;
};

describe('masks', () => {
  const digest = (text: string) => ({
    sha256: createHash('sha256').update(text).digest('hex'),
    bytes: Buffer.byteLength(text),
  });

  it('show texts by their digest and hide secrets', () => {
    expect(mask(maskedText('grüße'))).to.deep.equal(digest('grüße'));
    expect(mask(maskedText({ role: 'user', content: 'x' }))).to.deep.equal(
      digest('{"role":"user","content":"x"}'),
    );
    expect(mask(maskedText(null))).to.equal(null);
    expect(mask({ hash: maskedSecret('00') })).to.deep.equal({ hash: '[secret]' });
  });

  it('show members over 4 KB by their digest', () => {
    const long = 'é'.repeat(2_049);
    expect(mask({ a: { b: long }, c: long.slice(1) })).to.deep.equal({
      a: { b: digest(long) },
      c: long.slice(1),
    });
    const list = Array.from({ length: 1_000 }, (_, index) => index + 1_000);
    expect(mask({ list })).to.deep.equal({ list: digest(JSON.stringify(list)) });
  });

  it('distinguish a changed text from an unchanged one', () => {
    const state = (text: string, name: string) => ({ text: maskedText(text), name });
    expect(mergePatches(state('a', 'x'), state('a', 'y'), mask)).to.deep.equal({
      before: { name: 'x' },
      after: { name: 'y' },
    });
    expect(mergePatches(state('a', 'x'), state('b', 'x'), mask)).to.deep.equal({
      before: { text: digest('a') },
      after: { text: digest('b') },
    });
    expect(mergePatches(state('a', 'x'), state('a', 'x'), mask)).to.deep.equal({
      before: {},
      after: {},
    });
  });

  it('accept any member name that clients chose', () => {
    const named = JSON.parse('{"metrics":{"__proto__":1,"constructor":2}}') as StateValue;
    const { after } = mergePatches({ metrics: {} }, named as JsonObject, mask);
    expect(JSON.stringify(after)).to.equal('{"metrics":{"__proto__":1,"constructor":2}}');
  });
});
