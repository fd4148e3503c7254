import { BSON, type Document } from 'mongodb';
import { pageBytesMax } from '../../kernel/records/questions.js';
import { restMax } from './record-rows.js';

/** Bytes of a document with the parts beside it. */
export const weightOf = (document: Document): number =>
  BSON.calculateObjectSize(document) + Number(document['parts']) * restMax;

/** Whole groups, until they are as many rows as that or too much to hold at once. */
export const firstGroups = async (
  documents: AsyncIterable<Document>,
  rowsMax: number,
): Promise<readonly Document[]> => {
  const taken: Document[] = [];
  let left = pageBytesMax;
  for await (const document of documents) {
    const begins = taken.at(-1)?.['group'] !== document['group'];
    if (begins && (left < 0 || taken.length >= rowsMax)) return taken;
    left -= weightOf(document);
    taken.push(document);
  }
  return taken;
};
