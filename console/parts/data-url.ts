import { printBytes } from './numbers.js';

/** A `data:` URL of a recorded text. */
export type DataUrl = {
  /** `PNG, 1.2 MB`; of another kind its media type: `audio/wav, 50 KB`. */
  readonly label: string;
  readonly bytes: number;
  /**
   * Source of an image that a page may show after a click: PNG, JPEG, GIF or WebP of at most 5 MB
   * whose first bytes are of that kind. Null for anything else.
   */
  readonly image: string | null;
};

const imageBytesMax = 5 * 1_048_576;

type ImageKind = { readonly name: string; readonly begins: readonly RegExp[] };
/** Image types by media type; the beginnings are those of the bytes in hexadecimal. */
const imageKinds: Readonly<Record<string, ImageKind>> = {
  'image/png': { name: 'PNG', begins: [/^89504e470d0a1a0a/] },
  'image/jpeg': { name: 'JPEG', begins: [/^ffd8ff/] },
  'image/gif': { name: 'GIF', begins: [/^474946383[79]61/] },
  'image/webp': { name: 'WebP', begins: [/^52494646.{8}57454250/] },
};

/** `data:` URLs in base64 with a few parameters, anywhere in a text. */
export const dataUrlForm = /data:[\w.+-]+\/[\w.+-]+(?:;[\w.=-]+){0,4};base64,[\w+/]+={0,2}/g;
const otherThanDigits = /[^A-Za-z0-9+/]/;

/** The `data:` URL that the whole text is; null for any other text, and where it is not base64. */
export const readDataUrl = (text: string): DataUrl | null => {
  const { media, body, padding } = partsOf(text);
  if (media === '' || body === '' || body.length % 4 === 1) return null;
  if (otherThanDigits.test(body)) return null;
  const bytes = Math.floor((body.length * 3) / 4);
  const kind = Object.hasOwn(imageKinds, media) ? imageKinds[media] : undefined;
  const begin = hexOf(body.slice(0, 16));
  const isImage = kind?.begins.some((form) => form.test(begin)) === true && bytes <= imageBytesMax;
  return {
    label: `${kind?.name ?? media}, ${printBytes(bytes)}`,
    bytes,
    image: isImage ? `data:${media};base64,${body}${padding}` : null,
  };
};

/**
 * Parts of a `data:` URL in base64, the body unchecked; empty ones for any other text. By offsets:
 * a pattern over megabytes may need more than the stack that engines give it.
 */
const partsOf = (text: string) => {
  const comma = text.indexOf(',');
  const head = text.slice(0, comma + 1);
  if (!head.startsWith('data:') || !head.endsWith(';base64,'))
    return { media: '', body: '', padding: '' };
  const padding = ['==', '='].find((end) => text.endsWith(end)) ?? '';
  const body = text.slice(comma + 1, text.length - padding.length);
  return { media: head.slice('data:'.length, head.indexOf(';')), body, padding };
};

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The whole bytes of a text in base64, in hexadecimal. */
const hexOf = (base64: string): string => {
  const bits = base64.split('').map((digit) => digits.indexOf(digit).toString(2).padStart(6, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return bytes.map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0')).join('');
};
