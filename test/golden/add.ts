import '../../engines/node/minimum-version.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { eventSchemas } from '../../events/all.js';
import { goldenEventsDir, goldenName } from './event-files.js';
import { sampleOf } from './schema-samples.js';

/**
 * `npm run generate`: writes a file for the newest version of each event type that has none yet.
 * What is there stays: it is how that version was stored. Give a new file richer content by hand
 * where the schema says little.
 */
mkdirSync(goldenEventsDir, { recursive: true });
const added = Object.entries(eventSchemas).flatMap(([type, { version, schema }]) => {
  const file = goldenName(type, version);
  const event = { type, schema: version, data: sampleOf(schema) };
  try {
    writeFileSync(new URL(file, goldenEventsDir), `${JSON.stringify(event, null, 2)}\n`, {
      flag: 'wx',
    });
    return [file];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return [];
    throw error;
  }
});

process.stdout.write(added.length > 0 ? `added ${added.join(', ')}\n` : 'nothing to add\n');
