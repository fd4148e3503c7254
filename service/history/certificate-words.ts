/** What a certificate is worth, in words for whoever reads it. */
export const proven =
  'Proven by the checkpoint and the hashes beside each entry: which events there were, when ' +
  'and by whom each was made, and that the history holds without their content. A digest ' +
  'without its salt, which went with the content, cannot be tested with guesses.';
export const attested =
  'Attested by the signature of the operator and not proven: that the content is gone. When ' +
  'this was issued each stream was read, and what was found is said under `found`; ' +
  'records_left is null where nobody looked. Copies that left the service, backups among ' +
  'them, are not spoken of, nor is what an EventStoreDB keeps on disk until its next scavenge.';
