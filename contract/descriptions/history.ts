import type { Descriptions } from './descriptions.js';

/** History and its proofs (contract 5.14). */
export const historyDescriptions: Descriptions = {
  members: {
    seq: 'Number of the entry in the history of its organisation, from 1.',
    position: 'Position in the log, an opaque text that sorts by time.',
    at: 'Time of the event, in UTC to the microsecond.',
    event_id: 'Id of the event.',
    event_type: 'Type of the event, for example `RatingGiven`.',
    schema_version: 'Version of the schema of the event data.',
    stream: 'Stream of the event in the log.',
    revision: 'Place of the event in its stream, from 0.',
    actor: 'User, key or service that acted.',
    resource: 'Object that the event is about.',
    correlation_id: 'Id that requests of one cause share; null: none.',
    causation_id: 'Id of the event that caused this one; null: none.',
    erased: 'True when the content was erased; `before` and `after` are null then.',
    hashes: 'Hashes of the proof (RFC 9162, 2.1.4), in base64.',
    entries: 'Entries of the page; it may have fewer than `limit`.',
    next_cursor: '`cursor` of the next page; null at the end.',
    head: 'Newest entry of the history at the time of reading.',
    state: 'The object as it was at `at`; null: it did not exist.',
    reason: 'Kind of the break: which rule of the chain does not hold.',
    expected: 'Value that the chain demands; null: none.',
    found: 'Value that was found; null: none.',
    checked: 'Number of entries that were checked.',
    from_seq: 'First entry that was checked.',
    to_seq: 'Last entry that was checked.',
    head_hash: 'Hash of the last entry that was checked.',
    next_seq: 'Entry to go on with; null: all were checked.',
    sealed: 'Newest seal that was checked; null: none.',
    broken_at: 'First break of the chain; null: intact.',
    root: 'Root of the Merkle tree, SHA-256 in base64.',
    from: 'Number of entries of the earlier tree.',
    to: 'Number of entries of the later tree.',
    entry: 'Entry that is proven, without its content.',
    proof: 'Proof of inclusion, a C2SP tlog-proof.',
    seals: 'Seals on this page, newest first.',
    keys: 'Keys that seals were ever signed with.',
    kid: 'Id of the key.',
    kty: 'Type of the key: `EC` or `OKP`.',
    crv: 'Curve of the key: `P-256` or `Ed25519`.',
    x: 'X coordinate, or the public key of `OKP`, in base64url.',
    y: 'Y coordinate in base64url; absent for `OKP`.',
    use: 'Use of the key: signatures.',
    alg: 'Algorithm of the signatures.',
  },
  of: [
    {
      components: 'HistoryEntry',
      members: {
        seq: 'In the history of its organisation, from 1 without gaps.',
        before: 'A JSON merge patch (RFC 7396).',
        after: 'A JSON merge patch (RFC 7396).',
        data_digest: 'SHA-256 of the salt and the data as stored.',
        prev_hash: '`hash` of the entry before; 64 zeros for the first.',
        hash: 'Over all of the entry but `position`, `email`, `before` and `after`.',
      },
    },
    {
      components: 'ProvenHistoryEntry',
      members: {
        data_digest: 'SHA-256 in lower-case hex.',
        prev_hash: 'SHA-256 in lower-case hex.',
        hash: 'SHA-256 in lower-case hex.',
      },
    },
    {
      components: 'HistoryConsistency',
      members: {
        from_root: 'SHA-256 in base64, as checkpoints have it.',
        to_root: 'SHA-256 in base64, as checkpoints have it.',
      },
    },
    {
      components: 'HistoryProof',
      members: {
        salt: 'In hex; null too for events without one.',
        data: 'The text as stored; null when erased or secret.',
      },
    },
    {
      components: 'HistorySeal',
      members: {
        size: '`seq` of the last entry that it covers.',
        root: 'SHA-256 in base64, as checkpoints have it.',
        head_hash: 'SHA-256 in lower-case hex.',
        note: 'The checkpoint, with the cosignatures of witnesses.',
        witnesses: 'Names of the witnesses that cosigned it.',
      },
    },
    {
      components: 'SealingKey',
      members: {
        vkey: 'The same as C2SP signed-note writes keys.',
      },
    },
    {
      components: 'HistoryActor ProvenHistoryActor',
      members: {
        type: 'Kind of the actor.',
        id: 'Id of the user or key.',
        role: 'Role that the actor used.',
      },
    },
    {
      components: 'HistoryActor',
      members: { email: 'E-mail address of the actor; null for the service itself.' },
    },
    {
      components: 'HistoryResource',
      members: { type: 'Kind of the object.', id: 'Id of the object.' },
    },
    {
      components: 'HistoryEntry ProvenHistoryEntry',
      members: {
        project_id: 'Project of the object; null: it is in none.',
        request_id: 'Id of the request behind the event; null: none.',
      },
    },
    {
      components: 'ProvenHistoryEntry',
      members: { organization_id: 'Organisation of the entry; null: none.' },
    },
    {
      components: 'HistoryVerdict',
      members: {
        status: 'Whether the chain holds.',
        erased: 'Number of checked entries whose content was erased.',
      },
    },
    {
      components: 'HistorySeal HistorySealed',
      members: { at: 'Time of the seal, in UTC to the microsecond.' },
    },
    {
      components: 'HistorySeal',
      members: { position: 'Position in the log of the last entry that it covers.' },
    },
    {
      components: 'HistorySealed',
      members: { seq: 'Number of the last entry that the seal covers.' },
    },
    {
      components: 'HistoryHead',
      members: { hash: 'Hash of the newest entry, in lower-case hex.' },
    },
  ],
};
