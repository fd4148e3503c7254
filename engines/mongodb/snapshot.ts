import type { Collection, Document, Filter as Match } from 'mongodb';
import type { Position } from '../../kernel/ports.js';

/** Snapshot for readers: the rows of one generation at one commit. */
export type Snapshot = {
  readonly rows: Collection;
  /** Condition that every row read must meet. */
  readonly visible: Match<Document>;
  readonly position: Position;
  readonly generation: string;
  /** Last visible stamp. */
  readonly seq: number;
};
