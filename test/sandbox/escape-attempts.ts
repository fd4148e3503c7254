import { waits } from '../support/sandboxes.js';

/**
 * Ways out of the sandbox, each a Python function body. One that gets out returns the canary that
 * it was to find, or `ESCAPED`; whatever else it returns or raises, it was held. `traps` names what
 * lies outside: test/support/tripwires.ts.
 */
const prelude = `
import json, os, sys, time
from pyodide.code import run_js
from pyodide.ffi import to_js

traps = json.loads(TRAPS)

def builtin(name):
    return f"globalThis.process.getBuiltinModule('{name}')"

def made(code):
    # The constructor of functions, reached through a value: whatever was taken from the globals.
    return to_js([]).constructor.constructor(code)()

def worker(code):
    # A thread with an event loop of its own; its permissions are asked for, not given.
    run_js(f"new ({builtin('node:worker_threads')}.Worker)({json.dumps(code)}, {{ eval: true }})"
           ".on('error', () => null)")
    return "started"
`;

const fs = "builtin('node:fs')";
const q = (text: string): string => JSON.stringify(text);
const read = (path: string): string =>
  `return run_js(f"{${fs}}.readFileSync('${path}', 'latin1')")`;

/** Each ends by itself and leaves its process alive: all of them can share one. */
export const escapes: Readonly<Record<string, string>> = {
  // The environment of the service.
  'environ of os': "return os.environ['ASSAY_TEST_CANARY']",
  'getenv of os': "return os.getenv('ASSAY_TEST_CANARY')",
  'process.env': 'return run_js("globalThis.process.env.ASSAY_TEST_CANARY")',
  'process.env as a whole': 'return run_js("JSON.stringify(globalThis.process.env)")',
  'Deno.env by a constructor': `return made("return Deno.env.get('ASSAY_TEST_CANARY')")`,
  'Deno.env of a worker': `return worker(f"require('node:fs').writeFileSync('{traps['folder']}/a', Deno.env.get('ASSAY_TEST_CANARY'))")`,
  'own environ in /proc': read('/proc/self/environ'),
  'environ of process 1': read('/proc/1/environ'),
  'environ of the service': read("/proc/{traps['service']}/environ"),
  'environ of a sibling': read("/proc/{traps['sibling']}/environ"),
  'environ in /proc by Python': "return open('/proc/self/environ').read()",
  'environ of the parent':
    'return run_js(f"{' + fs + "}.readFileSync('/proc/' + process.ppid + '/environ', 'latin1')\")",
  'the name of the machine':
    "return 'ESCAPED' if run_js(f\"{builtin('node:os')}.hostname()\") == traps['hostname'] else ''",
  // Files of the host.
  'open in Python': "return open(traps['file']).read()",
  'listdir in Python': "return 'ESCAPED' if os.listdir(traps['folder']) else ''",
  readFileSync: read("{traps['file']}"),
  'readFileSync up the path': read("/app/../{traps['file']}"),
  'readFileSync through /proc/self/root': read("/proc/self/root{traps['file']}"),
  'readFileSync of the service root': read("/proc/{traps['service']}/root{traps['file']}"),
  'readFileSync of an account list': `return 'ESCAPED' if 'root:' in run_js(f"{${fs}}.readFileSync('/etc/passwd', 'utf8')") else ''`,
  'readTextFileSync by a constructor': `return made(f"return Deno.readTextFileSync('{traps['file']}')")`,
  'readdirSync of the root': `return 'ESCAPED' if 'etc' in run_js(f"{${fs}}.readdirSync('/').join()").split(',') else ''`,
  statSync: `return 'ESCAPED' if run_js(f"{${fs}}.statSync('{traps['file']}').size") > 0 else ''`,
  'a file through createRequire': `return run_js(f"{builtin('node:module')}.createRequire('/')('{traps['json']}').canary")`,
  'own memory map': `return 'ESCAPED' if '/' in run_js(f"{${fs}}.readFileSync('/proc/self/maps', 'utf8')") else ''`,
  'open descriptors': `return 'ESCAPED' if run_js(f"{${fs}}.readdirSync('/proc/self/fd').length") > 0 else ''`,
  'a mount of the host by mountNodeFS': `
    import pyodide_js
    os.makedirs('/host1')
    pyodide_js.mountNodeFS('/host1', traps['folder'])
    return open('/host1/canary').read()`,
  'a mount of the host by NODEFS': `
    import pyodide_js
    os.makedirs('/host2')
    fs = pyodide_js.FS
    fs.mount(fs.filesystems.NODEFS, run_js(f"({{ root: '{traps['folder']}' }})"), '/host2')
    return open('/host2/canary').read()`,
  'a database on the host': `
    run_js(f"new ({builtin('node:sqlite')}.DatabaseSync)('{traps['folder']}/b.db').exec('CREATE TABLE t (a)')")
    return 'ESCAPED'`,
  writeFileSync: `run_js(f"{${fs}}.writeFileSync('{traps['folder']}/c', 'x')"); return 'ESCAPED'`,
  'writeTextFileSync by a constructor': `made(f"Deno.writeTextFileSync('{traps['folder']}/d', 'x')"); return 'ESCAPED'`,
  'write into the interpreter': `run_js(f"{${fs}}.appendFileSync('{traps['app']}/inside.mjs', ' ')"); return 'ESCAPED'`,
  'write to /tmp': `run_js(f"{${fs}}.writeFileSync('/tmp/assay-escaped', 'x')"); return 'ESCAPED'`,
  'write to /dev/shm': `run_js(f"{${fs}}.writeFileSync('/dev/shm/assay-escaped', 'x')"); return 'ESCAPED'`,
  makeTempFileSync: `made("Deno.makeTempFileSync()"); return 'ESCAPED'`,
  'a symbolic link to the host': `
    run_js(f"{${fs}}.symlinkSync('{traps['file']}', '{traps['app']}/link')")
    return run_js(f"{${fs}}.readFileSync('{traps['app']}/link', 'utf8')")`,
  'a hard link to the host': `
    run_js(f"{${fs}}.linkSync('{traps['file']}', '{traps['app']}/hard')")
    return run_js(f"{${fs}}.readFileSync('{traps['app']}/hard', 'utf8')")`,
  'chmod on the host': `run_js(f"{${fs}}.chmodSync('{traps['folder']}', 0o700)"); return 'ESCAPED'`,
  'a file by fetch in a worker': `return worker(f"fetch('file://{traps['file']}').then((a) => a.text()).then((t) => require('node:fs').writeFileSync('{traps['folder']}/e', t))")`,
  'a file by import in a worker': `return worker(f"import('file://{traps['script']}')")`,
  // The network.
  'a socket of Python': `
    import socket
    socket.create_connection(('127.0.0.1', traps['port']), 1).send(b'x')
    return 'ESCAPED'`,
  urllib: `
    import urllib.request
    return urllib.request.urlopen(f"http://127.0.0.1:{traps['port']}/", timeout=1).read()`,
  'open_url of pyodide': `
    from pyodide.http import open_url
    return open_url(f"http://127.0.0.1:{traps['port']}/").read()`,
  'a package from the network': `
    import pyodide_js
    pyodide_js.loadPackage(f"http://127.0.0.1:{traps['port']}/a.whl")
    return 'started'`,
  'net.connect': `run_js(f"{builtin('node:net')}.connect({traps['port']}, '127.0.0.1').on('error', () => null)"); return 'started'`,
  'net.connect in a worker': `return worker(f"require('node:net').connect({traps['port']}, '127.0.0.1').on('error', () => null)")`,
  'net.connect to IPv6 in a worker': `return worker(f"require('node:net').connect({traps['port']}, '::1').on('error', () => null)")`,
  'http in a worker': `return worker(f"require('node:http').get('http://127.0.0.1:{traps['port']}/').on('error', () => null)")`,
  'http2 in a worker': `return worker(f"require('node:http2').connect('http://127.0.0.1:{traps['port']}/').on('error', () => null)")`,
  'fetch in a worker': `return worker(f"fetch('http://127.0.0.1:{traps['port']}/').catch(() => null)")`,
  'Deno.connect in a worker': `return worker(f"Deno.connect({{ hostname: '127.0.0.1', port: {traps['port']} }}).catch(() => null)")`,
  'WebSocket in a worker': `return worker(f"new WebSocket('ws://127.0.0.1:{traps['port']}/').onerror = () => null")`,
  'EventSource in a worker': `return worker(f"new EventSource('http://127.0.0.1:{traps['port']}/').onerror = () => null")`,
  'import from the network in a worker': `return worker(f"import('http://127.0.0.1:{traps['port']}/a.js').catch(() => null)")`,
  'import of a package in a worker': `return worker(f"import('npm:left-pad').then(() => require('node:fs').writeFileSync('{traps['folder']}/f', 'x'), () => null)")`,
  'a datagram': `run_js(f"{builtin('node:dgram')}.createSocket('udp4').send('x', {traps['datagrams']}, '127.0.0.1', () => null)"); return 'started'`,
  'a datagram in a worker': `return worker(f"require('node:dgram').createSocket('udp4').send('x', {traps['datagrams']}, '127.0.0.1', () => null)")`,
  'a unix socket in a worker': `return worker(f"require('node:net').connect('{traps['socket']}').on('error', () => null)")`,
  'a unix socket by Deno.connect in a worker': `return worker(f"Deno.connect({{ transport: 'unix', path: '{traps['socket']}' }}).catch(() => null)")`,
  'an abstract socket in a worker': `return worker(f"require('node:net').connect('{chr(92)}0{traps['abstract']}').on('error', () => null)")`,
  listening: `made("Deno.listen({ port: 0 })"); return 'ESCAPED'`,
  'a debugger': `run_js(f"{builtin('node:inspector')}.open(0, '127.0.0.1')"); return 'ESCAPED' if run_js(f"{builtin('node:inspector')}.url()") else ''`,
  'interfaces of the machine': `return 'ESCAPED' if run_js(f"Object.keys({builtin('node:os')}.networkInterfaces()).length") > 0 else ''`,
  // Programs and other processes.
  'popen of os': "return 'ESCAPED' if os.popen('id').read() else ''",
  'fork of os': "os.fork(); return 'ESCAPED'",
  subprocess: "import subprocess; return 'ESCAPED' if subprocess.check_output(['id']) else ''",
  execFileSync: `run_js(f"{builtin('node:child_process')}.execFileSync('/bin/true')"); return 'ESCAPED'`,
  'execFileSync of deno itself': `run_js(f"{builtin('node:child_process')}.execFileSync('{traps['app']}/deno', ['--version'])"); return 'ESCAPED'`,
  spawnSync: `return 'ESCAPED' if run_js(f"{builtin('node:child_process')}.spawnSync('/bin/true').status") == 0 else ''`,
  'Deno.Command by a constructor': `made(f"new Deno.Command('{traps['app']}/deno', {{ args: ['--version'] }}).outputSync()"); return 'ESCAPED'`,
  'a program in a worker': `return worker(f"require('node:child_process').execFileSync('/usr/bin/touch', ['{traps['folder']}/g'])")`,
  'kill of a sibling in Python': "os.kill(traps['sibling'], 9); return 'asked'",
  'kill of a sibling': `return run_js(f"process.kill({traps['sibling']}, 'SIGKILL')") and 'asked'`,
  'Deno.kill of a sibling': `made(f"Deno.kill({traps['sibling']}, 'SIGKILL')"); return 'asked'`,
  'priority of the service': `run_js(f"{builtin('node:os')}.setPriority({traps['sibling']}, 19)"); return 'asked'`,
  // Native code and the bridge.
  'libc of ctypes': "import ctypes; ctypes.CDLL('libc.so.6').getpid(); return 'ESCAPED'",
  'Deno.dlopen': `made("Deno.dlopen('libc.so.6', { getpid: { parameters: [], result: 'i32' } })"); return 'ESCAPED'`,
  'process.dlopen': `run_js("process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')"); return 'ESCAPED'`,
  'process.binding': `run_js("process.binding('spawn_sync').spawn({ file: '/bin/true', args: ['true'] })"); return 'ESCAPED'`,
  'permissions asked for': `return 'ESCAPED' if made("return Deno.permissions.requestSync({ name: 'read' }).state") == 'granted' else ''`,
  'internals of the runtime': `return made(f"return Deno[Deno.internal].core.ops.op_fs_read_file_text_sync('{traps['file']}')")`,
  'the file system of the interpreter': `
    import pyodide_js
    return pyodide_js._module.FS.readFile(traps['file'], run_js("({ encoding: 'utf8' })"))`,
};

