import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartFailure } from '../../../src/containment/box.js';
import { compilerHelpers } from '../../../src/containment/compilers.js';
import { resolveExecutables } from '../../../src/containment/executables.js';
import { unheldReadOnly } from '../../../src/containment/read-only.js';
import type { TestBox } from './host.js';
import { boxOf, place, type Variant } from './suite.js';

const sealed: Variant = { floor: 'sealed', chain: 'bubblewrap', launcher: 'stub' };
const scoped: Variant = { floor: 'scoped', chain: 'bubblewrap', launcher: 'stub' };

/** A script's exit statuses, one per line of it. */
async function statuses(it: TestBox, lines: readonly string[]): Promise<Record<string, string>> {
  const script = lines.map((line) => `( ${line} ) >/dev/null 2>&1; echo $?`).join('\n');
  const { out } = await it.sh(script);
  const given = out.trim().split('\n');
  return Object.fromEntries(lines.map((line, index) => [line, given[index] === '0' ? 'done' : 'refused']));
}

function prepare(work: string): void {
  for (const folder of ['tests/deep', 'a/b/rules', 'target', 'free'])
    mkdirSync(join(work, folder), { recursive: true });
  for (const file of ['tests/f', 'tests/deep/f', 'a/b/rules/f', 'a/b/beside', 'one.txt', 'target/f', 'free/f']) {
    writeFileSync(join(work, file), 'kept\n');
  }
  symlinkSync('target', join(work, 'linked'));
  symlinkSync('tests', join(work, 'alias'));
  symlinkSync('/var', join(work, 'out'));
  linkSync(join(work, 'tests/f'), join(work, 'second-name'));
}

describe.each([scoped, sealed])('a read-only path in a $floor box', (variant) => {
  let it: TestBox;
  let work: string;
  const rules = ['tests', 'a/b/rules', 'one.txt', 'tests/deep', 'linked', 'gone', 'out'];
  beforeAll(async () => {
    it = await boxOf(variant, { readOnly: rules, prepare });
    work = it.folders.work;
  });
  afterAll(() => it.close());

  test('is read, and written by no program under any name, and nothing above it moves', async () => {
    expect((await it.sh('cat tests/f alias/f a/b/rules/f one.txt linked/f')).out).toBe('kept\n'.repeat(5));
    const refused = [
      'echo x > tests/f',
      'echo x > alias/f',
      'echo x > "$PWD/tests/deep/f"',
      'echo x >> one.txt',
      'echo x > tests/new',
      'echo x > target/f',
      'echo x > a/b/rules/f',
      `python3 -Ic 'open("tests/f","w")'`,
      `python3 -Ic 'import os; os.unlink("tests/f")'`,
      `python3 -Ic 'import os; os.unlink("one.txt")'`,
      `python3 -Ic 'import os; os.rename("free/f", "one.txt")'`,
      `python3 -Ic 'import os; os.rename("tests", "old")'`,
      `python3 -Ic 'import os; os.rename("a", "old")'`,
      `python3 -Ic 'import os; os.rename("a/b", "old")'`,
      `python3 -Ic 'import os; os.rename("free", "a")'`,
      `python3 -Ic 'import os; os.rename("tests/f", "free/g")'`,
      `python3 -Ic 'import os; os.link("tests/f", "free/g")'`,
      `python3 -Ic 'import os; os.symlink("x", "tests/s")'`,
      `python3 -Ic 'import os; os.mkdir("tests/d")'`,
      `python3 -Ic 'import os; os.chmod("tests/f", 0)'`,
      `python3 -Ic 'import os; os.utime("tests/f")'`,
      `python3 -Ic 'import os; os.truncate("tests/f", 0)'`,
      `python3 -Ic 'import os; os.rmdir("tests")'`,
      `python3 -Ic 'import os; f=os.open("tests/f", 0); os.open(f"/proc/self/fd/{f}", 1)'`,
      `python3 -Ic 'import shutil; shutil.rmtree("a")'`,
    ];
    expect(await statuses(it, refused)).toEqual(Object.fromEntries(refused.map((line) => [line, 'refused'])));
    for (const file of ['tests/f', 'tests/deep/f', 'a/b/rules/f', 'one.txt', 'target/f']) {
      expect([file, readFileSync(join(work, file), 'utf8')]).toEqual([file, 'kept\n']);
    }
  });

  test('leaves the rest of the work folder as it was, and nothing of its own', async () => {
    const done = [
      'echo x > free/f',
      'echo x > a/new',
      'echo x > a/b/new',
      'echo x > tests2',
      `python3 -Ic 'import os; os.rename("free/f", "free/g")'`,
      `python3 -Ic 'import os; os.mkdir("a/c"); os.rmdir("a/c")'`,
    ];
    expect(await statuses(it, done)).toEqual(Object.fromEntries(done.map((line) => [line, 'done'])));
    expect(existsSync(join(work, 'gone'))).toBe(false);
    expect(lstatSync(join(work, 'linked')).isSymbolicLink()).toBe(true);
  });

  test('that does not exist is told of: a command can make it and write it', async () => {
    expect(unheldReadOnly(work, ['gone', 'tests'])).toEqual([
      { path: 'gone', because: expect.stringContaining('does not exist') },
    ]);
    expect(unheldReadOnly(join(work, 'nowhere'), ['tests'])).toHaveLength(1);
    const made = ['python3 -Ic \'import os; os.mkdir("gone"); open("gone/f","w").write("mine")\'', 'echo x > gone/f'];
    expect(Object.values(await statuses(it, made))).toEqual(['done', 'done']);
    expect((await it.sh('echo y > gone/f; cat gone/f')).out).toBe('y\n');
    rmSync(join(work, 'gone'), { recursive: true });
  });

  test('that is a link protects what it led to, and the link can be replaced', async () => {
    expect(unheldReadOnly(work, ['linked', 'out', 'linked/f'])).toEqual([
      { path: 'linked', because: expect.stringContaining('(target) is protected') },
      { path: 'out', because: expect.stringContaining('leads nowhere in the work folder') },
      { path: 'linked/f', because: expect.stringContaining('(target/f) is protected') },
    ]);
    const replaced = ['python3 -Ic \'import os; os.unlink("linked"); os.mkdir("linked")\'', 'echo x > linked/new'];
    expect(Object.values(await statuses(it, replaced))).toEqual(['done', 'done']);
    expect(Object.values(await statuses(it, ['echo x > linked/new', 'echo x > target/f']))).toEqual([
      'done',
      'refused',
    ]);
  });

  test('put in the place of another from outside is the one that is protected', async () => {
    renameSync(join(work, 'tests'), join(work, 'was-tests'));
    mkdirSync(join(work, 'tests'));
    expect(Object.values(await statuses(it, ['echo x > tests/f', 'echo x > was-tests/f']))).toEqual([
      'refused',
      'done',
    ]);
    rmSync(join(work, 'tests'), { recursive: true });
    renameSync(join(work, 'was-tests'), join(work, 'tests'));
  });

  test('does not stop the writing of a file by a second name it had before', async () => {
    await it.sh('echo gone > second-name');
    expect(readFileSync(join(work, 'tests/f'), 'utf8')).toBe('gone\n');
  });
});

