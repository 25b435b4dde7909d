import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { murmurHome } from '../../src/home/index.js';
import { prepareRun } from '../../src/index.js';
import { launch } from '../../src/supervise/launch.js';
import { rehearsal } from '../e2e/cli.js';
import { Library } from '../effects/run.js';

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };
const codes = (notices: readonly { readonly type: string }[]) =>
  notices.flatMap((notice) => (notice.type === 'warning' ? [(notice as { code?: string }).code] : []));

test('E-RUN-025: an artifact behind a gateway that does not say which header takes the key', async () => {
  const files = { name: 'mur-tool-files', version: '0.1.0', gateway: { endpoint: 'https://h.example', keyless: true } };
  const { result } = await library.run(rehearsal([{ say: 'hi' }], { artifacts: [driver, files] }));
  expect(result.error).toMatchObject({
    code: 'E-RUN-025',
    message: "artifact 'mur-tool-files@0.1.0' declares no usable upstream_auth: block",
  });
});

test('E-RUN-005: a request, made by a program, whose driver is not among its artifacts', async () => {
  const manifestPath = library.sandbox.manifest(rehearsal([{ say: 'hi' }]));
  const workdir = join(library.sandbox.root, 'work');
  mkdirSync(workdir, { recursive: true });
  const { request } = prepareRun({ manifestPath, workdir, task: 'go' }, { HOME: library.sandbox.home });
  const result = await launch({ ...request, artifacts: [] }, { home: murmurHome({ HOME: library.sandbox.home }) });
  expect(result.error).toMatchObject({
    code: 'E-RUN-005',
    message: "inference driver 'mur-driver-rehearsal' is not declared in artifacts",
    hint: 'add an artifacts entry with name: mur-driver-rehearsal and runtime: driver',
  });
});

test.each([
  ['bytes that are no UTF-8', 'broken.md', /The encoded data was not valid/],
  ['more than 64 KiB', 'long.md', /65536/],
  ['a path out of the work folder', '../outside.md', /./],
])('E-RUN-905: an instruction file of %s', async (_, path, reason) => {
  const work = join(library.sandbox.root, 'work');
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'broken.md'), Uint8Array.of(0x80));
  writeFileSync(join(work, 'long.md'), 'x'.repeat(65_537));
  const inference = { model: 'rehearsal', driver: { artifact: driver.name }, instruction_files: [path] };
  const { result } = await library.run(rehearsal([{ say: 'hi' }], { inference }));
  expect(result.error).toMatchObject({
    code: 'E-RUN-905',
    message: expect.stringMatching(/^instruction file '\S+' cannot be used: /),
  });
  expect(result.error?.message).toMatch(reason);
});

test('W-SEC-023 and W-RUN-904: a session whose record and token cannot be written runs on', async () => {
  const running = join(library.sandbox.home, '.murmur', 'running');
  const obstruct = () => {
    rmSync(running, { recursive: true, force: true });
    writeFileSync(running, 'in the way');
  };
  const { result, notices } = await library.run(
    rehearsal([{ say: 'hi' }]),
    { inspect: true },
    { onNotice: ({ type }) => type === 'session.staged' && obstruct() },
  );
  expect(result.status).toBe('ok');
  expect(codes(notices)).toEqual(expect.arrayContaining(['W-SEC-023', 'W-RUN-904']));
});
