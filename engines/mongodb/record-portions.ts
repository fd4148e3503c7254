import { BSON, type Document } from 'mongodb';
import { pageBytesMax } from '../../kernel/records/questions.js';
import { restMax } from './record-rows.js';

/** Bytes of a document with the parts beside it. */
export const weightOf = (document: Document): number =>
  BSON.calculateObjectSize(document) + Number(document['parts']) * restMax;

/** Whole groups, until the next one would make them too much to hold at once. */
export const firstGroups = async (
  documents: AsyncIterable<Document>,
): Promise<readonly Document[]> => {
  const taken: Document[] = [];
  let left = pageBytesMax;
  for await (const document of documents) {
    const begins = taken.at(-1)?.['group'] !== document['group'];
    if (left < 0 && begins) return taken;
    left -= weightOf(document);
    taken.push(document);
  }
  return taken;
};
