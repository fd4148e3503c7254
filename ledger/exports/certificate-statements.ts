/** Statements in a certificate about what it proves and what it only attests. */
export const provenStatement =
  'Proven by the checkpoint and the hashes beside each entry: which events there were, when ' +
  'and by whom each was made, and that the history holds without their content. A digest ' +
  'without its salt, which went with the content, cannot be tested with guesses.';
export const attestedStatement =
  'Attested by the signature of the operator and not proven: that the content is gone. When ' +
  'this was issued each stream was read, and what was found is said under `found`; ' +
  'records_left is null where they were not counted. `disk` is whether the disk of the log was ' +
  'given back: on EventStoreDB by a scavenge of every node that began after the erasure, at ' +
  'disk_at; what lay in the chunk that was being written then goes with a later one. `backups` ' +
  'is for how many days the operator says to keep backups, and when the last with the content ' +
  'has expired; null where that is not set. Other copies that left the service are not covered.';
