import { useState } from 'preact/hooks';
import type { ApiKey } from '../../clients/typescript/src/generated/api-keys-types.js';
import type { CurrentUser } from '../../clients/typescript/src/generated/logins-types.js';
import { Instant } from '../client/instants.js';
import { useAction, useQuery } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { ownPermit, personPermit, type Permit } from '../parts/permits.js';

/** Rows of one answer; people with more keys than that use the interface. */
const keysMax = 1_000;

/** Keys of the caller; `projectId`: only those bound to that project. */
export const KeyTable = (props: {
  readonly caller: CurrentUser;
  readonly projectId: string | null;
}) => {
  const { caller } = props;
  const permit = ownPermit(caller, 'self');
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const keys = useQuery({
    key: ['api-keys', caller.id],
    permit: personPermit(caller, 'self'),
    ask: async (operations, signal) =>
      operations.apiKeys.list({ user_id: caller.id, limit: keysMax }, { signal }),
  });
  const rows = (keys.value?.api_keys ?? []).filter(
    ({ project_id }) => props.projectId === null || project_id === props.projectId,
  );
  return (
    <>
      <FaultNotice fault={keys.fault} onRetry={keys.refetch} />
      <BehindNotice isBehind={keys.isBehind} />
      {keys.isLoading && <Skeleton rows={3} />}
      {keys.value !== undefined && rows.length === 0 && <EmptyNotice title="No keys" />}
      {rows.length > 0 && (
        <div class="scroll-x">
          <table class="grid-table">
            <thead>
              <tr>
                <th scope="col">Purpose</th>
                <th scope="col">Key</th>
                <th scope="col">Role</th>
                <th scope="col">Last used</th>
                <th scope="col">Ends</th>
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {rows.map((key) => (
                <KeyRow
                  key={key.id}
                  apiKey={key}
                  permit={permit}
                  onRevoke={() => setRevoked(key)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {revoked !== null && (
        <RevokeDialog apiKey={revoked} permit={permit} onClose={() => setRevoked(null)} />
      )}
    </>
  );
};

const KeyRow = (props: {
  readonly apiKey: ApiKey;
  readonly permit: Permit;
  readonly onRevoke: () => void;
}) => {
  const { description, truncated, project_role, last_used, expires_at } = props.apiKey;
  return (
    <tr>
      <td>{description === '' ? <span class="muted">without a purpose</span> : description}</td>
      <td>
        <code>{truncated}</code>
      </td>
      <td>{project_role ?? 'yours'}</td>
      <td>
        {last_used === null ? (
          <span class="muted">never</span>
        ) : (
          <Instant at={last_used} relative />
        )}
      </td>
      <td>{expires_at === null ? 'never' : <Instant at={expires_at} />}</td>
      <td class="number">
        <Button
          look="plain"
          label={`Revoke ${description} ${truncated}`}
          permit={props.permit}
          onClick={props.onRevoke}
        >
          Revoke
        </Button>
      </td>
    </tr>
  );
};

const RevokeDialog = (props: {
  readonly apiKey: ApiKey;
  readonly permit: Permit<'self'>;
  readonly onClose: () => void;
}) => {
  const revoke = useAction(
    props.permit,
    (operations, id: string, options) => operations.apiKeys.revoke({ api_key_id: id }, options),
    ['api-keys'],
  );
  const confirm = async (): Promise<void> => {
    if (await revoke.run(props.apiKey.id)) props.onClose();
  };
  return (
    <Dialog title="Revoke this key?" onClose={props.onClose}>
      <p>
        Programs that use <code>{props.apiKey.truncated}</code> stop working within a second, and so
        do keys that were made with it. This cannot be undone.
      </p>
      <FaultNotice fault={revoke.fault} />
      <Button look="danger" isDisabled={revoke.isRunning} onClick={() => void confirm()}>
        Revoke
      </Button>
    </Dialog>
  );
};
