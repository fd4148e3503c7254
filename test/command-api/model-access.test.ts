import { expect } from 'chai';
import type { Integration } from '../../command-api/facts/integrations.js';
import { modelAccesses } from '../../command-api/facts/model-access.js';
import { endLending, lend, setSettings } from '../../command-api/model-access/model-access.js';
import { modelsOf, uncallableReason } from '../../contract/integration-providers.js';
import { modelSettingsOf } from '../../contract/model-access.js';
import type { ModelAccessEvent } from '../../events/model-access.js';
import type { SealId } from '../../kernel/schema-types.js';
import type { Fingerprint } from '../../kernel/vault.js';
import { modelAccess } from '../../projections/model-access.js';
import {
  integrationId,
  integrationLent,
  organization,
  projectId,
  userId,
} from '../support/access-events.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter, recordedAt } from '../support/test-log.js';

const given = deciderSpec(modelAccesses);
const project = projectId(1);
const limits = { daily_budget: 2, calls_per_minute: 10 };
const integration = (
  number: number,
  provider: Integration['place']['provider'] = 'openai',
  user = userId(1),
): Integration => ({
  place: {
    integration_id: integrationId(number),
    organization_id: organization,
    user_id: user,
    provider,
  },
  settings: {},
  fingerprint: 'print' as Fingerprint,
  sealId: 'seal' as SealId,
  sealVersion: 1,
  selected: true,
  disabled: false,
  createdAt: instantAfter(0),
  updatedAt: instantAfter(0),
});
const lent = (number: number, user = userId(1), more = limits) =>
  integrationLent(integrationId(number), 'openai', user, more);
const ended = (number: number): ModelAccessEvent => ({
  type: 'IntegrationLendingEnded',
  data: { project_id: project, integration_id: integrationId(number) },
});
const lender = { userId: userId(1), role: 'editor' } as const;
const end = (number: number, caller: { userId: typeof lender.userId; role: 'editor' | 'owner' }) =>
  endLending({ project, integration: integrationId(number), caller, ifMatch: null });

describe('deciding on model access', () => {
  it('lends an integration, and lends it again with other limits', () => {
    given()
      .when(lend(project, integration(1), limits, null))
      .then(lent(1));
    const more = { ...limits, daily_budget: 5 };
    given(lent(1))
      .when(lend(project, integration(1), more, null))
      .then(lent(1, userId(1), more));
  });

  it('refuses a second integration of a provider, and one that is never called', () => {
    given(lent(1))
      .when(lend(project, integration(2, 'openai', userId(2)), limits, null))
      .thenRejected('invalid');
    given()
      .when(lend(project, integration(1, 'vegas_gateway'), limits, null))
      .thenRejected('invalid');
    const role = {
      ...integration(1, 'aws_bedrock'),
      settings: { credential_type: 'assumed_role' },
    };
    given()
      .when(lend(project, role, limits, null))
      .thenRejected('invalid');
  });

  it("replaces the lending of the lender's earlier integration of the provider", () =>
    given(lent(1))
      .when(lend(project, integration(2), limits, null))
      .then(ended(1), lent(2)));

  it('ends a lending for its lender and for owners, not for other editors', () => {
    given(lent(1)).when(end(1, lender)).then(ended(1));
    given(lent(1))
      .when(end(1, { userId: userId(2), role: 'owner' }))
      .then(ended(1));
    given(lent(1))
      .when(end(1, { userId: userId(2), role: 'editor' }))
      .thenRejected('forbidden');
    given(lent(1), ended(1)).when(end(1, lender)).thenNothing();
  });

  it('sets what is sent and defaults for the rest, and stays quiet for the same settings', () => {
    const settings = modelSettingsOf({ daily_budget: 0, judge_model: 'openai/m' });
    expect(settings).to.deep.equal({
      default_model: null,
      judge_model: 'openai/m',
      daily_budget: 0,
      daily_calls: 5_000,
      allow_unpriced: false,
      name_clusters: false,
    });
    given()
      .when(setSettings(project, settings, null))
      .then({ type: 'ModelAccessSet', data: { project_id: project, ...settings } });
    given()
      .when(setSettings(project, modelSettingsOf({}), null))
      .thenNothing();
  });

  it('is decided only where the entity tag is the current one', () => {
    for (const decide of [
      lend(project, integration(1), limits, ['0']),
      setSettings(project, modelSettingsOf({ daily_calls: 1 }), ['0']),
      endLending({ project, integration: integrationId(1), caller: lender, ifMatch: ['0'] }),
    ]) {
      given(lent(1)).when(decide).thenRejected('precondition-failed');
    }
  });
});

describe('the read model of model access', () => {
  it('is the folded state, also where events are delivered twice', () => {
    const settings = modelSettingsOf({ daily_budget: 1 });
    const events: readonly ModelAccessEvent[] = [
      lent(1),
      integrationLent(integrationId(2), 'mistral', userId(2)),
      { type: 'ModelAccessSet', data: { project_id: project, ...settings } },
      ended(1),
      lent(3),
    ];
    const stored = events.map((event, at) => recordedAt(at, event));
    const body = [...stored, ...stored].reduce<ReturnType<typeof modelAccess.evolve>>(
      (document, event) => modelAccess.evolve(document, event, project),
      null,
    )?.body;
    expect(body).to.deep.equal(events.reduce(modelAccesses.evolve, modelAccesses.initial));
  });
});

describe('a configuration of a provider', () => {
  it('names its models in order, each once', () => {
    const settings = {
      models: ['a', { name: 'b' }, { model: 'c', id: 'no' }, 5],
      default_model: 'a',
      available_deployments: [{ model: 'd', id: 'e' }],
      deployments: { d: 'e', f: 'g' },
      inference_profiles: { h: 'arn' },
    };
    expect(modelsOf(settings)).to.deep.equal(['a', 'b', 'c', 'd', 'f', 'h']);
    expect(modelsOf({})).to.deep.equal([]);
  });

  it('is called unless its provider or its credential is only stored', () => {
    expect(uncallableReason('openai', {})).to.equal(null);
    expect(uncallableReason('custom', { authentication_type: 'api_key' })).to.equal(null);
    expect(uncallableReason('custom', { authentication_type: 'oauth2' })).to.match(/oauth2/);
    expect(uncallableReason('aws_sagemaker', {})).to.match(/never called/);
  });
});
