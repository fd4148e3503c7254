import { parentPort } from 'node:worker_threads';
import { overlapOf } from '../../kernel/records/overlaps.js';
import type { Pair } from './overlaps.js';

parentPort?.on('message', ({ name, output, reference }: Pair) =>
  parentPort?.postMessage(overlapOf(name, output, reference)),
);
