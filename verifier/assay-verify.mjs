#!/usr/bin/env node
// Checks a bundle of `assay audit export` with nothing of Assay's but this file: Node's standard
// library, no network. ALGORITHM.md says what it does; the numbers in brackets are its steps.
//
//   node assay-verify.mjs BUNDLE --key KEY [--origin NAME] [--since CHECKPOINT]
//   node assay-verify.mjs PROOF  --key KEY [--origin NAME]
//   node assay-verify.mjs CERTIFICATE.jsonl --key KEY [--origin NAME]
//
// BUNDLE      the folder of the bundle
// PROOF       a file with one answer of GET /v2/history/proof
// CERTIFICATE a file with one answer of GET /v2/history/certificate; its name ends with .jsonl
// KEY         the key that you trust: a file with a `vkey` line (origin+id+key), PEM or a JWK
// --origin    whose history it has to be; without it, of any chain of the installation that a vkey
//             names, and the answer says which
// --since     a checkpoint that you kept, which a bundle of a whole organisation has to continue
//
// Exit 0: intact. 1: broken, and the first place that is. 2: it cannot be checked.
//
// It needs Node 20.12 or later and reads each file once, some 256 KB at a time.
import { createHash, createPublicKey, hash as hashOf, verify } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';

class Broken extends Error {}
const broken = (why) => {
  throw new Broken(why);
};

/** Hashes are lower-case hex throughout; of a text it is that of its UTF-8. */
const sha256 = (text) => hashOf('sha256', text, 'hex');
const sha256OfHex = (hex) => sha256(Buffer.from(hex, 'hex'));
const leaf = (hash) => sha256OfHex(`00${hash}`);
const node = (left, right) => sha256OfHex(`01${left}${right}`);
const isHash = (text) => /^[0-9a-f]{64}$/.test(text);

// --- [1] the checkpoint ---

/** A C2SP tlog-checkpoint: a text of origin, size and root, an empty line, and signature lines. */
export const parseCheckpoint = (note) => {
  const end = note.indexOf('\n\n');
  if (end < 0) broken('checkpoint.txt has no signatures');
  const text = note.slice(0, end + 1);
  const [origin, size, root] = text.split('\n');
  if (!/^(0|[1-9]\d{0,15})$/.test(size ?? '')) broken('the checkpoint has no size');
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .flatMap((line) => {
      const [, name, value] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [{ name, bytes: Buffer.from(value, 'base64') }];
    });
  const hash = Buffer.from(root ?? '', 'base64').toString('hex');
  return { text, origin, size: Number(size), root: hash, signatures };
};

/** The key to trust and, from a vkey, whose it is; its id begins SHA-256 of its SPKI. */
export const readKey = (file) => {
  const text = readFileSync(file, 'utf8').trim();
  const vkey = /^(\S+)\+([0-9a-f]{8})\+(\S+)$/.exec(text);
  if (vkey !== null) {
    const bytes = Buffer.from(vkey[3], 'base64');
    if (bytes[0] !== 2) throw new TypeError(`${file}: not an ECDSA key (type 0x02)`);
    return keyOf(createPublicKey({ key: bytes.subarray(1), format: 'der', type: 'spki' }), vkey[1]);
  }
  const key = text.startsWith('{')
    ? createPublicKey({ key: JSON.parse(text), format: 'jwk' })
    : createPublicKey(text);
  return keyOf(key, null);
};
const keyOf = (key, origin) => ({
  key,
  origin,
  id: hashOf('sha256', key.export({ format: 'der', type: 'spki' }), 'buffer').subarray(0, 4),
});

/** The origin of a checkpoint, which has to be the installation's or that of one of its chains. */
export const originWithin = (note, installation) => {
  const { origin } = parseCheckpoint(note);
  if (origin !== installation && !origin.startsWith(`${installation}/`))
    broken(`the checkpoint is of ${origin}, not of ${installation}`);
  return origin;
};

