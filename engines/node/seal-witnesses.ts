import { readResponseText } from './response-text.js';
import { Fault } from '../../kernel/fault.js';
import {
  noteTypes,
  parseSignatureLine,
  parseVkey,
  type NoteSignature,
  type Vkey,
} from '../../ledger/chain/checkpoint.js';
import { parseAddCheckpoint } from '../../ledger/chain/proof-text.js';
import { sha256 } from './digest.js';
import { trustedKey } from './seal-keys.js';

/** Configured witness: `<vkey>@<address>`. */
type WitnessAddress = { readonly vkey: Vkey; readonly url: string };

/** Null for other text: the key must be one for cosignatures, the address http or https. */
export const parseWitnessAddress = (text: string): WitnessAddress | null => {
  const [, key = '', url = ''] = /^(\S+?)@(https?:\/\/\S+)$/.exec(text) ?? [];
  const vkey = parseVkey(sha256, key);
  if (vkey?.type !== noteTypes.cosignature || !URL.canParse(url)) return null;
  return { vkey, url: url.replace(/\/$/, '') };
};

/** Timeout of one witness; only the next witness waits for it. */
const timeoutMs = 10_000;
/** Response limit: a few signature lines. */
const bytesMax = 65_536;

/** Client of a C2SP tlog-witness; verifies its response. */
export const sealWitness = ({ vkey, url }: WitnessAddress) => {
  const { name, keyId } = vkey;
  const key = trustedKey(
    `${name}+${keyId}+${Buffer.from([vkey.type, ...vkey.key]).toString('base64')}`,
  );
  const checked = (body: string, answer: string): NoteSignature => {
    const note = parseAddCheckpoint(body)?.note ?? '';
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    for (const line of answer.split('\n')) {
      const signature = parseSignatureLine(line);
      const isTheirs = signature?.keyId === keyId && signature.name === name;
      if (isTheirs && key.hasSigned({ text, signatures: [signature] })) return signature;
    }
    throw new Fault('conflict', `${name} did not sign the checkpoint`);
  };
  return {
    name,
    cosign: async (body: string): Promise<NoteSignature | { readonly old: number }> => {
      const { status, type, text } = await postText(`${url}/add-checkpoint`, body);
      if (status === 200) return checked(body, text);
      const [, old] = /^(0|[1-9]\d{0,14})\n$/.exec(text) ?? [];
      if (status === 409 && type === 'text/x.tlog.size' && old !== undefined) {
        return { old: Number(old) };
      }
      throw new Fault('conflict', `${name} refuses: ${status}`);
    },
  };
};

const postText = async (url: string, body: string) => {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { 'Content-Type': 'text/plain' };
    const request = { method: 'POST', body, headers, redirect: 'error', signal } as const;
    const response = await fetch(url, request);
    const text = await readResponseText(response, bytesMax);
    if (text === null) throw new Error(`more than ${bytesMax} bytes`);
    return { status: response.status, type: response.headers.get('content-type'), text };
  } catch (error) {
    throw new Fault('unavailable', `${url} gave no answer`, { cause: error });
  }
};
