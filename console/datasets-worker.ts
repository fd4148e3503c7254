import { datasetMethods } from './datasets/diff.js';
import { serveMethods } from './engines/worker-scope.js';

// The worker that compares versions of datasets.
serveMethods(datasetMethods());
