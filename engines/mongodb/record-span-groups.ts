import type { Document } from 'mongodb';
import { groupsMax, groupValueCharactersMax } from '../../kernel/records/query-plans.js';
import { groupExpression, numberedMember, type GroupMember } from './record-cells.js';
import type { Snapshot } from './snapshot.js';

/**
 * Makes a document of a trace per group of its spans' values, as the list `spanGroup` (contract
 * 4.5, rule 6); a trace without such values is in the group of missing ones. Over-long values are
 * cut, longest first, and a trace yields at most one group too many: either leads to a refusal
 * anyway.
 */
export const spanGroupStages = (
  { rows, visible }: Snapshot,
  members: readonly GroupMember[],
): readonly Document[] => {
  const ofSpans = members.filter((one) => one.ofSpans);
  const unwound = ofSpans.flatMap((one, at): Document[] => [
    { $set: { [numberedMember('in', at)]: groupExpression(one) } },
    ...(one.isList ? [{ $unwind: `$${numberedMember('in', at)}` }] : []),
  ]);
  const values = ofSpans.map((_, at) => truncated(`$${numberedMember('in', at)}`));
  const missing = ofSpans.map(() => '');
  const found = {
    from: rows.collectionName,
    localField: 'group',
    foreignField: 'group',
    as: 'spanGroup',
    pipeline: [
      { $match: { $and: [{ population: 'span' }, visible] } },
      ...unwound,
      { $group: { _id: values } },
      { $match: { _id: { $ne: missing } } },
      { $set: { length: { $max: { $map: { input: '$_id', in: lengthOf('$$this') } } } } },
      { $sort: { length: -1 } },
      { $limit: groupsMax + 1 },
      { $project: { _id: 1 } },
    ],
  };
  return [
    { $lookup: found },
    { $set: { spanGroup: { $cond: [{ $eq: ['$spanGroup', []] }, [missing], '$spanGroup._id'] } } },
    { $unwind: '$spanGroup' },
  ];
};

const isText = (value: string): Document => ({ $eq: [{ $type: value }, 'string'] });

/** Length of a text in characters; 0 for other values. */
export const lengthOf = (value: string): Document => ({
  $cond: [isText(value), { $strLenCP: value }, 0],
});

const truncated = (value: string): Document => ({
  $cond: [isText(value), { $substrCP: [value, 0, groupValueCharactersMax + 1] }, value],
});
