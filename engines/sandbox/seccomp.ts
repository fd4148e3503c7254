/**
 * System calls that the interpreter does not need and untrusted code could use against the kernel,
 * as a filter program (BPF, see seccomp(2)). They fail with EPERM; the kernel enforces it for every
 * thread. Numbers: the tables of Linux, x86-64 and generic 64 bit.
 */
const denied: Readonly<Record<'x64' | 'arm64', readonly number[]>> = {
  x64: [
    // No connection, not even to a path or to this machine; socketpair stays.
    [41, 42, 43, 49, 50, 288], // socket connect accept bind listen accept4
    [57, 58, 322], // fork vfork execveat
    [101, 310, 311, 312, 434, 438, 440], // ptrace process_vm_* kcmp pidfd_open pidfd_getfd madvise
    [155, 161, 165, 166, 428, 429, 430, 431, 432, 433, 442], // pivot_root chroot mount and its kin
    [272, 308], // unshare setns
    [298, 321, 323], // perf_event_open bpf userfaultfd
    [248, 249, 250], // add_key request_key keyctl
    [425, 426, 427], // io_uring
    [175, 176, 246, 313, 320], // modules kexec
    [159, 164, 227, 305], // the clock
    [303, 304], // name_to_handle_at open_by_handle_at
    // syslog acct swap reboot names io quota
    [103, 163, 167, 168, 169, 170, 171, 172, 173, 179, 212],
    [135, 256, 278, 279], // personality migrate_pages vmsplice move_pages
    [29, 30, 31, 64, 65, 66, 67, 68, 69, 70, 71, 220, 240], // System V memory, semaphores, queues
  ].flat(),
  arm64: [
    [198, 200, 201, 202, 203, 242],
    [281],
    [117, 270, 271, 272, 434, 438, 440],
    [39, 40, 41, 51, 428, 429, 430, 431, 432, 433, 442],
    [97, 268],
    [241, 280, 282],
    [217, 218, 219],
    [425, 426, 427],
    [104, 105, 106, 273, 294],
    [112, 170, 171, 266],
    [264, 265],
    [18, 60, 89, 116, 142, 161, 162, 224, 225],
    [75, 92, 238, 239],
    [180, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197],
  ].flat(),
};
const machines = {
  x64: { audit: 0xc000003e, clone: 56, ioctl: 16 },
  arm64: { audit: 0xc00000b7, clone: 220, ioctl: 29 },
};
/** Equal on both architectures. */
const clone3 = 435;

const allow = 0x7fff0000;
const kill = 0x80000000;
const fail = (errno: number): number => 0x00050000 | errno;
const [eperm, enosys] = [1, 38];
const x32Bit = 0x40000000;
const cloneThread = 0x00010000;
/** CLONE_NEW*: new namespaces. */
const cloneNew = 0x7e020080;
/** ioctls that push characters into the terminal's input. */
const [tiocsti, tioclinux] = [0x5412, 0x541c];

type Step = readonly [code: number, jumpTrue: number, jumpFalse: number, k: number];
const load = (offset: number): Step => [0x20, 0, 0, offset];
const answer = (k: number): Step => [0x06, 0, 0, k];
/** Skips `jumpTrue` or `jumpFalse` steps. */
const isEqual = (k: number, jumpTrue: number, jumpFalse: number): Step => [
  0x15,
  jumpTrue,
  jumpFalse,
  k,
];
const isAtLeast = (k: number, jumpTrue: number, jumpFalse: number): Step => [
  0x35,
  jumpTrue,
  jumpFalse,
  k,
];
const hasBits = (k: number, jumpTrue: number, jumpFalse: number): Step => [
  0x45,
  jumpTrue,
  jumpFalse,
  k,
];
/** Offsets in struct seccomp_data: low halves of the arguments (little-endian). */
const [number, architecture, firstArgument, secondArgument] = [0, 4, 16, 24];

/** The filter in bubblewrap's format; null on an unsupported architecture. */
export const seccompFilter = (arch: string): Uint8Array | null => {
  if (arch !== 'x64' && arch !== 'arm64') return null;
  const machine = machines[arch];
  const program: readonly Step[] = [
    load(architecture),
    isEqual(machine.audit, 1, 0),
    answer(kill),
    load(number),
    isAtLeast(x32Bit, 0, 1),
    answer(kill),
    ...denied[arch].flatMap((call) => [isEqual(call, 0, 1), answer(fail(eperm))]),
    // The C library then falls back to clone, whose flags can be checked.
    isEqual(clone3, 0, 1),
    answer(fail(enosys)),
    isEqual(machine.clone, 0, 5),
    load(firstArgument),
    hasBits(cloneThread, 0, 2),
    hasBits(cloneNew, 1, 0),
    answer(allow),
    answer(fail(eperm)),
    isEqual(machine.ioctl, 0, 4),
    load(secondArgument),
    isEqual(tiocsti, 1, 0),
    isEqual(tioclinux, 0, 1),
    answer(fail(eperm)),
    answer(allow),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, jumpTrue, jumpFalse, k], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(jumpTrue, at * 8 + 2);
    bytes.writeUInt8(jumpFalse, at * 8 + 3);
    bytes.writeUInt32LE(k, at * 8 + 4);
  });
  return bytes;
};
