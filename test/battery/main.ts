/**
 * `npm run battery`: tries to get out of real boxes, as root and as a user who is not, and compares with the verdicts in the table.
 * Exit 0: all as written. 1: usage, or the harness failed. 2: this host cannot back it, or some rows. 3: a boundary failed. 4: only a
 * ceiling did.
 *
 *   --short            a shorter run, part of `npm test`
 *   --only <id>, --class <class>, --player <stub|koffi>, --user <root|user>    for looking into one thing: not evidence
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { leakedDescriptor } from './case.js';
import { markdownOf, type Summary } from './report.js';
import type { Setting } from './session.js';
import { allIds } from './table.js';
import { playVictim, runUser, type UserResult, type UserRun } from './user.js';
import { classes, exitCodeOf, exitCodes } from './verdict.js';

const main = fileURLToPath(import.meta.url);
/** A uid nobody has. */
const unprivileged = 61_234;

async function start(): Promise<number> {
  if (process.argv[2] === '--victim') {
    await playVictim(JSON.parse(readFileSync(process.argv[3]!, 'utf8')) as Setting, process.argv[4]!);
    return exitCodes.passed;
  }
  if (process.argv[2] === '--as-user') {
    const asked = JSON.parse(readFileSync(process.argv[3]!, 'utf8')) as UserRun;
    writeFileSync(asked.output, JSON.stringify(await runUser(asked)));
    return exitCodes.passed;
  }
  return battery();
}

async function battery(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string' },
      class: { type: 'string' },
      player: { type: 'string' },
      user: { type: 'string' },
    },
  });
  const held = classes.find((each) => each === values.class);
  const player = (['stub', 'koffi'] as const).find((each) => each === values.player);
  if (
    (values.class !== undefined && held === undefined) ||
    (values.player !== undefined && player === undefined) ||
    (values.only !== undefined && !allIds.includes(values.only))
  ) {
    process.stderr.write('no such class, player or row\n');
    return exitCodes.harness;
  }
  const isPartial = [values.only, held, player, values.user].some((each) => each !== undefined);
  const isRoot = process.getuid?.() === 0;
  const isReadable = !isRoot || canRead(main);
  const users = (isRoot ? ['root', 'user'] : ['user'])
    .filter((each) => (values.user ?? each) === each)
    .filter((each) => each === 'root' || isReadable);
  const started = performance.now();
  const place = mkdtempSync('/var/tmp/mur-battery-');
  chmodSync(place, 0o755);
  try {
    const suidFolder = isRoot ? placeSetUserId(place) : null;
    const results = await Promise.all(
      users.map((user) =>
        asUser(user, isRoot, {
          place,
          suidFolder,
          isShort: values.short,
          killRounds: values.short ? 4 : 136,
          ...(values.only === undefined ? {} : { only: values.only }),
          ...(held === undefined ? {} : { held }),
          ...(player === undefined ? {} : { player }),
        }),
      ),
    );
    const refused = results.find((each) => each.refused !== undefined)?.refused;
    if (refused !== undefined) {
      process.stderr.write(`refused: ${refused}\n`);
      return exitCodes.refused;
    }
    const entries = results.flatMap((each) => each.entries);
    const graded = exitCodeOf(entries);
    const skipped = isReadable ? {} : { skipped: `a user who is not root cannot read ${dirname(main)}` };
    const isComplete = isReadable && entries.every((each) => each.refused === undefined);
    const exitCode = graded === exitCodes.passed && !isComplete ? exitCodes.refused : graded;
    const what = values.short ? 'Short run' : 'Full run';
    const stamp = `${isPartial ? `PARTIAL, not evidence (${what.toLowerCase()})` : what}${isRoot ? '' : ', without root'}`;
    report(values.short || isPartial ? 'short' : 'report', {
      stamp,
      exitCode,
      seconds: (performance.now() - started) / 1000,
      entries,
      host: hostLine(results),
      ...skipped,
    });
    return exitCode;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Whether the user of the second half can: a checkout may lie in a folder of root's own. */
function canRead(path: string): boolean {
  return spawnSync('/usr/bin/test', ['-r', path], { uid: unprivileged, gid: unprivileged }).status === 0;
}

/** A program that shows as whom it runs, owned by root, with the bit that would make it root. */
function placeSetUserId(place: string): string {
  const folder = join(place, 'suid');
  mkdirSync(folder);
  const path = join(folder, 'battery-suid-id');
  copyFileSync('/usr/bin/id', path);
  chmodSync(path, 0o4755);
  return folder;
}

type Asked = Omit<UserRun, 'user' | 'main' | 'output'>;

async function asUser(user: string, isRoot: boolean, asked: Asked): Promise<UserResult> {
  const folder = join(asked.place, user);
  mkdirSync(folder, { mode: 0o755 });
  const output = join(folder, 'result.json');
  const file = join(folder, 'asked.json');
  writeFileSync(file, JSON.stringify({ ...asked, place: folder, user, main, output } satisfies UserRun));
  const changes = isRoot && user === 'user';
  if (changes) for (const path of [folder, file]) chownSync(path, unprivileged, unprivileged);
  // Node closes on exec what it inherits up to the first gap above 15 (libuv's uv_disable_stdio_inheritance), so the leak lies beyond.
  const leak = `exec ${leakedDescriptor}</etc/hostname; exec "$0" "$@"`;
  const child = spawn('bash', ['-c', leak, process.execPath, main, '--as-user', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: folder },
    cwd: folder,
    ...(changes ? { uid: unprivileged, gid: unprivileged } : {}),
  });
  const exitCode = await new Promise((resolve) => child.once('exit', resolve));
  if (exitCode !== 0) throw new Error(`the battery as ${user} failed with ${exitCode}`);
  return JSON.parse(readFileSync(output, 'utf8')) as UserResult;
}

function hostLine(results: readonly UserResult[]): string {
  const host = results.find((each) => each.host !== undefined)?.host;
  return `${process.platform} ${process.arch}, tier ${host?.hostTier}, Landlock ABI ${host?.landlockAbi}, ${host?.chain} ${host?.bubblewrap?.version ?? ''}`.trim();
}

function report(name: string, summary: Summary): void {
  const folder = join(process.cwd(), 'test-output', 'battery');
  mkdirSync(folder, { recursive: true });
  const markdown = markdownOf(summary);
  writeFileSync(join(folder, `${name}.md`), markdown);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(summary, null, 1)}\n`);
  process.stdout.write(`${markdown.split('\n## ')[0]!.trim()}\n`);
  for (const each of summary.entries.filter(({ matches }) => matches === false)) {
    process.stdout.write(
      `${each.id} as ${each.user}, ${each.held}, ${each.player}: expected ${each.expected}, ${each.verdict}: ${each.line}\n`,
    );
  }
}

start().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = exitCodes.harness;
  },
);
