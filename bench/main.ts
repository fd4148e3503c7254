import '../engines/node/minimum-version.js';

// Loaded after the check: an older Node cannot link it.
await import('./measure-all.js');