export const verifiedCheckpoint = (note, { key, id }, origin) => {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint.origin !== origin)
    broken(`the checkpoint is of ${checkpoint.origin}, not of ${origin}`);
  const ours = checkpoint.signatures.filter(({ bytes }) => bytes.subarray(0, 4).equals(id));
  if (ours.length === 0) broken('the checkpoint is not signed with your key');
  const text = Buffer.from(checkpoint.text, 'utf8');
  if (!ours.some(({ bytes }) => verify('sha256', text, key, bytes.subarray(4)))) {
    broken('the signature of the checkpoint is not that of its text');
  }
  return checkpoint;
};

// --- [2] one entry ---

const lineOf = (entry) => `assay-history-1
${entry.prev_hash}
${entry.seq}
${entry.event_id}
${entry.event_type}
${entry.schema_version}
${entry.stream}
${entry.revision}
${entry.at}
${entry.actor.type}
${entry.actor.id}
${entry.actor.role}
${entry.organization_id ?? '-'}
${entry.request_id ?? '-'}
${entry.correlation_id ?? '-'}
${entry.causation_id ?? '-'}
${entry.data_digest}`;

const digestOf = (salt, data) =>
  createHash('sha256')
    .update(salt ?? '', 'hex')
    .update(data)
    .digest('hex');

const checkEntry = (entry, before) => {
  const { seq, data, salt } = entry;
  const refuse = (why) => broken(`entry ${seq}: ${why}`);
  if (salt !== null && !/^([0-9a-f]{2})*$/.test(salt)) refuse('its salt is not hex');
  if (data === null && salt !== null) refuse('a salt without its data');
  if (data !== null && digestOf(salt, data) !== entry.data_digest) {
    refuse('its data are not those of its digest');
  }
  if (sha256(lineOf(entry)) !== entry.hash) refuse('its line is not that of its hash');
  if (!Number.isSafeInteger(seq) || seq <= (before?.seq ?? 0)) refuse('out of order');
  const prev = seq === 1 ? '0'.repeat(64) : seq === before?.seq + 1 ? before.hash : null;
  if (prev !== null && entry.prev_hash !== prev) refuse('it does not follow the one before');
};

// --- [3] the tree ---

/** Roots of perfect subtrees from the left, widths falling. */
const openStack = () => {
  const [widths, hashes] = [[], []];
  let size = 0;
  return {
    size: () => size,
    push: (width, hash) => {
      if (!(width > 0) || size % width !== 0)
        broken(`a node of ${width} entries cannot stand at ${size}`);
      size += width;
      while (widths.at(-1) === width) {
        hash = node(hashes.pop(), hash);
        width += widths.pop();
      }
      if (widths.at(-1) < width) broken(`nodes are out of order at ${size}`);
      widths.push(width);
      hashes.push(hash);
    },
    root: () =>
      hashes.length === 0 ? sha256('') : hashes.reduceRight((right, left) => node(left, right)),
  };
};

// --- [4] erasures ---

/** Content that goes by itself. All other may be gone only when an event that stays says so. */
const goesUnnamed =
  /^(idempotency|sealed-integration|run|(insights|scorer)-settings|scorer-task|experiment-scope)-/;
const mustBeNamed = (stream) => !goesUnnamed.test(stream);
/** Streams of what was recorded: nothing in them is a secret. */
const isRecord = /^(trace|session|datasetrows)-/;
const namedStreams = ({ event_type: type, data }) => {
  if (data === null || !Object.hasOwn(streamsOf, type)) return [];
  try {
    return streamsOf[type](JSON.parse(data));
  } catch {
    // Data of another shape name nothing.
    return [];
  }
};
const streamsOf = {
  StreamsErased: ({ streams }) => [...streams],
  RecordsErased: ({ project_id: project, session_ids: sessions, trace_ids: traces }) => [
    ...sessions.map((id) => `session-${project}-${id}`),
    ...traces.map((id) => `trace-${project}-${id}`),
  ],
  DatasetRowsErased: ({ dataset_id: dataset, contents }) =>
    contents.map(({ content_id: id }) => `datasetrows-${dataset}-${id}`),
};

