import { expect, test } from 'vitest';
import { capsule, refusal } from './support.js';

/** One broken rule for each step of spec/manifest.md section 14, in its order. */
const steps: readonly (readonly [line: string, field: string | undefined])[] = [
  ['trace: { capture: 5 }', 'trace.capture'],
  ['name: " "', 'name'],
  ['config: {}', 'config'],
  ['ARTIFACTS', 'artifacts[0].name'],
  ['capabilities: { limits: { instances: 0 }, spawn: { allow: [x] } }', 'capabilities.limits.instances'],
  ['INFERENCE', 'inference.max_turns'],
  ['context: { retain: {} }', 'context.retain'],
  ['lifecycle: { queue_depth: -1 }', 'lifecycle.queue_depth'],
  ['exports: { files: { root: out } }', 'exports.files.mode'],
  ['network: { authentication: { scheme: basic } }', 'network.authentication.scheme'],
  ['control: { settings: [x] }', 'control.settings'],
];

const sound =
  'artifacts: [{ name: d, version: 1, runtime: driver, gateway: { endpoint: "https://h", keyless: true } }]';

/** A manifest with the faults of `steps` from the one at `from` on, and nothing wrong before it. */
function document(from: number): string {
  const broken = steps.slice(from).map(([line]) => line);
  const has = (line: string) => broken.includes(line);
  const lines = broken.filter((line) => !['ARTIFACTS', 'INFERENCE', 'name: " "'].includes(line));
  lines.push(has('ARTIFACTS') ? 'artifacts: [{ version: 1, runtime: nonsense }]' : sound);
  lines.push(`inference: { model: m, driver: { artifact: d }${has('INFERENCE') ? ', max_turns: 0' : ''} }`);
  const text = capsule(lines.join('\n'));
  return has('name: " "') ? text.replace('name: cap', 'name: " "') : text;
}

test.each(steps.map(([line, field], index) => [index, line, field] as const))(
  'step %i of section 14 comes before all later ones: %s',
  (index, _, field) => expect(refusal(document(index)).details?.field).toBe(field),
);

const entryFaults: readonly (readonly [keys: string, field: string])[] = [
  ['name: A', 'name'],
  ['runtime: nonsense', 'runtime'],
  ['source: ./x', 'source'],
  ['version: ../1', 'version'],
  ['capabilities: { task_io: { read: true } }', 'capabilities.task_io'],
  ['gateway: { endpoint: "ftp://h" }', 'gateway.endpoint'],
  ['on_overflow: drop', 'on_overflow'],
];

test.each(entryFaults.map(([keys, field], index) => [index, keys, field] as const))(
  'within an entry, check %i comes before all later ones: %s',
  (index, _, field) => {
    const broken = entryFaults.slice(index).map(([keys]) => keys);
    const missing = (key: string) => !broken.some((keys) => keys.startsWith(`${key}:`));
    const keys = [...(missing('name') ? ['name: a'] : []), ...(missing('version') ? ['version: 1'] : []), ...broken];
    expect(refusal(capsule(`artifacts: [{ ${keys.join(', ')} }]`)).details?.field).toBe(`artifacts[0].${field}`);
  },
);

const inferenceFaults: readonly (readonly [line: string, field: string])[] = [
  ['system_prompt: a\n  system_prompt_file: b', 'system_prompt'],
  ['max_turns: 0', 'max_turns'],
  ['transport: pigeon', 'transport'],
  ['command: x', 'command'],
  ['model: " "', 'model'],
  ['driver: {}', 'driver.artifact'],
  ['alternates: [{ name: primary }]', 'alternates[0].name'],
  ['compaction: { threshold: 2 }', 'compaction.threshold'],
];

test.each(inferenceFaults.map(([line, field], index) => [index, line, field] as const))(
  'within inference, check %i comes before all later ones: %s',
  (index, _, field) => {
    const broken = inferenceFaults.slice(index).map(([line]) => line);
    const missing = (key: string) => !broken.some((line) => line.startsWith(`${key}:`));
    const lines = [
      ...(missing('model') ? ['model: m'] : []),
      ...(missing('driver') ? ['driver: { artifact: d }'] : []),
      ...broken,
    ];
    const text = capsule(`${sound}\ninference:\n  ${lines.join('\n  ')}`);
    expect(refusal(text).details?.field).toBe(`inference.${field}`);
  },
);