test('the whole work folder can be read-only, also where its programs may run', async () => {
  const it = await boxOf(scoped, {
    readOnly: ['.'],
    policy: { unixSocketsAllowed: false, workdirExecAllowed: true },
    prepare: (work) => writeFileSync(join(work, 'f'), 'kept\n'),
  });
  expect((await it.sh('cat f; echo x > f; echo y > $TMPDIR/f && cat $TMPDIR/f; mkdir d; ls')).out).toBe('kept\ny\nf\n');
  await it.close();
});

test('where bubblewrap binds no descriptors nothing is mounted read-only by name', async () => {
  const { fullHost, decisionFor, testBox } = await import('./host.js');
  const host = { ...fullHost, bubblewrap: { ...fullHost.bubblewrap!, bindFd: false } };
  const other = await testBox(place, ['bash'], {
    host,
    decision: decisionFor(host, {}),
    readOnly: ['d'],
    prepare: (work) => mkdirSync(join(work, 'd')),
  });
  expect((await other.sh('echo x > d/f')).exitCode).toBe(0);
  await other.close();
});

describe.each([
  scoped,
  sealed,
  { floor: 'scoped', chain: 'unshare', launcher: 'stub' },
  { floor: 'scoped', chain: 'stub', launcher: 'stub' },
] as const)('a lent folder in a $floor box of $chain', (variant) => {
  test('stays the one that was lent when another takes its place between two commands', async () => {
    const root = realpathSync(mkdtempSync(join(place, 'lent-')));
    const [lent, secret] = [join(root, 'lent'), join(root, 'secret')];
    for (const folder of [lent, secret]) mkdirSync(folder);
    writeFileSync(join(lent, 'f'), 'lent\n');
    writeFileSync(join(secret, 'f'), 'secret\n');
    const { dev, ino } = statSync(lent, { bigint: true });
    const grant = { path: lent, access: 'read-write', list: true, required: true, identity: { dev, ino } } as const;
    const it = await boxOf(variant, { readPaths: [grant] });
    const read = () => it.sh(`cat ${lent}/f; echo more >> ${lent}/f`);
    expect((await read()).out).toBe('lent\n');
    expect(readFileSync(join(lent, 'f'), 'utf8')).toBe('lent\nmore\n');

    renameSync(lent, join(root, 'moved'));
    symlinkSync(secret, lent);
    await expect(read()).rejects.toThrow(StartFailure);
    await expect(read()).rejects.toThrow(/another folder was put in its place/);
    rmSync(lent);
    await expect(read()).rejects.toThrow(/another folder was put in its place/);
    mkdirSync(lent);
    await expect(read()).rejects.toThrow(/another folder was put in its place/);
    rmSync(lent, { recursive: true });
    renameSync(join(root, 'moved'), lent);
    expect((await read()).out).toBe('lent\nmore\n');
    await it.close();

    // Between the look at it and the opening of the box.
    renameSync(lent, join(root, 'moved'));
    mkdirSync(lent);
    await expect(boxOf(variant, { readPaths: [grant] })).rejects.toThrow(/another folder was put in its place/);
    rmSync(root, { recursive: true });
    expect(existsSync(secret)).toBe(false);
  });
});

