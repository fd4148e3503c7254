import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { singleFlight } from '../../kernel/concurrency.js';
import { Fault } from '../../kernel/fault.js';
import type { Clock, Ids } from '../../kernel/ports.js';
import type {
  DataKeyId,
  DataKeyStore,
  Fingerprint,
  Vault,
  WrappedDataKey,
} from '../../kernel/vault.js';

type Needs = {
  readonly keys: DataKeyStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'next'>;
  /** 32 bytes; wraps data keys only. */
  readonly masterKey: Uint8Array;
  /** 32 bytes. */
  readonly fingerprintKey: Uint8Array;
};

/** Rotation period: a data key that sealed for a year is replaced. */
const sealsForMs = 365 * 86_400_000;

/** Envelope encryption (port Vault); plaintext keys are in memory only. */
export const openVault = (needs: Needs): Vault => {
  const { keys, clock, fingerprintKey } = needs;
  const plain = openPlainKeys(needs);
  const present = singleFlight(() => keys.all());
  const isFresh = (key: WrappedDataKey): boolean =>
    Date.parse(clock.now()) - Date.parse(key.created_at) < sealsForMs;
  /**
   * Sealing key of the organisation; creates one when `keep` rejects the current one or it has
   * none.
   */
  const sealing = async (
    organizationId: string,
    keep: (key: WrappedDataKey) => boolean,
  ): Promise<WrappedDataKey> => {
    const isSealing = (key: WrappedDataKey): boolean =>
      key.organization_id === organizationId && key.replaced_at === null;
    const known = (await present()).find(isSealing);
    if (known !== undefined && keep(known)) return known;
    const after = await keys.update((all) => {
      const found = all.find(isSealing);
      if (found !== undefined && keep(found)) return all;
      const replaced_at = clock.now();
      return [
        ...all.map((key) => (isSealing(key) ? { ...key, replaced_at } : key)),
        plain.made(organizationId),
      ];
    });
    const key = after.find(isSealing);
    if (key === undefined) throw new TypeError('no data key seals');
    return key;
  };

  return {
    seal: async (place, text) => {
      const key = await sealing(place.organizationId, isFresh);
      const sealed = encrypt(plain.of(key), aadOf(place), Buffer.from(text, 'utf8'));
      return { v: 1, data_key_id: key.id, ...sealed };
    },
    open: async (place, sealed) => {
      const key = (await present()).find(({ id }) => id === sealed.data_key_id);
      if (key === undefined || key.organization_id !== place.organizationId) throw cannotOpen();
      return decrypt(plain.of(key), aadOf(place), sealed).toString('utf8');
    },
    fingerprint: (text) =>
      createHmac('sha256', fingerprintKey).update(text).digest('hex') as Fingerprint,
    rotateDataKey: async (organizationId) => (await sealing(organizationId, () => false)).id,
    destroyUnused: async (organizationId, used, before) => {
      let destroyed = 0;
      await keys.update((all) => {
        const kept = all.filter(
          ({ id, organization_id, replaced_at }) =>
            organization_id !== organizationId ||
            used.has(id) ||
            replaced_at === null ||
            replaced_at >= before,
        );
        destroyed = all.length - kept.length;
        plain.forget(all.filter((one) => !kept.includes(one)));
        return destroyed === 0 ? all : kept;
      });
      return destroyed;
    },
  };
};

/** True if the master key opens a data key. */
export const opensDataKey = (masterKey: Uint8Array, key: WrappedDataKey): boolean => {
  try {
    return decrypt(masterKey, bindingOf(key), key).length === 32;
  } catch {
    return false;
  }
};

/** Cache of unwrapped data keys. */
const openPlainKeys = ({ clock, ids, masterKey }: Needs) => {
  const unwrapped = new Map<DataKeyId, Buffer>();
  return {
    of: (key: WrappedDataKey): Buffer => {
      const known = unwrapped.get(key.id) ?? decrypt(masterKey, bindingOf(key), key);
      unwrapped.set(key.id, known);
      return known;
    },
    /** Creates a new data key, wrapped. */
    made: (organizationId: string): WrappedDataKey => {
      const plain = randomBytes(32);
      const place = { id: ids.next('DataKeyId'), organization_id: organizationId };
      unwrapped.set(place.id, plain);
      return {
        ...place,
        created_at: clock.now(),
        replaced_at: null,
        ...encrypt(masterKey, bindingOf(place), plain),
      };
    },
    forget: (keys: readonly WrappedDataKey[]): void => {
      for (const { id } of keys) unwrapped.delete(id);
    },
  };
};

type EncryptedBytes = { readonly iv: string; readonly ciphertext: string; readonly tag: string };

const aadOf = (place: Parameters<Vault['seal']>[0]): string =>
  [place.organizationId, place.integrationId, place.provider, place.version].join('|');

const bindingOf = ({
  id,
  organization_id,
}: Pick<WrappedDataKey, 'id' | 'organization_id'>): string => `data key|${organization_id}|${id}`;

const encrypt = (key: Uint8Array, aad: string, plain: Uint8Array): EncryptedBytes => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(aad));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return {
    iv: iv.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  };
};

const decrypt = (key: Uint8Array, aad: string, { iv, ciphertext, tag }: EncryptedBytes): Buffer => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
      authTagLength: 16,
    })
      .setAAD(Buffer.from(aad))
      .setAuthTag(Buffer.from(tag, 'base64'));
    return Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64')), decipher.final()]);
  } catch {
    // The reason of a failure would reveal something about the key.
    throw cannotOpen();
  }
};

const cannotOpen = (): Fault => new Fault('unavailable', 'A stored secret cannot be opened');
