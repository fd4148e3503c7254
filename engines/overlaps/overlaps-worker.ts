import { parentPort } from 'node:worker_threads';
import { computeOverlap } from '../../kernel/records/overlap-metrics.js';
import type { OverlapPair } from './overlap-computer.js';

parentPort?.on('message', ({ name, output, reference }: OverlapPair) =>
  parentPort?.postMessage(computeOverlap(name, output, reference)),
);
