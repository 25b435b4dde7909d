/** `mur inspect` as a command: live sessions, ended ones, bundles, the page's server. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/inspect/frame.js';
import { rehearsal, Sandbox, type Started } from '../e2e/cli.js';
import { Watcher } from './wire.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const list = { call: { tool: 'mur-tool-files', input: { action: 'list' } } };
const short = rehearsal([{ say: 'I look.', ...list }, { say: 'Done.' }]);
const slow = rehearsal([
  { say: 'I look.', ...list },
  { say: 'word '.repeat(200), delay_ms: 20 },
]);

const framesOf = (text: string): Frame[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Frame);

const types = (frames: readonly Frame[]) => new Set(frames.map(({ type }) => type));

async function readyUrl(started: Started): Promise<{ sessionId: string }> {
  const { session_id: sessionId } = JSON.parse(`{"url":${await started.line('{"url":')}`) as { session_id: string };
  return { sessionId };
}

describe('mur inspect --json', () => {
  it('does not wait for a FIFO in the place of a record', async () => {
    for (const name of ['events.jsonl', 'trace.jsonl']) execFileSync('mkfifo', [join(sandbox.root, name)]);
    const ran = await sandbox.run(['inspect', '--json', sandbox.root]);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('this session cannot be shown: ');
  });

  it('refuses a file that is no bundle, and shows no session for it', async () => {
    const file = join(sandbox.root, 'x.murbundle');
    for (const text of ['', '[]', '{"format":"other"}\n', 'PK\x03\x04']) {
      writeFileSync(file, text);
      const ran = await sandbox.run(['inspect', '--json', file]);
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toContain(`error[E-TRC-001]: ${file} is no bundle of a session`);
    }
  });

  it('ends when its reader is gone, however much there was to read', async () => {
    sandbox.manifest(
      rehearsal([...Array.from({ length: 6 }, () => ({ say: 'I look. '.repeat(400), ...list })), { say: 'Done.' }]),
    );
    await sandbox.run(['run', '--task', 'go']);
    const started = sandbox.start(['inspect', '--json', '@1']);
    await started.seen(() => true);
    started.child.stdout!.destroy();
    const ran = await started.ended;
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  });

  it('of a session that has ended tells it from its records, and ends', async () => {
    sandbox.manifest(short);
    await sandbox.run(['run', '--task', 'go']);
    const ran = await sandbox.run(['inspect', '--json']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const frames = framesOf(ran.stdout);
    expect([...types(frames)]).toEqual(
      expect.arrayContaining(['hello', 'session', 'def', 'actor', 'ev', 'snap', 'gone', 'trace', 'message', 'synced']),
    );
    const session = frames.find((frame) => frame.type === 'session');
    expect(session).toMatchObject({
      source: 'records',
      capsule: { name: 'sample', version: '0.1.0' },
      liveness: { verdict: 'Gone' },
      ended: { status: 'ok', fault: null },
      url: null,
      containment: { declared: 'advisory' },
    });
    const last = frames.findLast((frame) => frame.type === 'snap' && frame.id === 'session');
    expect(last).toMatchObject({ snap: { s: 'done', v: 'ended' } });
    const dated = frames.filter(({ type }) => /^(?:actor|ev|snap|gone|trace|message)$/.test(type));
    expect(dated.every((frame) => 'past' in frame && frame.past)).toBe(true);
    const ids = frames.flatMap((frame) => (frame.type === 'actor' ? [frame.id] : []));
    expect(ids).toContainEqual(expect.stringMatching(/^session\/task:tsk_[0-9a-f]{32}\/turn:0\/tool-call:0$/));
  });

  it('gives the machines of an ended session the ids and states they had while it was watched', async () => {
    sandbox.manifest(slow);
    const started = sandbox.start(['run', '--inspect', '--json', '--task', 'go']);
    const { sessionId } = await readyUrl(started);
    const live = sandbox.start(['inspect', sessionId, '--json']);
    await started.ended;
    const watched = framesOf((await live.ended).stdout);
    const recorded = framesOf((await sandbox.run(['inspect', sessionId, '--json'])).stdout);
    const history = (frames: readonly Frame[]) => {
      const states = new Map<string, string[]>();
      const charted = new Set(
        frames.flatMap((frame) => (frame.type === 'actor' && frame.def !== undefined ? [frame.id] : [])),
      );
      for (const frame of [...frames].sort((a, b) => ('at' in a ? a.at : 0) - ('at' in b ? b.at : 0))) {
        if ((frame.type !== 'snap' && frame.type !== 'actor') || !charted.has(frame.id)) continue;
        const state = JSON.stringify(frame.snap.v);
        const seen = states.get(frame.id) ?? [];
        if (state !== undefined && seen.at(-1) !== state) states.set(frame.id, [...seen, state]);
      }
      return Object.fromEntries([...states].map(([id, seen]) => [id, [...new Set(seen)].sort()]));
    };
    expect(history(watched)).toEqual(history(recorded));
    expect(watched.findLast((frame) => frame.type === 'session')).toMatchObject({
      source: 'records',
      ended: { status: 'ok' },
    });
    const verdicts = new Set(watched.flatMap((frame) => (frame.type === 'session' ? [frame.liveness.verdict] : [])));
    expect([...verdicts]).toEqual(['Live', 'Gone']);
  });

  it('follows the records of a session that was started without --inspect, and says so', async () => {
    sandbox.manifest(slow);
    const started = sandbox.start(['run', '--json', '--task', 'go']);
    const { sessionId } = await readyUrl(started);
    const ran = await sandbox.run(['inspect', sessionId.slice(-6), '--json']);
    await started.ended;
    const frames = framesOf(ran.stdout);
    expect(ran.code).toBe(0);
    const sessions = frames.filter((frame) => frame.type === 'session');
    expect(sessions[0]).toMatchObject({
      source: 'following',
      ended: null,
      sourceNote: expect.stringContaining('without --inspect'),
    });
    expect(sessions.at(-1)).toMatchObject({ source: 'records', ended: { status: 'ok' } });
    const traced = frames.flatMap((frame) => (frame.type === 'trace' ? [frame.line.event_id] : []));
    // Lines of the present may come between those of the past; ids sort by time.
    expect(traced.sort()).toEqual(sandbox.trace().map(({ event_id: id }) => id));
    expect(frames.findLast((frame) => frame.type === 'snap' && frame.id === 'session')).toMatchObject({
      snap: { v: 'ended' },
    });
  });

  it('of nothing is empty, and an address that names nothing is an error', async () => {
    const none = await sandbox.run(['inspect', '--json', 'ses_00000000000070008000000000000000']);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('E-TRC-002');
  });

  it('shows records that were torn in the middle of a line', async () => {
    sandbox.manifest(short);
    await sandbox.run(['run', '--task', 'go']);
    const [records] = sandbox.records();
    for (const name of ['trace.jsonl', 'events.jsonl']) {
      const path = join(records!, name);
      const bytes = readFileSync(path);
      const copy = join(sandbox.root, 'torn', name);
      sandbox.write(`torn/${name}`, bytes.subarray(0, bytes.length - 37));
      expect(copy).toContain('torn');
    }
    const ran = await sandbox.run(['inspect', '--json', join(sandbox.root, 'torn')]);
    expect(ran.code).toBe(0);
    const frames = framesOf(ran.stdout);
    expect(frames.filter(({ type }) => type === 'trace').length).toBe(sandbox.trace().length - 1);
    expect(frames.find((frame) => frame.type === 'session')).toMatchObject({ ended: { status: 'unknown' } });
    rmSync(join(sandbox.root, 'torn'), { recursive: true });
  });

  it.each([['bundle'], []])('shows a bundle somebody exported, named %s', async (...words) => {
    sandbox.manifest(short);
    await sandbox.run(['run', '--task', 'go']);
    await sandbox.run(['replay', '--export', 'sent.murbundle']);
    const ran = await sandbox.run(['inspect', '--json', ...words, 'sent.murbundle']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const frames = framesOf(ran.stdout);
    expect(frames.find((frame) => frame.type === 'session')).toMatchObject({
      source: 'records',
      sourceNote: expect.stringContaining('bundle'),
      capsule: { name: 'sample' },
      ended: { status: 'ok' },
    });
    expect(frames.filter(({ type }) => type === 'trace').length).toBe(sandbox.trace().length);
    expect(frames.filter(({ type }) => type === 'message').length).toBe(4);
    expect(frames.findLast((frame) => frame.type === 'snap' && frame.id === 'session')).toMatchObject({
      snap: { v: 'ended' },
    });
  });

  it('of records whose charts have changed shows the rest, and says what it cannot', async () => {
    sandbox.manifest(short);
    await sandbox.run(['run', '--task', 'go']);
    const [records] = sandbox.records();
    const other = readFileSync(join(records!, 'events.jsonl'), 'utf8').replaceAll(
      /"(chart|task|turn|session)":"[0-9a-f]{16,}"/g,
      '"$1":"0000"',
    );
    sandbox.write('changed/events.jsonl', other);
    sandbox.excuse('changed', 'it claims to be of other charts');
    sandbox.write('changed/trace.jsonl', readFileSync(join(records!, 'trace.jsonl')));
    const ran = await sandbox.run(['inspect', '--json', join(sandbox.root, 'changed')]);
    const frames = framesOf(ran.stdout);
    expect([ran.code, frames.filter(({ type }) => type === 'snap').length]).toEqual([0, 0]);
    expect(frames.filter(({ type }) => type === 'trace').length).toBe(sandbox.trace().length);
    const notes = frames.flatMap((frame) =>
      frame.type === 'note' && frame.note.type === 'warning' ? [frame.note.message] : [],
    );
    expect(notes).toEqual([expect.stringContaining('was recorded with other charts')]);
  });

  it('does not show a key of the config file that got into a record', async () => {
    sandbox.manifest(short);
    await sandbox.run(['run', '--task', 'go']);
    const trace = join(sandbox.records()[0]!, 'trace.jsonl');
    const text = readFileSync(trace, 'utf8').replace('"action":"list"', '"action":"planted-config-key"');
    writeFileSync(trace, text);
    sandbox.write('home/.murmur/config.yaml', 'credentials: { SERVICE: planted-config-key }\n');
    const ran = await sandbox.run(['inspect', '--json']);
    expect(framesOf(ran.stdout).length).toBeGreaterThan(10);
    expect(ran.stdout).not.toContain('planted-config-key');
  });
});

describe('mur inspect', () => {
  it('serves the page at a link that works once, and its frames to that page; Ctrl-C ends it', async () => {
    sandbox.manifest(short);
    await sandbox.run(['run', '--task', 'go']);
    const started = sandbox.start(['inspect', '--no-open']);
    let stderr = '';
    started.child.stderr?.on('data', (text) => {
      stderr += text;
    });
    await started.seen(() => /inspect: http\S+\n/.test(stderr));
    const link = /http\S+/.exec(stderr)![0];
    const first = await fetch(link, { redirect: 'manual' });
    expect(first.status).toBe(303);
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!;
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(401);
    const { port, origin } = new URL(link);
    const page = await fetch(`${origin}/ui/`, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const watcher = new Watcher(Number(port), '', ['mur.inspect.v1'], '');
    await expect(watcher.until(() => watcher.of('hello').length > 0)).rejects.toThrow();
    const allowed = new Watcher(Number(port), '', ['mur.inspect.v1'], '', { cookie, origin });
    await allowed.until(() => allowed.of('synced').length > 0);
    expect(allowed.of('session')).toHaveLength(1);
    await allowed.close();
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(0);
  });

  it('shows a session that starts later', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }], { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } }));
    const started = sandbox.start(['inspect', '--json']);
    await started.seen(() => started.stdout().includes('"hello"'));
    const run = sandbox.start(['run', '--inspect', '--json', '--task', 'go']);
    const { sessionId } = await readyUrl(run);
    await started.seen(() => started.stdout().includes(`"synced","sys":"${sessionId}"`));
    started.child.kill('SIGINT');
    await started.ended;
    run.child.kill('SIGTERM');
    await run.ended;
  });
});
