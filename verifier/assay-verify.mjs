#!/usr/bin/env node
// Checks a bundle of `assay audit export` with nothing of Assay's but this file: Node's standard
// library, no network. ALGORITHM.md says what it does; the numbers in brackets are its steps.
//
//   node assay-verify.mjs BUNDLE --key KEY [--origin NAME] [--since CHECKPOINT]
//
// BUNDLE      the folder of the bundle
// KEY         the key that you trust: a file with a `vkey` line (origin+id+key), PEM or a JWK
// --origin    whose history it has to be; without it, of any chain of the installation that a vkey
//             names, and the answer says which
// --since     a checkpoint that you kept, which a bundle of a whole organisation has to continue
//
// Exit 0: intact. 1: broken, and the first place that is. 2: it cannot be checked.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { createGunzip } from 'node:zlib';

class Broken extends Error {}
const broken = (why) => {
  throw new Broken(why);
};

const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const node = (left, right) => sha256(Buffer.of(1), left, right);

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
  return { text, origin, size: Number(size), root: Buffer.from(root ?? '', 'base64'), signatures };
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
  id: sha256(key.export({ format: 'der', type: 'spki' })).subarray(0, 4),
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

const lineOf = (entry) =>
  [
    'assay-history-1',
    entry.prev_hash,
    entry.seq,
    entry.event_id,
    entry.event_type,
    entry.schema_version,
    entry.stream,
    entry.revision,
    entry.at,
    entry.actor.type,
    entry.actor.id,
    entry.actor.role,
    entry.organization_id ?? '-',
    entry.request_id ?? '-',
    entry.correlation_id ?? '-',
    entry.causation_id ?? '-',
    entry.data_digest,
  ].join('\n');

const checkEntry = (entry, before) => {
  const at = `entry ${entry.seq}`;
  if (entry.data !== null) {
    const salt = entry.salt === null ? Buffer.alloc(0) : Buffer.from(entry.salt, 'hex');
    const digest = sha256(salt, entry.data).toString('hex');
    if (digest !== entry.data_digest) broken(`${at}: its data are not those of its digest`);
  }
  if (entry.data === null && entry.salt !== null) broken(`${at}: a salt without its data`);
  const hash = sha256(lineOf(entry));
  if (hash.toString('hex') !== entry.hash) broken(`${at}: its line is not that of its hash`);
  if (!Number.isSafeInteger(entry.seq) || entry.seq <= (before?.seq ?? 0))
    broken(`${at}: out of order`);
  const prev =
    entry.seq === 1 ? '0'.repeat(64) : entry.seq === before?.seq + 1 ? before.hash : null;
  if (prev !== null && entry.prev_hash !== prev) broken(`${at}: it does not follow the one before`);
  return hash;
};

// --- [3] the tree ---

/** Roots of perfect subtrees from the left, widths falling. */
const openStack = () => {
  const stack = [];
  let size = 0;
  return {
    size: () => size,
    push: (width, hash) => {
      if (!(width > 0) || size % width !== 0)
        broken(`a node of ${width} entries cannot stand at ${size}`);
      size += width;
      let top = { width, hash };
      while (stack.at(-1)?.width === top.width) {
        top = { width: top.width * 2, hash: node(stack.pop().hash, top.hash) };
      }
      if (stack.length > 0 && stack.at(-1).width < top.width)
        broken(`nodes are out of order at ${size}`);
      stack.push(top);
    },
    root: () => {
      const hashes = stack.map(({ hash }) => hash);
      const last = hashes.pop();
      return last === undefined
        ? sha256()
        : hashes.reduceRight((right, left) => node(left, right), last);
    },
  };
};

// --- [4] erasures ---

/** Streams of content that may be gone only when an event that stays says so. */
const needsFact = (stream) => /^(trace|session|datasetrows)-/.test(stream);
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

// --- the whole ---

/** As many lines at a time as came at once. */
async function* batchesOf(file) {
  if (!existsSync(file)) return;
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 });
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = text.split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop();
    yield lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }
  if (rest !== '') yield [JSON.parse(rest)];
}