// --- the files ---

async function* noted(chunks, whole) {
  for await (const chunk of chunks) {
    whole?.update(chunk);
    yield chunk;
  }
}

/** As many lines at a time as came at once; `whole` is given the bytes of the file. */
async function* linesOf(file, whole = null) {
  const bytes = noted(createReadStream(file, { highWaterMark: readAtOnce }), whole);
  // What fails in between is thrown here too.
  const input = file.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => {}) : bytes;
  let pieces = [];
  for await (const chunk of input) {
    const lines = [];
    let from = 0;
    // The byte of a newline is in no other character of UTF-8.
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      pieces.push(chunk.subarray(from, end));
      lines.push(textOf(pieces));
      pieces = [];
      from = end + 1;
    }
    pieces.push(chunk.subarray(from));
    yield lines;
  }
  yield [textOf(pieces)];
}
const readAtOnce = 256 * 1_024;
const newline = 0x0a;
const textOf = (pieces) =>
  (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString('utf8');

/** Gives the lines of a part to `check`; another file than the manifest's is refused as that. */
const checkPart = async (dir, { file, sha256: expected }, check) => {
  const whole = createHash('sha256');
  const demandNamed = (hash) => {
    if (hash.digest('hex') !== expected) broken(`${file} is not the file that manifest.json names`);
  };
  try {
    for await (const lines of linesOf(join(dir, file), whole)) await check(lines);
  } catch (error) {
    const again = createHash('sha256');
    for await (const chunk of createReadStream(join(dir, file))) again.update(chunk);
    demandNamed(again);
    throw error;
  }
  demandNamed(whole);
};

async function* nodesOf(file) {
  if (!existsSync(file)) return;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      if (line === '') continue;
      const one = JSON.parse(line);
      if (!isHash(one.hash)) broken(`the node from ${one.from} has no hash`);
      yield one;
    }
  }
}

// --- the whole ---

/** The tree of a bundle, into which nodes and entries go from the left. */
const openTree = async (dir, isWhole, kept) => {
  const stack = openStack();
  const nodes = nodesOf(join(dir, 'nodes.jsonl'));
  let next = (await nodes.next()).value;
  if (isWhole && next !== undefined) broken(`entries from ${next.from + 1} on are missing`);
  const keptHolds = () => {
    if (kept?.size === stack.size() && stack.root() !== kept.root) {
      broken(`the first ${kept.size} entries are not those of your checkpoint`);
    }
  };
  keptHolds();
  return {
    root: stack.root,
    size: stack.size,
    /** Up to there the bundle has nodes in place of entries. */
    passOver: async (to) => {
      while (stack.size() < to) {
        if (next === undefined || next.from !== stack.size() || next.to > to) {
          broken(`entry ${stack.size() + 1} is missing`);
        }
        stack.push(next.to - next.from, next.hash);
        next = (await nodes.next()).value;
      }
    },
    add: (hash) => {
      stack.push(1, leaf(hash));
      keptHolds();
    },
    end: () => {
      if (next !== undefined) broken('there are nodes for entries beyond the checkpoint');
    },
  };
};

/** Records are shown all or none: what is lost cannot be called withheld. */
const openWithheld = () => {
  const first = { shown: 0, left: 0 };
  return ({ seq, stream, erased, withheld, data }) => {
    if (erased || !isRecord.test(stream)) return;
    if (data === null && withheld !== 'asked') broken(`entry ${seq}: its content is kept back`);
    first[data === null ? 'left' : 'shown'] ||= seq;
    if (first.shown > 0 && first.left > 0)
      broken(`entry ${first.left}: its content is kept back, and that of ${first.shown} is not`);
  };
};

