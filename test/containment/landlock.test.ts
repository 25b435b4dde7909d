import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../src/containment/box-rules.js';
import {
  handledRights,
  landlockSteps,
  right,
  rightsFor,
  rulesetAttribute,
  writable,
} from '../../src/containment/landlock.js';
import { assemble, programAddress } from '../../src/containment/program.js';
import { callsOf } from '../../src/containment/steps.js';

const versions = [1, 2, 3, 4, 5, 6, 7];

describe.each(versions)('version %d of the interface', (abi) => {
  test('handles every right it knows, so that what no rule gives is refused', () => {
    const known = { 1: 13, 2: 14, 3: 15, 4: 15 }[abi] ?? 16;
    expect(handledRights(abi)).toBe(2 ** known - 1);
  });

  test('takes an attribute of its own size, and scopes signals and abstract sockets from 6 on', () => {
    const bytes = rulesetAttribute(abi);
    expect(bytes.length).toBe(abi >= 6 ? 24 : abi >= 4 ? 16 : 8);
    if (abi >= 4) expect(new DataView(bytes.buffer).getBigUint64(8, true)).toBe(0n);
    if (abi >= 6) expect(new DataView(bytes.buffer).getBigUint64(16, true)).toBe(3n);
  });

  test('never gets a right it does not know, nor one of folders for a file', () => {
    expect(rightsFor(0xffff, 'directory', abi) & ~handledRights(abi)).toBe(0);
    const folderOnly = right.readDir | right.removeDir | right.removeFile | right.makeReg | right.makeSym | right.refer;
    expect(rightsFor(0xffff, 'file', abi) & folderOnly).toBe(0);
    expect(rightsFor(right.execute | right.readFile, 'file', abi)).toBe(right.execute | right.readFile);
  });
});

test('a writable folder gives no device, no socket and no execution', () => {
  expect(writable & (right.makeChar | right.makeBlock | right.makeSock | right.execute | right.ioctlDev)).toBe(0);
});

describe('the steps', () => {
  const call = callsOf('x64');
  const kinds: Record<string, 'file' | 'directory'> = { '/work': 'directory', '/bin/tool': 'file' };
  const steps = landlockSteps(
    call,
    7,
    [
      { path: '/work', rights: writable, required: true },
      { path: '/work', rights: right.execute, required: false },
      { path: '/bin/tool', rights: right.execute | right.readFile | right.readDir, required: false },
      { path: '/gone', rights: right.readFile, required: false },
      { path: '/must', rights: right.readFile, required: true },
    ],
    (path) => kinds[path],
  );
  const names = steps.map(({ step }) => step);

  test('open each path once, drop what is not there unless it must be, and end with the restriction', () => {
    expect(names).toEqual([
      'landlock_create_ruleset',
      ...['/work', '/bin/tool', '/must'].flatMap((path) => [`open of ${path}`, `landlock_add_rule for ${path}`]),
      'landlock_restrict_self',
    ]);
  });

  test('stop when a required path cannot be opened, leave the rule out otherwise, and stop when the kernel refuses a rule', () => {
    const failures = new Map(steps.map(({ step, onFailure = 'stop' }) => [step, onFailure]));
    expect(failures.get('open of /work')).toBe('stop');
    expect(failures.get('open of /bin/tool')).toBe('skip-next');
    for (const name of names.filter((each) => each.startsWith('landlock'))) expect(failures.get(name)).toBe('stop');
  });

  test('hold the rights of both rules of a path, and none of folders for a file', () => {
    const bytes = assemble(steps);
    const view = new DataView(bytes.buffer);
    const allowed = (name: string) => {
      const at = 64 * (names.indexOf(name) + 1);
      return view.getBigUint64(Number(view.getBigInt64(at + 32, true)) - programAddress, true);
    };
    expect(allowed('landlock_add_rule for /work')).toBe(BigInt(writable | right.execute));
    expect(allowed('landlock_add_rule for /bin/tool')).toBe(BigInt(right.execute | right.readFile));
  });
});

describe('the rules of a session', () => {
  const folders = { work: '/w', temp: '/r/tmp', home: '/r/home', runtime: '/rt', records: '/r' };
  const asked = { isSealed: false, folders, mapsTemp: true, workdirExec: false, executable: ['/bin/x'], grants: [] };
  const rightsOf = (rest: Partial<typeof asked>, path: string) =>
    rulesOf({ ...asked, ...rest })
      .filter((rule) => rule.path === path)
      .reduce((sum, { rights }) => sum | rights, 0);

  test('give the folders what spec/containment.md 6 says', () => {
    expect(rightsOf({}, '/w')).toBe(writable);
    expect(rightsOf({}, '/tmp')).toBe(writable);
    expect(rightsOf({ mapsTemp: false }, '/r/tmp')).toBe(writable);
    expect(rightsOf({ mapsTemp: false }, '/tmp')).toBe(0);
    expect(rightsOf({}, '/r/home')).toBe(writable);
    expect(rightsOf({}, '/r')).toBe(right.readFile | right.readDir);
    expect(rightsOf({}, '/rt')).toBe(right.readFile | right.readDir);
    expect(rightsOf({}, '/bin/x')).toBe(right.execute | right.readFile);
  });

  test('give execution to work and temp folder under workdir_exec, never to the home', () => {
    expect(rightsOf({ workdirExec: true }, '/w')).toBe(writable | right.execute);
    expect(rightsOf({ workdirExec: true }, '/tmp')).toBe(writable | right.execute);
    expect(rightsOf({ workdirExec: true }, '/r/home') & right.execute).toBe(0);
  });

  test('name three devices in scoped and six in sealed, none of them to be executed or listed', () => {
    const devices = (isSealed: boolean) =>
      rulesOf({ ...asked, isSealed }).filter(({ path }) => path.startsWith('/dev/'));
    expect(devices(false).map(({ path }) => path)).toEqual(['/dev/null', '/dev/zero', '/dev/urandom']);
    expect(devices(true)).toHaveLength(6);
    for (const { rights } of devices(true)) expect(rights & ~(right.readFile | right.writeFile)).toBe(0);
  });

  test('never let a tree of the system be executed or written', () => {
    for (const { path, rights } of rulesOf({ ...asked, isSealed: true })) {
      if (!/^\/(usr|bin|sbin|lib|etc)/.test(path) || path === '/bin/x') continue;
      expect([path, rights & ~(right.readFile | right.readDir)]).toEqual([path, 0]);
    }
  });
});
