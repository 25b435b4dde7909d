/**
 * Landlock rules: what a command may do below which path. Rights are an allow list over the file system as the kernel sees it, so a
 * path reached another way gives no more.
 *
 * Does not stop, because the kernel does not ask Landlock: `stat`, `access`, `readlink` and watching by inotify of what is outside;
 * `chmod`, `chown`, `utime` and `setxattr` of what the user owns, which is why everything else is mounted read-only where mounts can be
 * made (mounts.ts); mapping a readable file as code, which is why writable folders are mounted noexec (spec/containment.md 6, 8);
 * connecting to a unix socket by its path, which is the filter's to refuse (seccomp/filter.ts).
 */
import { memory, type Op, text } from './program.js';
import type { Call } from './steps.js';

/** linux/landlock.h: LANDLOCK_ACCESS_FS_*. */
export const right = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readDir: 1 << 3,
  removeDir: 1 << 4,
  removeFile: 1 << 5,
  makeChar: 1 << 6,
  makeDir: 1 << 7,
  makeReg: 1 << 8,
  makeSock: 1 << 9,
  makeFifo: 1 << 10,
  makeBlock: 1 << 11,
  makeSym: 1 << 12,
  refer: 1 << 13,
  truncate: 1 << 14,
  ioctlDev: 1 << 15,
} as const;

/** Everything a folder of the capsule's own gives: no device, no socket, no right to execute. */
export const writable =
  right.readFile |
  right.writeFile |
  right.readDir |
  right.removeDir |
  right.removeFile |
  right.makeDir |
  right.makeReg |
  right.makeFifo |
  right.makeSym |
  right.refer |
  right.truncate;

/** What the kernel takes for a file; anything else in a rule for one is an error. */
const forFiles = right.execute | right.writeFile | right.readFile | right.truncate | right.ioctlDev;

export interface LandlockRule {
  readonly path: string;
  readonly rights: number;
  /** False: a path that cannot be opened loses its rule, which only makes the command's world smaller. */
  readonly required: boolean;
  /** A descriptor of the path that the process inherits: the rule is for that very folder. Absent: the path is opened. */
  readonly fd?: number;
}

/** LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and _SIGNAL. */
const scopes = 3n;

const AT_FDCWD = -100;
const O_PATH = 0x20_0000;
const O_CLOEXEC = 0x8_0000;
const LANDLOCK_RULE_PATH_BENEATH = 1;

/** All rights a version of the interface knows, handled by every rule set: what no rule gives is refused. */
export function handledRights(abi: number): number {
  if (abi >= 5) return 0xffff;
  if (abi >= 3) return 0x7fff;
  return abi === 2 ? 0x3fff : 0x1fff;
}

/** `struct landlock_ruleset_attr` as a kernel of this version takes it. */
export function rulesetAttribute(abi: number): Uint8Array {
  const bytes = new Uint8Array(abi >= 6 ? 24 : abi >= 4 ? 16 : 8);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(handledRights(abi)), true);
  // Offset 8 is for TCP ports, which a namespace or the filter decides about.
  if (abi >= 6) view.setBigUint64(16, scopes, true);
  return bytes;
}

/** What of `rights` a rule for this path can hold on a kernel of this version. */
export function rightsFor(rights: number, kind: 'file' | 'directory', abi: number): number {
  return rights & handledRights(abi) & (kind === 'file' ? forFiles : ~0);
}

/**
 * The steps that confine the process to `rules`. `kindOf` says what a path is now, `undefined` for one that is not there. Needs
 * no_new_privs to be set.
 */
export function landlockSteps(
  call: Call,
  abi: number,
  rules: readonly LandlockRule[],
  kindOf: (path: string) => 'file' | 'directory' | undefined,
): readonly Op[] {
  const ruleset = memory(4);
  const attribute = memory(rulesetAttribute(abi));
  const steps: Op[] = [
    call('landlock_create_ruleset', [attribute, attribute.bytes.length, 0], { store: { into: ruleset, at: 0 } }),
  ];
  for (const { path, rights, required, fd } of merge(rules)) {
    const kind = fd === undefined ? kindOf(path) : 'directory';
    if (kind === undefined && !required) continue;
    const rule = memory(12);
    new DataView(rule.bytes.buffer).setBigUint64(0, BigInt(rightsFor(rights, kind ?? 'file', abi)), true);
    const add = call('landlock_add_rule', [ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0], {
      step: `landlock_add_rule for ${path}`,
      firstIsStored: true,
    });
    if (fd !== undefined) {
      new DataView(rule.bytes.buffer).setInt32(8, fd, true);
      steps.push(add);
      continue;
    }
    steps.push(
      call('openat', [AT_FDCWD, text(path), O_PATH | O_CLOEXEC, 0], {
        step: `open of ${path}`,
        store: { into: rule, at: 8 },
        onFailure: required ? 'stop' : 'skip-next',
      }),
      add,
    );
  }
  return [...steps, call('landlock_restrict_self', [ruleset, 0], { firstIsStored: true })];
}

/** One rule per path or descriptor, with the rights of all: the kernel would add them up as well, at a descriptor each. */
function merge(rules: readonly LandlockRule[]): readonly LandlockRule[] {
  const merged = new Map<string | number, LandlockRule>();
  for (const rule of rules) {
    if (rule.rights === 0) continue;
    const key = rule.fd ?? rule.path;
    const { rights = 0, required = false } = merged.get(key) ?? {};
    merged.set(key, { ...rule, rights: rights | rule.rights, required: required || rule.required });
  }
  return [...merged.values()];
}
