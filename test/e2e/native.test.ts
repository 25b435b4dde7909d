import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { readFence } from '../../src/tools/index.js';
import { rehearsal, Sandbox } from './cli.js';

const host = await probeHost();
// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `native-${process.pid}`);
mkdirSync(place, { recursive: true });
afterAll(() => rmSync(place, { recursive: true, force: true }));

let sandbox: Sandbox;
beforeEach(() => {
  vi.stubEnv('TMPDIR', place);
  sandbox = new Sandbox();
  vi.unstubAllEnvs();
  mkdirSync(join(sandbox.project, 'work'));
});
afterEach(() => sandbox.remove());

type Entry = Readonly<Record<string, unknown>> & { readonly name: string };
const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };

/** A native tool in a folder of the project: a script, or the bytes of a program of this machine. */
function tool(name: string, image: string | { readonly copyOf: string }, entry: object = {}): Entry {
  const text = `name: ${name}\nversion: "1.0.0"\nruntime: tool\nimplementation: native\ndescription: ${name}\n`;
  sandbox.write(`project/${name}/murmur.yaml`, text);
  const path = join(sandbox.project, name, 'bin', name);
  if (typeof image === 'string') sandbox.write(`project/${name}/bin/${name}`, image);
  else {
    mkdirSync(join(sandbox.project, name, 'bin'), { recursive: true });
    copyFileSync(image.copyOf, path);
  }
  return { name, source: `./${name}`, local_source: true, ...entry };
}
const call = (name: string, input: unknown = {}) => ({ call: { tool: name, input } });
const capsule = (turns: readonly unknown[], tools: readonly Entry[], more: object = {}) =>
  sandbox.manifest(
    rehearsal([...turns, { say: 'Done.' }], {
      artifacts: [driver, ...tools],
      trace: { capture: 'content' },
      ...more,
    }),
  );
const run = (...args: string[]) => sandbox.run(['run', '--task', 'go', '--quiet', '--workdir', 'work', ...args]);
const lines = (type: string) => sandbox.trace().filter(({ event_type }) => event_type === type);
/** What the model was told, without the fence. */
const results = () => lines('tool_call').map(({ output }) => readFence(String(output))?.text ?? String(output));

describe.runIf(process.platform === 'linux')('native tools of a capsule (spec/shell.md 7)', () => {
  test.runIf(host.hostTier === 'sealed').each(['scoped', 'sealed'])(
    '%s: a script and a program run without shell.allow, each with what its own image needs',
    async (containment) => {
      const script = '#!/bin/sh\nread -r line; printf \'{"status":"passed","data":%s}\' "$line"\n';
      const tools = [tool('script', script), tool('copy', { copyOf: '/bin/cat' })];
      capsule([call('script', { a: 1 }), call('copy', { b: 2 })], tools, { capabilities: { containment } });
      expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining('W-SEC-005') });
      expect(results()).toEqual(['{"data":"{\\"a\\":1}","log_path":null}', '{"b":2}']);
      expect(lines('session_start')).toMatchObject([{ containment_achieved: containment, capabilities: [] }]);
    },
  );
});
