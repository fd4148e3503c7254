import { BSON, type Document } from 'mongodb';
import { pageBytesMax } from '../../kernel/records/query-plans.js';
import { restMax } from './record-encoding.js';

/** Bytes of a document including its parts. */
export const documentBytes = (document: Document): number =>
  BSON.calculateObjectSize(document) + Number(document['parts']) * restMax;

/** Takes whole groups up to `rowsMax` rows or the byte limit of a page. */
export const takeWholeGroups = async (
  documents: AsyncIterable<Document>,
  rowsMax: number,
): Promise<readonly Document[]> => {
  const taken: Document[] = [];
  let left = pageBytesMax;
  for await (const document of documents) {
    const begins = taken.at(-1)?.['group'] !== document['group'];
    if (begins && (left < 0 || taken.length >= rowsMax)) return taken;
    left -= documentBytes(document);
    taken.push(document);
  }
  return taken;
};
