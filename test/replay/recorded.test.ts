import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { locateMurmurHome } from '../../src/home/index.js';
import { recordedSessions, resolveRecorded } from '../../src/replay/index.js';
import { mintId } from '../../src/supervise/ids.js';
import { codeOf, temporaryFolder } from '../home/temporary.js';

/** A home with sessions of two projects; ids oldest first. */
function machine() {
  const folder = temporaryFolder();
  const home = locateMurmurHome({ HOME: folder });
  const project = join(folder, 'project', 'workdir');
  const other = join(folder, 'other', 'workdir');
  const record = (root: string): string => {
    const id = mintId('ses');
    mkdirSync(join(home.records, root.slice(1), id), { recursive: true });
    return id;
  };
  const mine = [record(project), record(project), record(project)];
  const theirs = [record(other)];
  return { folder, home, project, other, mine, theirs };
}

const idsOf = (sessions: readonly { readonly sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId);

describe('the recorded set', () => {
  test('is the sessions of one workdir root, newest first', () => {
    const { home, project, mine } = machine();
    expect(idsOf(recordedSessions(home, project).sessions)).toEqual([...mine].reverse());
  });

  test('includes sessions that older versions recorded in the root itself, once each', () => {
    const { home, project, mine } = machine();
    const legacy = mintId('ses');
    for (const id of [legacy, mine[0]!]) {
      mkdirSync(join(project, id), { recursive: true });
      writeFileSync(join(project, id, 'trace.jsonl'), '');
    }
    mkdirSync(join(project, mintId('ses')));
    expect(idsOf(recordedSessions(home, project).sessions)).toEqual([legacy, ...[...mine].reverse()]);
  });

  test('of a folder that has none is everything on the machine, unless the folder was named', () => {
    const { home, folder, mine, theirs } = machine();
    const everywhere = recordedSessions(home);
    expect(everywhere.isEverywhere).toBe(true);
    expect(idsOf(everywhere.sessions)).toEqual([...mine, ...theirs].reverse());
    expect(recordedSessions(home, join(folder, 'empty'))).toEqual({ sessions: [], isEverywhere: false });
  });

  test('follows no links', () => {
    const { home, folder } = machine();
    symlinkSync(folder, join(home.records, 'loop'));
    expect(recordedSessions(home).sessions).toHaveLength(4);
  });
});

describe('an address', () => {
  test('@N counts from the newest', () => {
    const { home, project, mine } = machine();
    expect(['@1', '@2', '@3'].map((at) => resolveRecorded(at, home, project).sessionId)).toEqual([...mine].reverse());
  });

  test('that ends one id names it, in any case', () => {
    const { home, project, mine } = machine();
    for (const id of mine) expect(resolveRecorded(id.slice(-12).toUpperCase(), home, project).sessionId).toBe(id);
  });

  test('that is a whole id names it, whatever folder it was recorded for', () => {
    const { home, project, theirs } = machine();
    expect(resolveRecorded(theirs[0]!, home, project).sessionId).toBe(theirs[0]);
  });

  test('that is a path is taken literally', () => {
    const { home, project, folder, mine } = machine();
    const recordsDir = join(home.records, project.slice(1), mine[1]!);
    expect(resolveRecorded(recordsDir, home)).toEqual({ sessionId: mine[1], recordsDir, isPath: true });
    writeFileSync(join(folder, 'a.murbundle'), '');
    expect(resolveRecorded(join(folder, 'a.murbundle'), home)).toMatchObject({ sessionId: '', isPath: true });
    expect(codeOf(() => resolveRecorded(join(folder, 'nothing.jsonl'), home))).toBe('E-IO-001');
  });

  test.each([
    ['@0', 'is no place in the list'],
    ['@-1', 'is no place in the list'],
    ['@4', 'names no recorded session: 3 are recorded'],
    ['abc', 'too short'],
    ['zzzz', "no recorded session ends with 'zzzz'"],
    [`ses_${'0'.repeat(32)}`, 'is recorded on this machine'],
  ])('%s is refused: %s', (address, reason) => {
    const { home, project } = machine();
    expect(() => resolveRecorded(address, home, project)).toThrow(
      expect.objectContaining({ code: 'E-TRC-002', message: expect.stringContaining(reason) }),
    );
  });

  test('that fits several is refused with all of them, sorted and indented', () => {
    const { home, project } = machine();
    const ids = ['aaaa', 'bbbb'].map((head) => `ses_${head}${'0'.repeat(28)}`);
    for (const id of ids) mkdirSync(join(home.records, project.slice(1), id));
    expect(() => resolveRecorded('000000', home, project)).toThrow(
      `'000000' matches 2 recorded sessions\n  ${ids[0]}\n  ${ids[1]}`,
    );
  });

  test('of any text names a session or is refused by code', () => {
    const { home, project } = machine();
    fc.assert(
      fc.property(fc.string(), (address) => {
        try {
          expect(resolveRecorded(address, home, project).sessionId).toBeTypeOf('string');
        } catch (error) {
          expect(['E-TRC-002', 'E-IO-001']).toContain((error as { code: string }).code);
        }
      }),
    );
  });
});
