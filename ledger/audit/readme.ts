/** README of a bundle, for readers who do not know Assay. */
export const bundleReadme = `This folder is a part of the history of an Assay service.
You can check it without trusting those who run the service.

  manifest.json          what is in it, and the SHA-256 of each part
  entries-NNNNNN.jsonl   one event a line (.jsonl.gz: compressed), in the order of their numbers
  nodes.jsonl            stands for the events that are not in here, by hashes alone
  checkpoint.txt         the newest seal: who signed that the history had this many events
  seals.jsonl            all seals of this history
  keys.json              the keys that the service says it signs with

To check it you need Node.js and assay-verify.mjs, one file of some 400 lines that you can read:

  node assay-verify.mjs THIS_FOLDER --key KEY --origin ORIGIN

KEY is a file with the key that you trust, and ORIGIN whose history it has to be. Take neither from
this folder: ask for them by another way, once, and keep them. ALGORITHM.md beside the program
says on one page what it does, so that you can write your own.

"erased" in a line: the content was deleted for good; what kind of event it was, who did it and when
stays, and so does a digest that reveals nothing without the content. "withheld": the content is
there and not in this folder, because it is a secret of a user or because the export was made
without content.
`;