async function* linesOf(file) {
  for await (const batch of batchesOf(file)) yield* batch;
}

/** The tree of a bundle, into which nodes and entries go from the left. */
const openTree = async (dir, isWhole, kept) => {
  const stack = openStack();
  const nodes = linesOf(join(dir, 'nodes.jsonl'));
  let next = (await nodes.next()).value;
  if (isWhole && next !== undefined) broken(`entries from ${next.from + 1} on are missing`);
  const keptHolds = () => {
    if (kept?.size === stack.size() && !stack.root().equals(kept.root)) {
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
        stack.push(next.to - next.from, Buffer.from(next.hash, 'hex'));
        next = (await nodes.next()).value;
      }
    },
    add: (hash) => {
      stack.push(1, sha256(Buffer.of(0), hash));
      keptHolds();
    },
    end: () => {
      if (next !== undefined) broken('there are nodes for entries beyond the checkpoint');
    },
  };
};

/** What erased entries need and facts give. */
const openErasures = () => {
  const facts = new Set();
  const gone = new Map();
  return {
    note: (entry) => {
      for (const stream of namedStreams(entry)) facts.add(stream);
      if (entry.erased && needsFact(entry.stream) && !gone.has(entry.stream)) {
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

async function* entryBatches(dir, parts) {
  for (const { file, sha256: expected } of parts) {
    const whole = createHash('sha256');
    for await (const chunk of createReadStream(join(dir, file))) whole.update(chunk);
    if (whole.digest('hex') !== expected) {
      broken(`${file} is not the file that manifest.json names`);
    }
    yield* batchesOf(join(dir, file));
  }
}

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
  if (manifest.format !== 'assay-bundle-1') throw new TypeError(`${dir} is no assay-bundle-1`);
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
  const found = { entries: 0, erased: 0, withheld: 0, unsalted: 0, unsealed: 0 };
  let before = null;
  for await (const batch of entryBatches(dir, manifest.parts)) {
    for (const entry of batch) {
      const hash = checkEntry(entry, before);
      const isSealed = entry.seq <= checkpoint.size;
      if (isSealed) {
        if (tree.size() < entry.seq - 1) await tree.passOver(entry.seq - 1);
        tree.add(hash);
      }
      erasures.note(entry);
      counted(found, entry, isSealed);
      before = entry;
    }
  }
  await tree.passOver(checkpoint.size);
  tree.end();
  if (found.entries !== manifest.entries) {
    broken(`${found.entries} entries, not ${manifest.entries}`);
  }
  if (isWhole) erasures.end();
  // [5]
  if (!tree.root().equals(checkpoint.root)) {
    broken('the entries do not make the root of the checkpoint');
  }
  return {
    ...found,
    origin,
    scope: manifest.scope,
    size: checkpoint.size,
    root: checkpoint.root.toString('base64'),
  };
};

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: 'string' }, origin: { type: 'string' }, since: { type: 'string' } },
  });
  const [dir] = positionals;
  if (dir === undefined || values.key === undefined) {
    throw new TypeError(
      'usage: assay-verify.mjs BUNDLE --key KEY [--origin NAME] [--since CHECKPOINT]',
    );
  }
  const key = readKey(values.key);
  if (values.origin === undefined && key.origin === null) {
    throw new TypeError('this key does not say whose it is: add --origin NAME');
  }
  const note = readFileSync(join(dir, 'checkpoint.txt'), 'utf8');
  const origin = values.origin ?? originWithin(note, key.origin);
  const since = values.since === undefined ? null : readFileSync(values.since, 'utf8');
  const found = await verifyBundle(dir, { key, origin, since });
  const lines = Object.entries(found).map(([name, count]) => `  ${name}: ${count}\n`);
  process.stdout.write(
    [`intact: ${found.entries} entries of ${found.origin}\n`, ...lines].join(''),
  );
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main().catch((error) => {
    process.stderr.write(
      `${error instanceof Broken ? 'broken' : 'cannot be checked'}: ${error.message}\n`,
    );
    process.exitCode = error instanceof Broken ? 1 : 2;
  });
}
