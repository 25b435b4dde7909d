import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/home/config.js';
import { Sandbox } from './cli.js';

let box: Sandbox;
beforeEach(() => {
  box = new Sandbox();
});
afterEach(() => box.remove());

const globalFile = () => join(box.home, '.murmur', 'config.yaml');
const projectFile = () => join(box.project, '.murmur', 'config.yaml');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const secret = 'sk-0199-never-shown';

describe('mur config set', () => {
  test('writes the project file, and says which key and where', async () => {
    const ran = await box.run(['config', 'set', 'registry.default', 'internal']);
    expect(ran).toMatchObject({ code: 0, stdout: `Set registry.default in ${projectFile()}\n`, stderr: '' });
    expect(readFileSync(projectFile(), 'utf8')).toBe('registry:\n  default: internal\n');
    expect(modeOf(projectFile())).toBe('644');
    expect(existsSync(globalFile())).toBe(false);
  });

  test('with -g makes a private global file that still names the built-in sources', async () => {
    const ran = await box.run(['config', 'set', '-g', 'credentials.MY_KEY', secret]);
    expect(ran).toMatchObject({ code: 0, stdout: 'Set credentials.MY_KEY in ~/.murmur/config.yaml\n', stderr: '' });
    expect([modeOf(globalFile()), modeOf(join(box.home, '.murmur'))]).toEqual(['600', '700']);
    const config = parseConfig(readFileSync(globalFile(), 'utf8'), 'c');
    expect(config.credentials.get('MY_KEY')?.reveal()).toBe(secret);
    expect(config.registry.sources.map(({ name }) => name)).toEqual(['official']);
  });

  test('keeps comments, order and other keys, narrows the mode, and gives the file a new inode', async () => {
    writeFileSync(globalFile(), '# mine\ncredentials:\n  A: old # rotate\ninspect: false\n', { mode: 0o644 });
    const before = statSync(globalFile()).ino;
    expect((await box.run(['config', 'set', '--global', 'credentials.A', 'new'])).code).toBe(0);
    expect(readFileSync(globalFile(), 'utf8')).toBe('# mine\ncredentials:\n  A: new # rotate\ninspect: false\n');
    expect(statSync(globalFile()).ino).not.toBe(before);
    expect(modeOf(globalFile())).toBe('600');
  });

  test('reads the value from standard input for -', async () => {
    const main = resolve(import.meta.dirname, '../../dist/src/bin/mur.js');
    const args = [main, 'config', 'set', '-g', 'credentials.MY_KEY', '-'];
    const child = spawn(process.execPath, args, {
      cwd: box.project,
      env: { HOME: box.home },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin.end(`${secret}\n`);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(parseConfig(readFileSync(globalFile(), 'utf8'), 'c').credentials.get('MY_KEY')?.reveal()).toBe(secret);
  });

  test.each([
    [
      ['inference.modle', secret],
      "error[E-CFG-002]: unsupported config key 'inference.modle'",
      'did you mean inference.model?',
    ],
    [
      ['containment', 'sealed'],
      "error[E-CFG-002]: unsupported config key 'containment'",
      'keys: registry.default, registry.index_url,',
    ],
    [
      ['credentials.MY_KEY', secret],
      "error[E-CFG-002]: 'credentials.MY_KEY' can only be set in the global config",
      'mur config set -g credentials.MY_KEY <value>',
    ],
    [
      ['-g', 'credentials.my-key', secret],
      "error[E-CFG-002]: 'credentials.my-key' is no name of a credential",
      'mur config set -g credentials.MY_KEY <value>',
    ],
    [['-g', 'credentials', secret], "error[E-CFG-002]: unsupported config key 'credentials'", 'credentials.<NAME>'],
    [
      ['-g', 'credentials.A', `${secret}\nB: x`],
      'error[E-CFG-002]: the value for credentials.A holds a control character or a line break',
      '',
    ],
  ])('%j is refused with a way on, and without the value', async (args, what, next) => {
    const ran = await box.run(['config', 'set', ...args]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain(what);
    expect(ran.stderr).toContain(next);
    expect(ran.stderr).not.toContain(secret);
    expect([existsSync(globalFile()), existsSync(projectFile())]).toEqual([false, false]);
  });

  test('warns of a literal inference.api_key for the project, writes it, and it has no effect', async () => {
    const ran = await box.run(['config', 'set', 'inference.api_key', secret]);
    expect([ran.code, ran.stdout]).toEqual([0, `Set inference.api_key in ${projectFile()}\n`]);
    expect(ran.stderr).toMatch(/^warning: inference\.api_key in .* has no effect; set it with: mur config set -g/);
    expect(ran.stderr).not.toContain(secret);
    expect(readFileSync(projectFile(), 'utf8')).toContain(secret);
    expect((await box.run(['config', 'get', 'inference.api_key'])).code).toBe(1);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a config file holds
    expect((await box.run(['config', 'set', 'inference.api_key', '${MY_KEY}'])).stderr).toBe('');
  });

  test('does not follow a link that a project put in its place', async () => {
    const victim = box.write('victim.yaml', 'inspect: true\n');
    mkdirSync(join(box.project, '.murmur'));
    symlinkSync(victim, projectFile());
    const ran = await box.run(['config', 'set', 'registry.default', 'x']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('is a link, which is not followed when it is changed');
    expect(readFileSync(victim, 'utf8')).toBe('inspect: true\n');
  });

  test('does not follow a link in place of the project folder', async () => {
    mkdirSync(join(box.root, 'elsewhere'));
    symlinkSync(join(box.root, 'elsewhere'), join(box.project, '.murmur'));
    expect((await box.run(['config', 'set', 'registry.default', 'x'])).code).toBe(1);
    expect(existsSync(join(box.root, 'elsewhere', 'config.yaml'))).toBe(false);
  });

  test('leaves a file that is broken already as it is', async () => {
    writeFileSync(globalFile(), `credentials: [${secret}\n`);
    const ran = await box.run(['config', 'set', '-g', 'inference.model', 'm']);
    expect(ran.stderr).toMatch(/^error\[E-IO-003\]: failed to parse .*config\.yaml: line 2, column 1: /);
    expect(ran.stderr).not.toContain(secret);
    expect(readFileSync(globalFile(), 'utf8')).toBe(`credentials: [${secret}\n`);
  });

  test('in the home folder writes the one file there is, privately', async () => {
    const main = resolve(import.meta.dirname, '../../dist/src/bin/mur.js');
    const child = spawn(process.execPath, [main, 'config', 'set', 'inference.model', 'm'], {
      cwd: box.home,
      env: { HOME: box.home },
      stdio: 'ignore',
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(modeOf(globalFile())).toBe('600');
  });

  test('of many processes at once loses none of their keys', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `KEY_${index}`);
    const ran = await Promise.all(names.map((name) => box.run(['config', 'set', '-g', `credentials.${name}`, name])));
    expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
    const { credentials } = parseConfig(readFileSync(globalFile(), 'utf8'), 'c');
    expect([...credentials.keys()].sort()).toEqual(names);
  });
});

describe('mur config unset', () => {
  test('takes a key out of the file it is in, and nothing else', async () => {
    const text = `# mine\ncredentials:\n  A: ${secret} # rotate\n  B: b\ninspect: false # why\n`;
    writeFileSync(globalFile(), text, { mode: 0o600 });
    const ran = await box.run(['config', 'unset', '-g', 'credentials.A']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Removed credentials.A from ~/.murmur/config.yaml\n', stderr: '' });
    expect(readFileSync(globalFile(), 'utf8')).toBe('# mine\ncredentials:\n  B: b\ninspect: false # why\n');
    const last = await box.run(['config', 'unset', '-g', 'credentials.B', '--json']);
    expect(JSON.parse(last.stdout)).toEqual({ key: 'credentials.B', path: globalFile() });
    expect(readFileSync(globalFile(), 'utf8')).toBe('# mine\ninspect: false # why\n');
    expect(modeOf(globalFile())).toBe('600');
  });

  test('of what is not set says so, where it is set, and changes and makes no file', async () => {
    const nowhere = await box.run(['config', 'unset', 'inference.model']);
    expect([nowhere.code, nowhere.stdout, nowhere.stderr]).toEqual([
      1,
      '',
      `error[E-CFG-002]: inference.model is not set in ${projectFile()}\n  hint: mur config list says what is in effect, and which file says it\n`,
    ]);
    expect([existsSync(globalFile()), existsSync(join(box.project, '.murmur'))]).toEqual([false, false]);
    writeFileSync(globalFile(), `inference: { model: m }\ncredentials: { A: ${secret} }\n`);
    for (const key of ['inference.model', 'credentials.A']) {
      const ran = await box.run(['config', 'unset', key]);
      expect(ran.stderr).toContain(`~/.murmur/config.yaml sets it: mur config unset -g ${key}\n`);
    }
    expect((await box.run(['config', 'unset', '-g', 'inference.provider'])).stderr).toContain(
      'inference.provider is not set in ~/.murmur/config.yaml',
    );
    expect((await box.run(['config', 'unset', 'inference.modle'])).stderr).toContain('did you mean inference.model?');
  });
});

describe('mur config get, list and path', () => {
  test('say what is in effect and who says it, and of a secret only that it is set', async () => {
    writeFileSync(
      globalFile(),
      `registry: { sources: [{ name: a, repo: x/a, token: ${secret} }] }\ninference: { model: m, api_key: ${secret} }\ncredentials: { A: ${secret}, B: "" }\ncontainment: scoped\nspend: { machine_tokens_per_day: 9 }\nbeta: { enabled: [mur-new] }\n`,
    );
    box.write(
      'project/.murmur/config.yaml',
      'inference: { model: p }\ncontainment: advisory\nspend: { machine_tokens_per_day: 5 }\nbeta: { enabled: [mur-deploy] }\n',
    );
    const listed = await box.run(['config', 'list']);
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    const rows = listed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
    expect(rows).toEqual([
      ['beta.enabled.mur-deploy', 'true', 'project'],
      ['beta.enabled.mur-new', 'true', 'global'],
      ['containment', 'scoped', 'global'],
      ['credentials.A', 'set', 'global'],
      ['inference.api_key', 'set', 'global'],
      ['inference.model', 'p', 'project'],
      ['registry.index_url', expect.stringMatching(/^https:/), 'built-in'],
      ['registry.sources.a', 'type=github repo=x/a token=set', 'global'],
      ['spend.machine_tokens_per_day', '5', 'project'],
    ]);
    const json = await box.run(['config', 'list', '--json']);
    expect(JSON.parse(json.stdout)).toContainEqual({ key: 'credentials.A', set: true, from: 'global' });
    expect(listed.stdout + json.stdout).not.toContain(secret);

    expect(await box.run(['config', 'get', 'inference.model'])).toMatchObject({ code: 0, stdout: 'p\n' });
    expect(await box.run(['config', 'get', 'credentials.A'])).toMatchObject({ code: 0, stdout: 'set\n' });
    expect(await box.run(['config', 'get', 'credentials.B'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'credentials.B is not set\n',
    });
    expect(JSON.parse((await box.run(['config', 'get', 'inspect', '--json'])).stdout)).toEqual({
      key: 'inspect',
      value: null,
    });
    expect((await box.run(['config', 'get', 'inference.modle'])).stderr).toContain('did you mean inference.model?');
  });

  test('without any file show the built-in source', async () => {
    const { stdout } = await box.run(['config', 'list', '--json']);
    const entries = JSON.parse(stdout) as { key: string; from: string }[];
    expect(entries.map(({ key, from }) => `${key} ${from}`)).toEqual([
      'registry.default built-in',
      'registry.index_url built-in',
      'registry.sources.official built-in',
    ]);
  });

  test('path names the files, also those that do not exist', async () => {
    expect((await box.run(['config', 'path', '-g'])).stdout).toBe(`${globalFile()}\n`);
    const { stdout } = await box.run(['config', 'path']);
    expect(stdout).toBe(`global   ${globalFile()}  (does not exist)\nproject  ${projectFile()}  (does not exist)\n`);
    expect(JSON.parse((await box.run(['config', 'path', '--json'])).stdout)).toEqual({
      global: { path: globalFile(), exists: false },
      project: { path: projectFile(), exists: false },
    });
  });
});

describe('mur beta', () => {
  test('lists, enables and disables in the global file, and says when there is nothing to do', async () => {
    expect((await box.run(['beta', 'list'])).stdout).toMatch(
      /^mur-new +disabled .*\nmur-deploy +disabled .*\nmur-topology +disabled /,
    );
    expect((await box.run(['beta', 'disable', 'mur-deploy'])).stdout).toBe('mur-deploy is already disabled.\n');
    expect(existsSync(globalFile())).toBe(false);
    expect((await box.run(['beta', 'enable', 'mur-deploy'])).stdout).toBe(
      'Enabled mur-deploy in ~/.murmur/config.yaml\n',
    );
    expect((await box.run(['beta', 'enable', 'mur-deploy'])).stdout).toBe('mur-deploy is already enabled.\n');
    const listed = JSON.parse((await box.run(['beta', 'list', '--json'])).stdout) as {
      name: string;
      enabled: boolean;
    }[];
    expect(listed.filter(({ enabled }) => enabled).map(({ name }) => name)).toEqual(['mur-deploy']);
    expect((await box.run(['beta', 'disable', 'mur-deploy'])).stdout).toBe(
      'Disabled mur-deploy in ~/.murmur/config.yaml\n',
    );
  });

  test('saves a name it does not know, and warns', async () => {
    const ran = await box.run(['beta', 'enable', 'mur-deplo']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Enabled mur-deplo in ~/.murmur/config.yaml\n' });
    expect(ran.stderr).toBe("warning: this version knows no feature 'mur-deplo'; did you mean mur-deploy?\n");
    expect((await box.run(['beta', 'enable', 'a b'])).stderr).toContain(
      "error[E-CFG-002]: 'a b' is no name of a feature",
    );
  });

  test('says when a project keeps enabling what was disabled', async () => {
    box.write('project/.murmur/config.yaml', 'beta: { enabled: [mur-deploy] }\n');
    const ran = await box.run(['beta', 'disable', 'mur-deploy']);
    expect(ran.stderr).toContain('mur-deploy stays enabled in this folder');
  });

  test.each(['deploy', 'destroy', 'topology'])(
    '%s is hidden and refused until it is enabled, then says it is not built',
    async (name) => {
      const feature = name === 'topology' ? 'mur-topology' : 'mur-deploy';
      expect((await box.run(['help'])).stdout).not.toContain(`  ${name} `);
      const refused = await box.run([name, 'run', '--any', 'thing']);
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `error[E-CFG-901]: mur ${name} is a beta feature that is not enabled\n  hint: mur beta enable ${feature}\n`,
      });
      await box.run(['beta', 'enable', feature]);
      expect((await box.run(['help'])).stdout).toContain(`  ${name} `);
      const unbuilt = await box.run([name]);
      expect([unbuilt.code, unbuilt.stderr]).toEqual([
        1,
        expect.stringMatching(/^error\[E-CFG-902\]: mur \w+ is enabled, but this version/),
      ]);
    },
  );

  test('a config file that is broken stops no help', async () => {
    writeFileSync(globalFile(), '[');
    expect(await box.run(['help'])).toMatchObject({ code: 0, stderr: '' });
  });
});
