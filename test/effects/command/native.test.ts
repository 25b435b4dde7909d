import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type NativeCall, runNative } from '../../../src/effects/command-native.js';
import { readFence } from '../../../src/tools/index.js';
import { caller, commandSession } from './session.js';

type Session = ReturnType<typeof commandSession>;

const call = (session: Session, script: string, change: Partial<NativeCall> = {}) => {
  const image = join(session.root, 'probe');
  writeFileSync(image, `#!/bin/sh\n${script}\n`);
  chmodSync(image, 0o755);
  return runNative(session.commands, { ...caller, name: 'probe', data: '{"a":1}', image, ...change });
};

describe('a native tool (spec/shell.md 7)', () => {
  test('gets one JSON object on stdin, no arguments, and answers with one', async () => {
    const session = commandSession();
    const outcome = await call(session, `printf '{"status":"passed","summary":"s","data":%s}' "$(cat)"; [ $# = 0 ]`);
    expect(outcome).toMatchObject({ result: { status: 'passed', summary: 's' }, fenceSource: 'tool:probe' });
    expect(readFence(outcome.result.data!)?.text).toBe('{"data":"{\\"a\\":1}","log_path":null}');
    expect(outcome.shell).toBeUndefined();
  });

  test('may end without reading its input', async () => {
    const outcome = await call(commandSession(), 'exec 0<&-; echo done', { data: 'x'.repeat(1_000_000) });
    expect(outcome.result).toMatchObject({ status: 'passed', summary: 'probe completed' });
  });

  test('has the settings of its entry, and none of the session its variables', async () => {
    const script = 'echo "[$MURMUR_ARTIFACT_CONFIG][$MURMUR_STATE_DIR][$MURMUR_SESSION_ID]"';
    const settings = { config: '{"k":1}', stateDir: '/state' };
    const texts = [await call(commandSession(), script, { settings }), await call(commandSession(), script)];
    expect(texts.map(({ result }) => readFence(result.data!)?.text)).toEqual(['[{"k":1}][/state][]\n', '[][][]\n']);
  });

  test('its stderr goes to the log of the session', async () => {
    const session = commandSession();
    await call(session, 'echo noise >&2; echo "{}"');
    expect(session.log).toMatchObject([{ message: 'stderr of native tool probe', stderr: 'noise\n' }]);
  });

  test('that writes more than 8 MiB is ended, and its result names the cap', async () => {
    const outcome = await call(commandSession(), 'exec cat /dev/zero');
    expect(outcome.result.status).toBe('error');
    expect(outcome.result.data).toContain("native tool 'probe': it wrote more than 8388608 bytes");
    expect(outcome).not.toHaveProperty('runtimeError');
  });

  test('that cannot be started is an error naming it', async () => {
    const outcome = await call(commandSession(), '', { image: '/nowhere/probe' });
    expect(outcome.runtimeError).toContain('ENOENT');
    expect(outcome.result.data).toContain("native tool 'probe': ");
  });

  test('is never moved to the background', async () => {
    expect((await call(commandSession({ graceMs: 0 }), 'sleep 0.2; echo late')).result.data).toContain('late');
  });

  test('is not started once the work folder is too large', async () => {
    const breach = () => ({ maxBytes: 1, observedBytes: 2 });
    expect((await call(commandSession({ breach }), 'true')).runtimeError).toContain('workdir_max_bytes');
  });
});
