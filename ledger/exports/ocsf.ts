import { nounOfEvent } from '../../events/all.js';
import type { AuditActivity } from '../../events/schemas.js';
import type { ChainEntry } from '../chain/entries.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { ChangedEntry } from './cloud-events.js';

/** OCSF 1.7 class and activity, all in the category Identity & Access. */
type OcsfActivity = {
  readonly class: 3001 | 3002 | 3004 | 3005 | 3006;
  readonly activity: number;
};
const otherActivity = 99;

const activities: Readonly<Record<AuditActivity, OcsfActivity>> = {
  'access assign': { class: 3005, activity: 1 },
  'access revoke': { class: 3005, activity: 2 },
  'account create': { class: 3001, activity: 1 },
  'account delete': { class: 3001, activity: 6 },
  'account enable': { class: 3001, activity: 2 },
  'account other': { class: 3001, activity: otherActivity },
  'account password': { class: 3001, activity: 3 },
  'account password reset': { class: 3001, activity: 4 },
  'entity create': { class: 3004, activity: 1 },
  'entity delete': { class: 3004, activity: 4 },
  'entity disable': { class: 3004, activity: 9 },
  'entity enable': { class: 3004, activity: 8 },
  'entity update': { class: 3004, activity: 3 },
  'group add': { class: 3006, activity: 3 },
  'group create': { class: 3006, activity: 6 },
  'group delete': { class: 3006, activity: 5 },
  'group other': { class: 3006, activity: otherActivity },
  'group remove': { class: 3006, activity: 4 },
  'login off': { class: 3002, activity: 2 },
  'login on': { class: 3002, activity: 1 },
  'login other': { class: 3002, activity: otherActivity },
};

/** Activity of event types that this build does not know. */
const unknownActivity: OcsfActivity = { class: 3004, activity: otherActivity };
const activityOf = (type: string): OcsfActivity => {
  const activity = nounOfEvent(type)?.events[type]?.activity;
  return activity === undefined ? unknownActivity : activities[activity];
};

const category = 3;
const informational = 1;
const userTypes: Readonly<Record<string, number>> = { user: 1, api_key: otherActivity, system: 3 };

/** OCSF 1.7 form of an entry, for audit logs. */
export const ocsfEvent = ({ entry, changes }: ChangedEntry, origin: string): JsonObject => {
  const { class: classUid, activity } = activityOf(entry.type);
  const { actor, resource } = entry;
  return {
    category_uid: category,
    class_uid: classUid,
    activity_id: activity,
    type_uid: classUid * 100 + activity,
    severity_id: informational,
    time: Date.parse(entry.at),
    metadata: {
      version: '1.7.0',
      uid: entry.eventId,
      sequence: entry.seq,
      original_time: entry.at,
      event_code: entry.type,
      log_name: origin,
      ...(entry.correlationId !== null && { correlation_uid: entry.correlationId }),
      product: { name: 'Assay', vendor_name: 'Assay', version: '0.1.0' },
    },
    actor: {
      user: {
        uid: actor.id,
        type_id: userTypes[actor.type] ?? 0,
        type: actor.type,
        ...(changes.email !== null && { email_addr: changes.email }),
      },
    },
    ...targetObjectOf(classUid, entry),
    unmapped: {
      assay: {
        hash: entry.hash,
        prev_hash: entry.prevHash,
        data_digest: entry.dataDigest,
        stream: entry.stream,
        revision: entry.revision,
        role: actor.role,
        resource: { ...resource },
        project_id: entry.projectId,
        before: changes.before,
        after: changes.after,
        erased: changes.erased,
      },
    },
  };
};

/** Target object as the class requires it. */
const targetObjectOf = (
  classUid: OcsfActivity['class'],
  { resource, type }: ChainEntry,
): JsonObject => {
  const named = { uid: resource.id, type: resource.type };
  switch (classUid) {
    case 3001:
    case 3002:
      return { user: named };
    case 3005:
      return { user: { uid: 'unknown' }, privileges: [type], resource: named };
    case 3006:
      return { group: named };
    case 3004:
      return { entity: named };
  }
};