/** Erased entries, each of which needs an erasure fact in the same chain. */
const openErasures = () => {
  const facts = new Set();
  const gone = new Map();
  return {
    note: (entry) => {
      for (const stream of namedStreams(entry)) facts.add(stream);
      if (entry.erased && mustBeNamed(entry.stream) && !gone.has(entry.stream)) {
        gone.set(entry.stream, entry.seq);
      }
    },
    end: () => {
      for (const [stream, seq] of gone) {
        if (!facts.has(stream)) broken(`entry ${seq}: its content is gone, and no event says why`);
      }
    },
  };
};

const counted = (found, entry, isSealed) => {
  found.entries += 1;
  if (entry.erased) found.erased += 1;
  else if (entry.data === null) found.withheld += 1;
  if (entry.salted === false) found.unsalted += 1;
  if (!isSealed) found.unsealed += 1;
};

/** Answers what was checked; throws Broken with the first place that does not hold. */
export const verifyBundle = async (dir, { key, origin, since = null }) => {
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
  if (manifest.format !== 'assay-bundle-1') throw new TypeError(`${dir} is not an assay-bundle-1`);
  const isWhole = manifest.scope === 'organization' || manifest.scope === 'system';
  const note = readFileSync(join(dir, 'checkpoint.txt'), 'utf8');
  const checkpoint = verifiedCheckpoint(note, key, origin);
  const kept = since === null ? null : verifiedCheckpoint(since, key, origin);
  if (kept !== null && !isWhole) {
    throw new TypeError('--since takes the bundle of a whole organisation');
  }
  if (kept !== null && kept.size > checkpoint.size) {
    broken('the bundle is older than your checkpoint');
  }
  const tree = await openTree(dir, isWhole, kept);
  const erasures = openErasures();
  const checkWithheld = openWithheld();
  const found = { entries: 0, erased: 0, withheld: 0, unsalted: 0, unsealed: 0 };
  let before = null;
  const check = async (lines) => {
    for (const line of lines) {
      if (line === '') continue;
      const entry = JSON.parse(line);
      checkEntry(entry, before);
      if (isWhole && entry.seq !== (before?.seq ?? 0) + 1)
        broken(`entry ${(before?.seq ?? 0) + 1} is missing`);
      checkWithheld(entry);
      const isSealed = entry.seq <= checkpoint.size;
      if (isSealed) {
        if (tree.size() < entry.seq - 1) await tree.passOver(entry.seq - 1);
        tree.add(entry.hash);
      }
      erasures.note(entry);
      counted(found, entry, isSealed);
      before = entry;
    }
  };
  for (const part of manifest.parts) await checkPart(dir, part, check);
  await tree.passOver(checkpoint.size);
  tree.end();
  if (found.entries !== manifest.entries) {
    broken(`${found.entries} entries, not ${manifest.entries}`);
  }
  if (isWhole) erasures.end();
  // [5]
  if (tree.root() !== checkpoint.root) {
    broken('the entries do not make the root of the checkpoint');
  }
  return {
    ...found,
    origin,
    scope: manifest.scope,
    size: checkpoint.size,
    root: Buffer.from(checkpoint.root, 'hex').toString('base64'),
  };
};

// --- [6] one entry with its proof ---

/** RFC 9162, 2.1.3.2: the root that an inclusion proof leads to; null when it has no such form. */
const rootFrom = (index, size, hash, hashes) => {
  let [at, last, root] = [index, size - 1, hash];
  for (const beside of hashes) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = node(beside, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else root = node(root, beside);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : null;
};

/** Parses a C2SP tlog-proof; throws Broken for any other text. */
const parseProof = (text) => {
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, Math.max(end, 0)).split('\n');
  const [header, first = '', ...rest] = lines.filter((line) => !line.startsWith('extra '));
  const [, index] = /^index (0|[1-9]\d{0,14})$/.exec(first) ?? [];
  const hashes = rest.map((line) => Buffer.from(line, 'base64').toString('hex'));
  if (header !== 'c2sp.org/tlog-proof@v1' || index === undefined || !hashes.every(isHash))
    broken('the proof is not a C2SP tlog-proof');
  return { index: Number(index), hashes, note: text.slice(end + 2) };
};

