import { BSON, type Document } from 'mongodb';
import { pageBytesMax } from '../../kernel/records/query-plans.js';
import { restMax } from './record-encoding.js';

/** Bytes of a document with the parts beside it. */
export const documentBytes = (document: Document): number =>
  BSON.calculateObjectSize(document) + Number(document['parts']) * restMax;

/** Whole groups, until they are as many rows as that or too much to hold at once. */
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
