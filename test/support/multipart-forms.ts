import type { Ask } from './client.js';

export type FormPart = {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Makes the part a file. */
  readonly fileName?: string;
};

const boundary = 'assay-test-7f3a9c';

/** A multipart body as browsers write it. */
export const formBytes = (parts: readonly FormPart[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, content, fileName }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
          `${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n` +
          `${fileName === undefined ? '' : 'Content-Type: application/octet-stream\r\n'}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

export const formType = `multipart/form-data; boundary=${boundary}`;

/** Request that sends these parts. */
export const formRequest = (parts: readonly FormPart[], headers: Ask['headers'] = {}): Ask => ({
  body: formBytes(parts),
  headers: { 'Content-Type': formType, ...headers },
});