/** Answers what was checked of one answer of GET /v2/history/proof; throws Broken. */
export const verifyProof = (answer, { key, origin }) => {
  const { entry, salt, data, proof } = answer;
  if (typeof proof !== 'string' || entry === undefined)
    throw new TypeError('the file is not an answer of GET /v2/history/proof');
  const { index, hashes, note } = parseProof(proof);
  const checkpoint = verifiedCheckpoint(note, key, origin ?? originWithin(note, key.origin));
  checkEntry({ ...entry, salt, data }, null);
  if (index !== entry.seq - 1) broken(`the proof is of entry ${index + 1}, not of ${entry.seq}`);
  if (rootFrom(index, checkpoint.size, leaf(entry.hash), hashes) !== checkpoint.root)
    broken('the proof does not lead from the entry to the root of the checkpoint');
  return { entries: 1, origin: checkpoint.origin, seq: entry.seq, event: entry.event_id };
};

// --- [7] a certificate of an erasure ---

/** SHA-256 of each 10,000 lines with their line feeds. */
const openParts = () => {
  const parts = [];
  let [hash, lines] = [createHash('sha256'), 0];
  const close = () => {
    if (lines > 0) parts.push({ lines, sha256: hash.digest('hex') });
    [hash, lines] = [createHash('sha256'), 0];
  };
  return {
    add: (line) => {
      hash.update(`${line}\n`);
      lines += 1;
      if (lines === 10_000) close();
    },
    end: () => {
      close();
      return parts;
    },
  };
};

/** Entries of a certificate, which agree on one tree; its seal stands in the last line. */
const openCertified = () => {
  const counts = { asked: 0, closed: 0, erased: 0 };
  let [tree, last] = [null, 0];
  return {
    counts,
    tree: () => tree,
    add: ({ role, entry, proof }) => {
      const refuse = (why) => broken(`entry ${entry.seq}: ${why}`);
      if (!Object.hasOwn(counts, role)) refuse('unknown role');
      if (!(entry.seq > last)) refuse('out of order');
      checkEntry({ ...entry, salt: null, data: null }, null);
      if (proof.index !== entry.seq - 1) refuse('the proof is of another entry');
      const hashes = proof.hashes.map((hash) => Buffer.from(hash, 'base64').toString('hex'));
      const root = rootFrom(proof.index, proof.size, leaf(entry.hash), hashes);
      tree ??= { size: proof.size, root };
      if (root === null || tree.size !== proof.size || tree.root !== root)
        refuse('the proof does not lead to the root of the others');
      last = entry.seq;
      counts[role] += 1;
    },
  };
};

const checkStatement = ({ certificate, jws }, { key, id }) => {
  const [head = '', payload = '', signature = ''] = String(jws).split('.');
  const text = (part) => Buffer.from(part, 'base64url').toString('utf8');
  if (JSON.stringify(JSON.parse(text(payload))) !== JSON.stringify(certificate))
    broken('the signed statement is not the certificate');
  const { alg, kid, typ } = JSON.parse(text(head));
  if (alg !== 'ES256' || typ !== 'assay-certificate+jwt') broken('the statement is another JWS');
  if (!String(kid).startsWith(id.toString('hex')))
    broken('the statement is not signed with your key');
  const by = { key, dsaEncoding: 'ieee-p1363' };
  const bytes = Buffer.from(signature, 'base64url');
  if (!verify('sha256', Buffer.from(`${head}.${payload}`), by, bytes))
    broken('the signature of the statement is not that of its text');
};

