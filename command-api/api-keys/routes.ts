import { createApiKey, keyValueForm, revokeApiKey } from '../../contract/api-keys.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal, VisibleProject } from '../../contract/roles.js';
import { type Complaint, Fault, valueComplaint, valueFault } from '../../kernel/fault.js';
import type { Clock, EventLog } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { openSlidingWindow, type SlidingWindow } from '../../kernel/sliding-window.js';
import { apiKeys, type ApiKey, apiKeyStream, apiKeyValues } from '../facts/api-keys.js';
import { create, revoke } from './keys.js';
import { grantKey } from './grant-rules.js';

type ApiKeyNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly authorizer: Pick<RequestAuthorizer, 'visibleProject'>;
  readonly secrets: {
    readonly mintKey: () => string;
    readonly hashKey: (value: string) => string | null;
    readonly truncate: (value: string) => string;
  };
};

/**
 * Rate limit: refusals per user and hour. Each tells the caller that the value belongs to another
 * key (contract 4.4).
 */
const takenValues = { max: 5, windowMs: 3_600_000 };

export const apiKeyWrites = (given: ApiKeyNeeds): readonly Route[] => {
  const needs: Needs = { ...given, refusals: openSlidingWindow(given.clock, takenValues) };
  return [createKeyRoute(needs), revokeKeyRoute(needs)];
};

type Needs = ApiKeyNeeds & { readonly refusals: SlidingWindow };

const createKeyRoute = ({ log, authorizer, secrets, refusals }: Needs): Route =>
  writeRoute(
    createApiKey,
    async ({ body, principal, cause, mint }) => {
      if (body.expires_at != null && body.expires_at <= cause.at) {
        throw valueFault(['body', 'expires_at'], 'expires_at must be in the future');
      }
      const wanted = {
        projectId: body.project_id ?? null,
        projectRole: body.project_role ?? null,
        expiresAt: body.expires_at ?? null,
        pregenerated: body.api_key != null,
      };
      const granted = grantKey(
        principal,
        wanted,
        await bindingProject(authorizer, principal, wanted.projectId),
      );
      if ('rejected' in granted) throw new Fault(granted.rejected, granted.detail);
      const value = body.api_key ?? secrets.mintKey();
      const valueHash = secrets.hashKey(value);
      if (valueHash === null) throw badKeyForm();
      const id = mint('ApiKeyId');
      const waitMs = body.api_key == null ? 0 : refusals.waitMs(principal.userId);
      if (waitMs > 0) {
        throw new Fault('too-many', 'Too many key values that cannot be used; try again later', {
          retryAfterSeconds: Math.ceil(waitMs / 1_000),
        });
      }
      if (!(await apiKeyValues.claim({ log }, valueHash, id, cause))) {
        refusals.count(principal.userId);
        throw valueFault(['body', 'api_key'], 'this key value cannot be used');
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
      const made = requireKey(state);
      // A retry after a lost answer finds the key with a value that was never shown; empty then.
      const shown = made.valueHash === valueHash ? value : '';
      return { position, body: { ...viewOf(made), api_key: shown } };
    },
    ({ body }) => formComplaints(body.api_key ?? null, secrets.hashKey),
  );

const revokeKeyRoute = ({ log, authorizer }: Needs): Route =>
  writeRoute(revokeApiKey, async ({ params, principal, cause }) => {
    const stream = apiKeyStream(params.api_key_id);
    const { state: key } = await loadStreamState(log, stream, apiKeys);
    if (key === null || key.organizationId !== principal.organizationId) throw keyNotFound();
    // The same answer as for an unknown id, so that callers without the right cannot probe for
    // keys.
    if (!(await mayRevoke(authorizer, principal, key))) throw keyNotFound();
    const { position } = await transact(log, stream, apiKeys, revoke(key.id), cause);
    return { position, body: { message: 'The API key and its children are revoked.' } };
  });

/** The project that the key would be bound to, as the caller sees it; null for an unbound key. */
const bindingProject = async (
  authorizer: ApiKeyNeeds['authorizer'],
  principal: Principal,
  asked: ProjectId | null,
): Promise<VisibleProject | null> => {
  const id = asked ?? principal.key?.projectId ?? null;
  if (id === null) return null;
  const project = await authorizer.visibleProject(principal, id);
  if (project === null) throw new Fault('not-found', 'Project not found');
  return project;
};

const mayRevoke = async (
  authorizer: ApiKeyNeeds['authorizer'],
  principal: Principal,
  key: ApiKey,
): Promise<boolean> => {
  if (key.createdBy === principal.userId || principal.organizationRole === 'admin') return true;
  if (key.projectId === null) return false;
  return (await authorizer.visibleProject(principal, key.projectId))?.role === 'owner';
};

const keyNotFound = (): Fault => new Fault('not-found', 'API key not found');

const requireKey = (key: ApiKey | null): ApiKey => {
  if (key === null) throw keyNotFound();
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

const badKeyForm = (): Fault => valueFault(['body', 'api_key'], formSentence);
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
