import type { Collection, Document, Filter as Match } from 'mongodb';
import type { Position } from '../../kernel/ports.js';

/** What readers see: rows of one generation as of one commit. */
export type Snapshot = {
  readonly rows: Collection;
  /** To be met by every row that is read. */
  readonly visible: Match<Document>;
  readonly position: Position;
  readonly generation: string;
  /** The last stamp that shows. */
  readonly seq: number;
};
