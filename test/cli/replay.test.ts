import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { AnyActorRef } from 'xstate';
import { exportBundle } from '../../src/cli/replay-export.js';
import { momentLines } from '../../src/cli/replay-moment.js';
import { replaySession } from '../../src/cli/replay-session.js';
import { headLines, type ReplayLook, tableLines } from '../../src/cli/replay-view.js';
import { phraseOf } from '../../src/cli/replay-words.js';
import { glyphsFor, styleFor } from '../../src/cli/style.js';
import { displayWidth } from '../../src/cli/width.js';
import { locateMurmurHome } from '../../src/home/index.js';
import { type LoggedEvent, openReplay, readBundle } from '../../src/replay/index.js';
import { codeOf, heldFolder, temporaryFolder } from '../home/temporary.js';
import { type RehearsalOptions, rehearseFaithfully } from '../replay/rehearsal.js';
import { memoryOutput } from './memory-stream.js';
import { parseFlagsOf } from './replay-flags.js';

const look = (columns: number, color = false): ReplayLook => ({
  ...{ columns, style: styleFor(color), glyphs: glyphsFor({}) },
});

async function recorded(options: RehearsalOptions = {}): Promise<string> {
  const records = heldFolder();
  await rehearseFaithfully(records, options);
  return records.path;
}

async function mur(path: string, flags: Partial<Parameters<typeof replaySession>[0]>) {
  const stdout = memoryOutput();
  const stderr = memoryOutput();
  const env = { HOME: temporaryFolder() };
  const shown: string[] = [];
  const context = { stdout: stdout.output, stderr: stderr.output, env };
  const status = await replaySession({ session: path, color: false, ...flags }, context, async (address) => {
    shown.push(address);
    return 0;
  });
  return { status, stdout: stdout.text(), stderr: stderr.text(), shown };
}

describe('mur replay', () => {
  it('shows one line per event, with the state after it', async () => {
    const path = await recorded();
    const { stdout } = await mur(path, {});
    const rows = stdout.split('\n').filter((line) => /^ +\d+ {2}/.test(line));
    expect(rows).toHaveLength(openReplay(path).length);
    expect(rows[0]).toMatch(/^ +0 +0\.000 {2}session +starts sample +staging\.validating$/);
    expect(rows.find((row) => row.includes('✓ run'))).toMatch(
      /^ +\d+ +\d\.\d{3} {8}tool-call +✓ run status ok +fenced {2}status ok$/,
    );
  });

  it.each([20, 40, 60, 80, 100, 160])('fits %i columns, in colours too', async (columns) => {
    const replay = openReplay(await recorded({ tasks: 2, said: 'x'.repeat(300), numbers: [2, 0, 5, 8] }));
    for (const color of [false, true]) {
      for (const line of tableLines(replay, look(columns, color))) {
        // A number, a machine, an event and a state need some room.
        expect(displayWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(Math.max(columns, 38));
      }
    }
  });

  it('says who, when, how long and how it ended', async () => {
    const [id, facts, when] = headLines(openReplay(await recorded()), look(100));
    expect(id).toMatch(/^ses_[0-9a-f]{32}$/);
    expect(facts).toMatch(/^sample 0\.1\.0 · \d+ events · \d+ ms · ended$/);
    expect(when).toMatch(/^recorded 2023-11-14 22:13:20 by mur /);
  });

  it('shows controls and markup of a session as text', async () => {
    const path = await recorded({ said: '\x1b[31mred\x1b]0;title\x07\u202e<b>', numbers: [2, 2, 2] });
    const { stdout } = await mur(path, {});
    expect(stdout).toContain('red');
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(momentLines(openReplay(path), 1e9, look(80)).join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });

  it('--at shows the event, what it changed and everything that was there', async () => {
    const path = await recorded();
    const q = [...openReplay(path).steps()].find(({ event }) => event.ev.type === 'xstate.done.actor.run')!.event.q;
    const { stdout } = await mur(path, { at: q });
    expect(stdout).toContain(`event ${q} of 0 to `);
    expect(stdout).toContain('session/task/turn/tool-call got ✓ run status ok from run');
    expect(stdout).toContain('running.wasm → fenced');
    expect(stdout).toContain('asked for stop run, start fence');
    expect(stdout).toMatch(/● session {2}running\.serving\.working {2}runs task/);
    expect(stdout).toMatch(/ {6}● tool-call {2}fenced {2}runs fence/);
    expect(stdout).toMatch(/status +ok {2}was -/);
    await expect(mur(path, { at: 1_000 })).rejects.toMatchObject({ code: 'E-TRC-001' });
  });

  it('--json gives one value per event, and one for a moment', async () => {
    const path = await recorded();
    const lines = (await mur(path, { json: true })).stdout.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map(({ q }) => q)).toEqual([...events.keys()]);
    expect(events.at(-1)).toMatchObject({
      path: 'session',
      state: 'ended',
      status: 'done',
      taken: [expect.any(String)],
    });
    expect(JSON.parse((await mur(path, { json: true, at: 3 })).stdout)).toEqual(
      JSON.parse(JSON.stringify(openReplay(path).stateAt(3))),
    );
  });

  it('--verify says what agreed, and exits 0', async () => {
    const path = await recorded();
    const { status, stdout } = await mur(path, { verify: true });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^✓ \d+ events led to the recorded state and the recorded requests\n$/);
  });

  it('--verify names the first difference, and fails', async () => {
    const path = await recorded();
    const log = join(path, 'events.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('"output":{"route":"wasm"}', '"output":{"route":"shell"}'));
    await expect(mur(path, { verify: true })).rejects.toMatchObject({
      code: 'E-TRC-901',
      message: expect.stringMatching(
        /^event \d+ \(xstate\.done\.actor\.admit\) leads session\/task\/turn\/tool-call elsewhere: state\nrecorded: running\.wasm\ntoday: {4}running\.shell$/,
      ),
    });
    const { status, stdout } = await mur(path, { verify: true, json: true });
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { ok: false, divergence: { what: 'state' } }]);
  });

  it('--ui hands the session to mur inspect', async () => {
    const path = await recorded();
    expect((await mur(path, { ui: true })).shown).toEqual([path]);
    expect((await mur(join(path, 'events.jsonl'), { ui: true })).shown).toEqual([path]);
  });

  it('names an event by what it tells', () => {
    const phrase = (ev: LoggedEvent['ev']) => phraseOf({ q: 0, at: 0, ev });
    expect(phrase({ type: 'xstate.done.actor.mint', output: { ok: true, sessionId: 'a' } })).toEqual({
      ...{ mood: 'ok', text: 'mint', detail: 'sessionId a' },
    });
    expect(
      phrase({ type: 'xstate.done.actor.check', output: { ok: false, fault: { code: 'E-X', message: 'no' } } }),
    ).toEqual({
      ...{ mood: 'failed', text: 'check', detail: 'E-X no' },
    });
    expect(phrase({ type: 'xstate.error.actor.run', error: { $error: 'Error', message: 'bug' } })).toMatchObject({
      ...{ mood: 'failed', detail: 'bug' },
    });
    expect(phrase({ type: 'xstate.after.idleTimeout.session.x' }).text).toBe('after idleTimeout');
    expect(phrase({ type: 'stop.requested', cause: 'session_stopped' })).toMatchObject({
      detail: 'cause session_stopped',
    });
  });
});