/** Answers what was checked of one answer of GET /v2/history/certificate; throws Broken. */
export const verifyCertificate = async (file, { key, origin }) => {
  const [entries, parts] = [openCertified(), openParts()];
  let signed = null;
  for await (const lines of linesOf(file)) {
    for (const line of lines) {
      if (line === '') continue;
      const value = JSON.parse(line);
      if (signed !== null) broken('there are lines after the statement');
      if (value.certificate !== undefined) signed = value;
      else {
        parts.add(line);
        entries.add(value);
      }
    }
  }
  if (signed?.certificate.format !== 'assay-certificate-1')
    broken('the last line is not a certificate');
  const { checkpoint: note, organization_id: organization, counts, found } = signed.certificate;
  const checkpoint = verifiedCheckpoint(note, key, origin ?? originWithin(note, key.origin));
  if (!checkpoint.origin.endsWith(`/${organization}`))
    broken(`the seal is of ${checkpoint.origin}`);
  const tree = entries.tree();
  if (tree?.size !== checkpoint.size || tree.root !== checkpoint.root)
    broken('the proofs do not lead to the root of the checkpoint');
  if (entries.counts.closed === 0) broken('no entry closes the erasure');
  if (Object.entries(entries.counts).some(([role, count]) => counts[role] !== count))
    broken('the entries are not as many as the certificate says');
  if (JSON.stringify(parts.end()) !== JSON.stringify(signed.certificate.parts))
    broken('the lines are not those that were signed');
  checkStatement(signed, key);
  const all = Object.values(entries.counts).reduce((sum, count) => sum + count, 0);
  return { entries: all, ...entries.counts, origin: checkpoint.origin, left: found.streams_left };
};

const usage = `Checks a bundle of the history, the proof of one entry, or the certificate of an erasure,
with nothing but this file.

  node assay-verify.mjs BUNDLE --key KEY [--origin NAME] [--since CHECKPOINT]
  node assay-verify.mjs PROOF  --key KEY [--origin NAME]
  node assay-verify.mjs CERTIFICATE.jsonl --key KEY [--origin NAME]

BUNDLE    the folder that \`assay audit export\` made
PROOF     a file with one answer of GET /v2/history/proof
CERTIFICATE  a file with one answer of GET /v2/history/certificate
--key     the key that you trust: a file with a vkey line (origin+id+key), PEM or a JWK
--origin  whose history it has to be
--since   a checkpoint that you kept, which a bundle of a whole organisation has to continue

Exit 0: intact. 1: broken, and the first place that is. 2: it cannot be checked.
`;

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      key: { type: 'string' },
      origin: { type: 'string' },
      since: { type: 'string' },
    },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  const [dir] = positionals;
  if (dir === undefined || values.key === undefined) {
    throw new TypeError(`BUNDLE or PROOF, and --key KEY, are required.\n\n${usage}`);
  }
  const key = readKey(values.key);
  if (values.origin === undefined && key.origin === null) {
    throw new TypeError('this key does not say whose it is: add --origin NAME');
  }
  const found = await (statSync(dir).isDirectory() ? verifiedBundle : verifiedProof)(
    dir,
    key,
    values,
  );
  const lines = Object.entries(found).map(([name, count]) => `  ${name}: ${count}\n`);
  process.stdout.write(
    [`intact: ${found.entries} entries of ${found.origin}\n`, ...lines].join(''),
  );
};

const verifiedBundle = (dir, key, values) => {
  const note = readFileSync(join(dir, 'checkpoint.txt'), 'utf8');
  const origin = values.origin ?? originWithin(note, key.origin);
  const since = values.since === undefined ? null : readFileSync(values.since, 'utf8');
  return verifyBundle(dir, { key, origin, since });
};

const verifiedProof = (file, key, values) => {
  if (values.since !== undefined) throw new TypeError('--since takes a bundle, not a proof');
  const origin = values.origin ?? null;
  if (file.endsWith('.jsonl')) return verifyCertificate(file, { key, origin });
  const answer = JSON.parse(readFileSync(file, 'utf8'));
  return verifyProof(answer, { key, origin });
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main().catch((error) => {
    process.stderr.write(
      `${error instanceof Broken ? 'broken' : 'cannot be checked'}: ${error.message}\n`,
    );
    process.exitCode = error instanceof Broken ? 1 : 2;
  });
}
