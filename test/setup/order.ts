/** Runs the files that take long first: on few workers, a long one that begins last is waited for by everybody. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests start processes, browsers, boxes and compilers; those that take longest first. */
const long = [
  'e2e',
  'battery',
  'build',
  'wasm',
  'inspect',
  'containment/box',
  'supervise',
  'artifacts',
  'door',
  'stage',
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = long.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
  return at === -1 ? long.length : at;
}
