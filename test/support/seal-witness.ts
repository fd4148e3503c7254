import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cosignedBytes, trustedKey } from '../../engines/node/seal-keys.js';
import { sealWitness, parseWitnessAddress } from '../../engines/node/seal-witnesses.js';
import { sha256 } from '../../engines/node/digest.js';
import {
  keyIdOf,
  noteTypes,
  parseCheckpoint,
  signatureLine,
  vkeyOf,
  type NoteSignature,
  type TreeHead,
} from '../../ledger/chain/checkpoint.js';
import { parseAddCheckpoint } from '../../ledger/chain/proof-text.js';
import { isConsistent } from '../../ledger/chain/merkle-tree.js';

type Cosigner = {
  readonly vkey: string;
  /** Cosignature over a note's text, seen at that second. */
  readonly cosigned: (text: string, seconds: number) => NoteSignature;
};

/** A key of a witness, as C2SP tlog-cosignature has them. */
export const newCosigner = (name: string): Cosigner => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(12);
  return {
    vkey: vkeyOf(sha256, name, noteTypes.cosignature, key),
    cosigned: (text, seconds) => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(seconds));
      const signature = Buffer.concat([time, sign(null, cosignedBytes(text, time), privateKey)]);
      return { name, keyId: keyIdOf(sha256, name, noteTypes.cosignature, key), signature };
    },
  };
};

type Answer = { readonly status: number; readonly text?: string; readonly type?: string };

/** A C2SP tlog-witness that keeps the newest tree of each origin and refuses forks. */
export const openSealWitness = async (name: string) => {
  const cosigner = newCosigner(name);
  const trusted = new Map<string, string>();
  const heads = new Map<string, TreeHead>();
  let isSilent = false;

  const asked = (body: string): Answer => {
    const request = parseAddCheckpoint(body);
    const head = parseCheckpoint(request?.note ?? '');
    if (request === null || head === null) return { status: 400 };
    const key = trusted.get(head.origin);
    if (key === undefined) return { status: 404 };
    if (!trustedKey(key).hasSigned(head)) return { status: 403 };
    if (request.old > head.size) return { status: 400 };
    const last = heads.get(head.origin) ?? { ...head, size: 0, root: sha256() };
    if (request.old !== last.size) {
      return { status: 409, text: `${last.size}\n`, type: 'text/x.tlog.size' };
    }
    if (!isConsistent(sha256, last, head, request.hashes)) {
      return { status: last.size === head.size ? 409 : 422 };
    }
    heads.set(head.origin, head);
    const line = signatureLine(cosigner.cosigned(head.text, Math.floor(Date.now() / 1_000)));
    return { status: 200, text: line };
  };
  const say = (response: ServerResponse, { status, text = '', type = 'text/plain' }: Answer) =>
    response.writeHead(status, { 'Content-Type': type }).end(text);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (isSilent) request.socket.destroy();
      else if (request.url !== '/add-checkpoint') say(response, { status: 404 });
      else say(response, asked(Buffer.concat(chunks).toString('utf8')));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = `${cosigner.vkey}@http://127.0.0.1:${port}`;
  return {
    address,
    trust: (origin: string, vkey: string) => void trusted.set(origin, vkey),
    /** Size of the newest tree of that origin that it signed; 0 if none. */
    seen: (origin: string): number => heads.get(origin)?.size ?? 0,
    silent: (yes: boolean) => {
      isSilent = yes;
    },
    client: () => {
      const known = parseWitnessAddress(address);
      if (known === null) throw new Error(`${address} was not understood`);
      return sealWitness(known);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
