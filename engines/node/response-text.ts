/**
 * Response body as UTF-8. Null when it has more than `bytesMax` bytes: the rest is not read, and
 * the connection is released.
 */
export const readResponseText = async (
  response: Response,
  bytesMax: number,
): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
