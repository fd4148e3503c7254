"""The algorithm of verifier/ALGORITHM.md once more, by other hands: a second opinion for the tests.

usage: assay_verify.py BUNDLE PUBLIC_KEY_PEM ORIGIN   (the signature is checked by openssl)
"""
import base64, gzip, hashlib, json, pathlib, subprocess, sys, tempfile

LINE = ('prev_hash', 'seq', 'event_id', 'event_type', 'schema_version', 'stream', 'revision', 'at')
UNNAMED = tuple(n + '-' for n in ('idempotency', 'sealed-integration', 'run', 'insights-settings', 'scorer-settings',
                                 'scorer-task', 'experiment-scope'))
REST = ('organization_id', 'request_id', 'correlation_id', 'causation_id')


def sha(*parts):
    return hashlib.sha256(b''.join(parts)).digest()


def fail(why):
    sys.exit('broken: ' + why)


def lines(file):
    if not file.exists():
        return []
    data = gzip.decompress(file.read_bytes()) if file.suffix == '.gz' else file.read_bytes()
    return [json.loads(line) for line in data.decode().split('\n') if line]


bundle, key, origin = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
manifest = json.loads((bundle / 'manifest.json').read_text())
whole = manifest['scope'] in ('organization', 'system')
text, signatures = (bundle / 'checkpoint.txt').read_text().split('\n\n', 1)
said, size, root = text.split('\n')[:3]
size = int(size)
if said != origin:
    fail('of ' + said)
der = subprocess.run(['openssl', 'pkey', '-pubin', '-in', key, '-outform', 'DER'], capture_output=True, check=True).stdout
ours = [base64.b64decode(line.split(' ')[2]) for line in signatures.split('\n') if line]
ours = [one[4:] for one in ours if one[:4] == sha(der)[:4]]
with tempfile.TemporaryDirectory() as place:
    pathlib.Path(place, 'text').write_bytes((text + '\n').encode())
    pathlib.Path(place, 'sig').write_bytes(ours[0] if ours else b'')
    check = ['openssl', 'dgst', '-sha256', '-verify', key, '-signature', place + '/sig', place + '/text']
    if subprocess.run(check, capture_output=True).returncode != 0:
        fail('the signature')

stack, nodes = [], iter(lines(bundle / 'nodes.jsonl'))


def push(width, h):
    while stack and stack[-1][0] == width:
        h, width = sha(b'\x01', stack.pop()[1], h), width * 2
    stack.append((width, h))


def pass_over(index):
    while sum(w for w, _ in stack) < index:
        n, at = next(nodes, None), sum(w for w, _ in stack)
        if n is None or whole or n['from'] != at or n['to'] > index:
            fail('entry %d is missing' % (at + 1))
        push(n['to'] - n['from'], bytes.fromhex(n['hash']))


before, facts, gone, shown, count = None, set(), {}, set(), 0
for part in manifest['parts']:
    if hashlib.sha256((bundle / part['file']).read_bytes()).hexdigest() != part['sha256']:
        fail(part['file'])
    for e in lines(bundle / part['file']):
        count, actor = count + 1, e['actor']
        if e['data'] is not None and sha(bytes.fromhex(e['salt'] or ''), e['data'].encode()).hex() != e['data_digest']:
            fail('data of %d' % e['seq'])
        if e['data'] is None and e['salt'] is not None:
            fail('salt of %d' % e['seq'])
        line = ['assay-history-1', *(str(e[m]) for m in LINE), actor['type'], actor['id'], actor['role'],
                *('-' if e[m] is None else e[m] for m in REST), e['data_digest']]
        if sha('\n'.join(line).encode()).hex() != e['hash'] or (before and e['seq'] <= before['seq']):
            fail('line of %d' % e['seq'])
        prev = '0' * 64 if e['seq'] == 1 else before['hash'] if before and before['seq'] + 1 == e['seq'] else None
        if prev is not None and prev != e['prev_hash']:
            fail('chain at %d' % e['seq'])
        if e['seq'] <= size:
            pass_over(e['seq'] - 1)
            push(1, sha(b'\x00', bytes.fromhex(e['hash'])))
        data = json.loads(e['data']) if e['data'] else {}
        if e['event_type'] == 'StreamsErased':
            facts.update(data.get('streams', []))
        if e['event_type'] == 'RecordsErased' and 'trace_ids' in data:
            facts.update('%s-%s-%s' % (k, data['project_id'], i) for k in ('session', 'trace') for i in data[k + '_ids'])
        if e['event_type'] == 'DatasetRowsErased':
            facts.update('datasetrows-%s-%s' % (data['dataset_id'], c['content_id']) for c in data['contents'])
        if e['erased'] and not e['stream'].startswith(UNNAMED):
            gone[e['stream']] = e['seq']
        if not e['erased'] and e['stream'].startswith(('trace-', 'session-', 'datasetrows-')):
            shown.add(e['data'] is not None)
            if len(shown) > 1 or (e['data'] is None and e['withheld'] != 'asked'):
                fail('content of %d' % e['seq'])
        if whole and e['seq'] != (before['seq'] if before else 0) + 1:
            fail('entry before %d is missing' % e['seq'])
        before = e
pass_over(size)
if next(nodes, None) is not None or count != manifest['entries']:
    fail('more or fewer than the manifest says')
if whole and set(gone) - facts:
    fail('erased without a fact')
h = stack.pop()[1] if stack else sha()
while stack:
    h = sha(b'\x01', stack.pop()[1], h)
if base64.b64encode(h).decode() != root:
    fail('the root')
print('intact')
