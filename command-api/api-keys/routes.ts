import { createApiKey, keyValueForm, revokeApiKey } from '../../contract/api-keys.js';
import type { Gate } from '../../contract/gate.js';
import { route, type Route } from '../../contract/operation.js';
import type { Principal, ProjectInSight } from '../../contract/roles.js';
import { type Complaint, Fault, valueComplaint, valueError } from '../../kernel/fault.js';
import type { Clock, EventLog } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { load, transact } from '../../kernel/transact.js';
import { apiKeys, type ApiKey, apiKeyStream, apiKeyValues } from '../facts/api-keys.js';
import { create, revoke } from './keys.js';
import { grant } from './rules.js';

type ApiKeyNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'projectInSight'>;
  readonly secrets: {
    readonly mintKey: () => string;
    readonly hashKey: (value: string) => string | null;
    readonly truncate: (value: string) => string;
  };
};

/**
 * A value that cannot be used is somebody's: a caller may be told so this often an hour (contract
 * 4.4).
 */
const takenValuesMax = 5;
const takenValuesWindowMs = 3_600_000;

export const apiKeyWrites = (given: ApiKeyNeeds): readonly Route[] => {
  const needs: Needs = { ...given, refusals: counting(given.clock) };
  return [creating(needs), revoking(needs)];
};

type Needs = ApiKeyNeeds & { readonly refusals: ReturnType<typeof counting> };

const creating = ({ log, gate, secrets, refusals }: Needs): Route =>
  route(
    createApiKey,
    async ({ body, principal, cause, mint }) => {
      if (body.expires_at != null && body.expires_at <= cause.at) {
        throw valueError(['body', 'expires_at'], 'expires_at must be in the future');
      }
      const wanted = {
        projectId: body.project_id ?? null,
        projectRole: body.project_role ?? null,
        expiresAt: body.expires_at ?? null,
        pregenerated: body.api_key != null,
      };
      const granted = grant(principal, wanted, await bindingOf(gate, principal, wanted.projectId));
      if ('rejected' in granted) throw new Fault(granted.rejected, granted.detail);
      const value = body.api_key ?? secrets.mintKey();
      const valueHash = secrets.hashKey(value);
      if (valueHash === null) throw badForm();
      const id = mint('ApiKeyId');
      if (body.api_key != null) refusals.check(principal.userId);
      if (!(await apiKeyValues.claim({ log }, valueHash, id, cause))) {
        refusals.note(principal.userId);
        throw valueError(['body', 'api_key'], 'this key value cannot be used');
      }
      const decide = create({
        api_key_id: id,
        organization_id: principal.organizationId,
        created_by: principal.userId,
        value_hash: valueHash,
        truncated: secrets.truncate(value),
        description: body.description,
        project_id: granted.projectId,
        project_role: granted.projectRole,
        expires_at: granted.expiresAt,
        ancestors: [...granted.ancestors],
        created_at: cause.at,
      });
      const { state, position } = await transact(log, apiKeyStream(id), apiKeys, decide, cause);
      const made = present(state);
      // A repeat of a request whose answer was lost finds the key made with a value that nobody
      // ever saw.
      const shown = made.valueHash === valueHash ? value : '';
      return { position, body: { ...viewOf(made), api_key: shown } };
    },
    ({ body }) => formComplaints(body.api_key ?? null, secrets.hashKey),
  );

const revoking = ({ log, gate }: Needs): Route =>
  route(revokeApiKey, async ({ params, principal, cause }) => {
    const stream = apiKeyStream(params.api_key_id);
    const { state: key } = await load(log, stream, apiKeys);
    if (key === null || key.organizationId !== principal.organizationId) throw missing();
    // As an unknown id is answered: who may not revoke a key does not learn that there is one.
    if (!(await mayRevoke(gate, principal, key))) throw missing();
    const { position } = await transact(log, stream, apiKeys, revoke(key.id), cause);
    return { position, body: { message: 'The API key and its children are revoked.' } };
  });

/** The project that the key would be bound to, as the caller sees it. */
const bindingOf = async (
  gate: ApiKeyNeeds['gate'],
  principal: Principal,
  asked: ProjectId | null,
): Promise<ProjectInSight | null> => {
  const id = asked ?? principal.key?.projectId ?? null;
  if (id === null) return null;
  const project = await gate.projectInSight(principal, id);
  if (project === null) throw new Fault('not-found', 'Project not found');
  return project;
};

const mayRevoke = async (
  gate: ApiKeyNeeds['gate'],
  principal: Principal,
  key: ApiKey,
): Promise<boolean> => {
  if (key.createdBy === principal.userId || principal.organizationRole === 'admin') return true;
  if (key.projectId === null) return false;
  return (await gate.projectInSight(principal, key.projectId))?.role === 'owner';
};

const missing = (): Fault => new Fault('not-found', 'API key not found');

const present = (key: ApiKey | null): ApiKey => {
  if (key === null) throw missing();
  return key;
};

const viewOf = (key: ApiKey) => ({
  id: key.id,
  description: key.description,
  created_at: key.createdAt,
  updated_at: key.createdAt,
  created_by: key.createdBy,
  truncated: key.truncated,
  expires_at: key.expiresAt,
  last_used: null,
  project_id: key.projectId,
  project_role: key.projectRole,
});

const badForm = (): Fault => valueError(['body', 'api_key'], formSentence);
const formSentence =
  'a key value has 32 to 255 characters from ! to ~, ' +
  'and one that begins with asy_ a valid checksum';

const formComplaints = (
  value: string | null,
  hashKey: (value: string) => string | null,
): readonly Complaint[] =>
  value === null || (keyValueForm.test(value) && hashKey(value) !== null)
    ? []
    : [valueComplaint(['body', 'api_key'], formSentence)];

/**
 * Refusals per user within the last hour; kept in memory, since forgetting them at a restart costs
 * nothing.
 */
const counting = (clock: Clock) => {
  const noted = new Map<string, readonly number[]>();
  const recent = (user: string): readonly number[] =>
    (noted.get(user) ?? []).filter((at) => clock.milliseconds() - at < takenValuesWindowMs);
  return {
    check: (user: string): void => {
      if (recent(user).length >= takenValuesMax) {
        throw new Fault('too-many', 'Too many key values that cannot be used; try again later', {
          retryAfterSeconds: takenValuesWindowMs / 1_000,
        });
      }
    },
    note: (user: string): void => {
      noted.set(user, [...recent(user), clock.milliseconds()]);
    },
  };
};
