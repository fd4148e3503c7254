import { verifyEcdsa } from './engines/signatures.js';
import { serveMethods } from './engines/worker-scope.js';
import { historyChecks } from './history/checks.js';

// The worker that checks proofs and bundles of the history.
serveMethods(historyChecks(verifyEcdsa));