describe.each([scoped, sealed])('a session below /tmp in a $floor box', (variant) => {
  test('has its folders where they are, and /tmp is not one of them', async () => {
    const made = mkdtempSync('/tmp/mur-below-');
    const { decisionFor, testBox } = await import('./host.js');
    const { hostOf, readPaths } = await import('./suite.js');
    const decision = decisionFor(hostOf(variant), variant);
    const it = await testBox(made, ['bash', 'cat', 'ls', 'mkdir', 'ln'], { decision, readPaths });
    const line =
      'echo a > here && echo b > "$TMPDIR/there" && echo c > "$HOME/home" && cat here "$TMPDIR/there" "$HOME/home"; ' +
      'echo x > /tmp/planted; mkdir /tmp/planted; ln -s / "$TMPDIR/work"; ls /tmp';
    for (let round = 0; round < 2; round += 1) {
      const { out, err } = await it.sh(line);
      expect(out).toBe('a\nb\nc\n');
      expect(err).toMatch(/\/tmp\/planted/);
    }
    expect(it.box.tempPath).toBe(it.folders.temp);
    expect(existsSync('/tmp/planted')).toBe(false);
    // No way to a mount was made in a folder that commands write to.
    expect(readdirSync(it.folders.temp).sort()).toEqual(['there', 'work']);
    await it.close();
    rmSync(made, { recursive: true });
  });

  test('a folder lent from below /tmp leaves /tmp as it is, too', async () => {
    const lent = realpathSync(mkdtempSync('/tmp/mur-lent-'));
    writeFileSync(join(lent, 'f'), 'lent\n');
    const it = await boxOf(variant, { readPaths: [{ path: lent, access: 'read', list: true, required: true }] });
    expect((await it.sh(`cat ${lent}/f; echo x > $TMPDIR/t`)).out).toBe('lent\n');
    expect(readdirSync(it.folders.temp)).toEqual(['t']);
    await it.close();
    rmSync(lent, { recursive: true });
  });
});

describe.runIf(existsSync('/usr/bin/gcc'))('a compiler in a sealed box', () => {
  const allow = ['bash', 'gcc', 'as', 'ld', 'cat'];
  const boxWith = async (dirs: readonly string[]) => {
    const executables = await resolveExecutables({
      allow,
      path: '/usr/bin:/bin',
      interpreterRuntime: [{ binary: 'gcc', dirs: dirs.map((path) => ({ path, listDir: true })) }],
      stagedRuntime: [],
    });
    const { uncovered } = await compilerHelpers({ executables, path: '/usr/bin:/bin', writable: [] });
    return { it: await boxOf(sealed, { executables }), uncovered };
  };
  const compile = 'echo "int main(void){return 0;}" > main.c && gcc -o main main.c && echo compiled';

  test('compiles with the folders that W-SEC-012 names, and not without', async () => {
    const bare = await boxWith([]);
    expect(bare.uncovered.map(({ helper }) => helper)).toEqual(expect.arrayContaining(['cc1', 'collect2']));
    expect((await bare.it.sh(compile)).out).toBe('');
    const granted = await boxWith([...new Set(bare.uncovered.map(({ folder }) => folder))]);
    expect(granted.uncovered).toEqual([]);
    expect(await granted.it.sh(compile)).toMatchObject({ out: 'compiled\n', exitCode: 0 });
    await Promise.all([bare.it.close(), granted.it.close()]);
  });

  test('a grant of a folder that holds folders of programs reaches those', async () => {
    const { it, uncovered } = await boxWith(['/usr']);
    expect(uncovered).toEqual([]);
    expect((await it.sh(compile)).out).toBe('compiled\n');
    await it.close();
  });
});