/** Each may bring its own process down, so each has one. */
export const crashingEscapes: Readonly<Record<string, string>> = {
  'a worker that asks for all permissions': `
    return made(f"new Worker('data:text/javascript,' + encodeURIComponent(\\"Deno.writeTextFileSync('{traps['folder']}/h', 'x')\\"), {{ type: 'module', deno: {{ permissions: 'inherit' }} }}).onerror = (e) => e.preventDefault(); return 'started'")`,
  'JavaScript by ctypes': `
    import ctypes
    run = ctypes.CDLL(None).emscripten_run_script_string
    run.restype = ctypes.c_char_p
    return run(b"globalThis.process.env.ASSAY_TEST_CANARY").decode()`,
  'system of ctypes':
    "import ctypes; return 'ESCAPED' if ctypes.CDLL(None).system(b'true') == 0 else ''",
  'system of os': "return 'ESCAPED' if os.system('true') == 0 else ''",
  'kill of every process': "run_js(\"process.kill(-1, 'SIGKILL')\"); return 'asked'",
  'kill of the parent': "run_js(\"process.kill(process.ppid, 'SIGKILL')\"); return 'asked'",
  'another program in its place': `run_js("process.execve('/bin/true', ['true'], {})"); return 'ESCAPED'`,
  'deno with all rights in its place': `run_js(f"process.execve('{traps['app']}/deno', ['deno', 'eval', 'Deno.writeTextFileSync(\\\\"{traps['folder']}/i\\\\", \\\\"x\\\\")'], {{}})"); return 'asked'`,
  'exec of os': "os.execv('/bin/true', ['true']); return 'ESCAPED'",
};

/** A scorer whose row N is the N-th of these ways; the row after the last gives workers time. */
export const scorerOf = (ways: Readonly<Record<string, string>>, traps: object): string => {
  const bodies = Object.values(ways).map((body, at) => {
    const lines = body.startsWith('\n') ? body : `\n    ${body}`;
    return `def way_${at}():${lines}\n`;
  });
  return `${prelude.replace('TRAPS', q(JSON.stringify(traps)))}
${bodies.join('\n')}
def scorer_fn(*, index, **kwargs) -> str:
    way = globals().get(f"way_{index}")
    if way is None:
        ${waits(1_500)}
        return "waited"
    try:
        return str(way())
    except BaseException as error:
        return f"held: {type(error).__name__}: {error}"[:300]
`;
};
