import { generateKeyPairSync, sign } from 'node:crypto';
import { cosigned } from '../../engines/node/seal-keys.js';
import { sha256 } from '../../engines/node/digest.js';
import { keyIdOf, noteTypes, vkeyOf, type NoteSignature } from '../../kernel/history/checkpoint.js';

export type SealWitness = {
  readonly vkey: string;
  /** What it says of a note's text that it saw at that second. */
  readonly cosigned: (text: string, seconds: number) => NoteSignature;
};

/** A witness of ours, as C2SP tlog-cosignature has them. */
export const newWitness = (name: string): SealWitness => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12);
  return {
    vkey: vkeyOf(sha256, name, noteTypes.cosignature, key),
    cosigned: (text, seconds) => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(seconds));
      const signature = Buffer.concat([time, sign(null, cosigned(text, time), privateKey)]);
      return { name, keyId: keyIdOf(sha256, name, noteTypes.cosignature, key), signature };
    },
  };
};
