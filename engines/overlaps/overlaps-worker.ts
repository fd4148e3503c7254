import { parentPort } from 'node:worker_threads';
import { overlapOf, type Pair } from './overlaps.js';

parentPort?.on('message', (pair: Pair) => parentPort?.postMessage(overlapOf(pair)));
