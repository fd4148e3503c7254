import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { decode } from '../events/codec.js';
import type { Bus, Documents, EventLog, EventReader } from '../kernel/ports.js';
import type { Records } from '../kernel/records.js';
import { openRecords } from './duckdb/records.js';
import { openBus } from './memory/bus.js';
import { openDocuments } from './sqlite/documents.js';
import { openEventLog, openEventReader } from './sqlite/event-log.js';
import { lockFolder } from './sqlite/folder-lock.js';
import { logFile } from './sqlite/log-schema.js';

/**
 * The engines of one data folder. Every thread that needs one opens it through here; nothing else
 * names an engine.
 */
export type Folder = {
  readonly dir: string;
  /** Alone in the folder, or Fault `conflict`. Answers the function that gives it back. */
  lock(): () => void;
  bus(): Bus;
  /** Decoded, for deciding. Once per process. */
  log(bus: Bus): Promise<EventLog>;
  /**
   * As stored: the projector decodes, so that what it cannot read parks a stream and not the page.
   */
  reader(bus: Bus): Promise<EventReader>;
  documents(access: 'read' | 'write'): Promise<Documents>;
  /** One owner per process. */
  records(): Promise<Records>;
};

export const openFolder = async (path: string): Promise<Folder> => {
  const dir = resolve(path);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return {
    dir,
    lock: () => lockFolder(dir),
    bus: () => openBus(`assay ${dir}`),
    log: (bus) => openEventLog({ dir, bus, decode }),
    reader: (bus) => openEventReader({ dir, bus }),
    documents: (access) => openDocuments({ dir, readOnly: access === 'read' }),
    records: () => openRecords({ dir }),
  };
};

/** Whether a service ever wrote to this folder; makes nothing. */
export const hasLog = (dir: string): boolean => existsSync(logFile(dir));

export const secretKeyFile = (dir: string): string => join(dir, 'secret.key');
/** Up to where deletions were acted on; a lost one costs a look through the log. */
export const erasingFile = (dir: string): string => join(dir, 'erasing');
/** Where the running service says on which ports it listens, for the operator's commands. */
export const serviceFile = (dir: string): string => join(dir, 'service.json');