describe('mur replay --export', () => {
  const planted = {
    ANTHROPIC_API_KEY: 'planted-anthropic-key-1',
    MY_TOKEN: 'planted "quoted" tökén',
    DATABASE_PASSWORD: 'hunter2!hunter2',
  };
  const forms = [
    'sk-live-abcdefghijklmnop1234',
    'ghp_abcdefghijklmnopqrst1234',
    'AKIAABCDEFGHIJKLMNOP',
    'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
    'Bearer abcdefgh.ijklmnop',
  ];

  /** A session whose trace and events are full of secrets, with the home it was recorded in. */
  async function leaky() {
    const said = `look: ${[...Object.values(planted), ...forms].join(' and ')}`;
    const ask = (name: string, root: AnyActorRef) =>
      name === 'infer' && root.send({ type: 'input.requested', taskId: 'tsk_1', prompt: said });
    const recordsDir = await recorded({ onEffect: ask, tasks: 3, turns: 2 });
    const sessionId = openReplay(recordsDir).header.session_id;
    const line = { event_type: 'tool_call', input: { text: said, api_key: 'unknown-value-9' }, output: said };
    writeFileSync(join(recordsDir, 'trace.jsonl'), `${JSON.stringify(line)}\n`);
    const home = locateMurmurHome({ HOME: temporaryFolder() });
    return { session: { sessionId, recordsDir }, home, env: { ...planted, HOME: '/home/somebody' }, nowMs: 1 };
  }

  it('writes no planted secret, whatever its form, into a 0600 file that still replays', async () => {
    const file = join(temporaryFolder(), 'a.murbundle');
    const request = { ...(await leaky()), file };
    const log = readFileSync(join(request.session.recordsDir, 'events.jsonl'), 'utf8');
    expect(log.includes('hunter2!hunter2')).toBe(true);
    exportBundle(request);
    const text = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const secret of [...Object.values(planted), ...forms, 'unknown-value-9']) {
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
      expect(text.includes(JSON.stringify(secret).slice(1, -1))).toBe(false);
    }
    const bundle = readBundle(file);
    expect(bundle.warnings).toEqual([]);
    expect(bundle.trace).toHaveLength(1);
    expect(bundle.replay().verify().divergence).toBeUndefined();
  });

  it('writes nothing when a secret cannot be taken out', async () => {
    const file = join(temporaryFolder(), 'a.murbundle');
    const request = { ...(await leaky()), file, env: { PIN_TOKEN: '1700000000' } };
    expect(codeOf(() => exportBundle(request))).toBe('E-TRC-903');
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('does not overwrite a file', async () => {
    const file = join(temporaryFolder(), 'a.murbundle');
    writeFileSync(file, 'mine');
    const request = { ...(await leaky()), file };
    expect(codeOf(() => exportBundle(request))).toBe('E-IO-003');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

describe('the flags of mur replay', () => {
  it('take the newest session when none is named', async () => {
    expect(await parseFlagsOf([])).toMatchObject({ status: 0, flags: { session: '@1' } });
    expect(await parseFlagsOf(['@2', '--at', '17'])).toMatchObject({ flags: { session: '@2', at: 17 } });
  });

  it.each([
    [['--at', 'x']],
    [['--at', '-1']],
    [['--verify', '--at', '1']],
    [['--ui', '--json']],
    [['--export', 'f', '--at', '1']],
    [['a', 'b']],
  ])('%j is wrong usage', async (argv) => {
    expect(await parseFlagsOf(argv)).toMatchObject({ status: 2, flags: undefined });
  });
});
