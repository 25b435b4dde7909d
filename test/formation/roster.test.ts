import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { callsOf, parseRoster } from '../../src/formation/index.js';

const member = (name: string, more = '') => `  - { name: ${name}, capsule: acme/${name}, version: "1.0.0"${more} }`;
const roster = (members: readonly string[], rest = '') => `roster_version: 1\nmembers:\n${members.join('\n')}\n${rest}`;
const two = [member('lead', ', entry: true'), member('coder')];

const refusalOf = (text: string): { code: string; message: string } => {
  try {
    parseRoster(text, 'roster.yaml');
  } catch (error) {
    if (isMurError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'accepted', message: '' };
};

describe('a roster (spec/formations.md section 1)', () => {
  test('is read with its members in order; an unquoted version keeps its text', () => {
    const text = 'roster_version: 1\nmembers:\n  - { name: a, capsule: acme/a, version: 1.10, entry: true }\n';
    expect(parseRoster(text, 'roster.yaml')).toEqual({
      members: [{ name: 'a', capsule: 'acme/a', version: '1.10', isEntry: true }],
      reachability: [],
    });
  });

  test.each<[string, string, string]>([
    ['no mapping', '- a', 'expected mapping, got sequence'],
    ['broken YAML', 'a: [', 'YAML syntax error at line 1'],
    ['no version', 'members: []', 'roster_version: missing; write 1'],
    ['another version', 'roster_version: 2', 'roster_version: expected 1, got 2'],
    ['no members', 'roster_version: 1', 'members: must name at least one member'],
    ['an unknown key', roster(two, 'reachabilty: all'), "reachabilty: unknown key; did you mean 'reachability'?"],
    ['an unknown key of a member', roster([member('a', ', entry: true, role: x')]), 'members[0].role: unknown key'],
    [
      'a bad name',
      roster([member('Lead', ', entry: true')]),
      "members[0].name (member 'Lead'): 'Lead' is no member name",
    ],
    [
      'a floating version',
      roster(two).replaceAll('"1.0.0"', 'latest'),
      "members[0].version (member 'lead'): 'latest' is no exact version",
    ],
    [
      'a missing version',
      roster([...two, '  - { name: c, capsule: acme/c }']),
      "members[2].version (member 'c'): missing required field",
    ],
    [
      'a bad capsule',
      roster(two).replace('acme/coder', '"a b"'),
      "members[1].capsule (member 'coder'): 'a b' is no artifact name",
    ],
    [
      'an entry that is no boolean',
      roster([member('a', ', entry: "yes"')]),
      "members[0].entry (member 'a'): expected boolean",
    ],
    [
      'a rule without callees',
      roster(two, 'reachability: [{ from: lead, to: [] }]'),
      'reachability[0].to: must name at least one member',
    ],
    ['a rule to itself', roster(two, 'reachability: [{ from: lead, to: [lead] }]'), "'lead' cannot call itself"],
    ['another word', roster(two, 'reachability: some'), 'reachability: '],
  ])('%s is E-ROS-001 and names the key', (_, text, message) => {
    expect(refusalOf(text)).toEqual({ code: 'E-ROS-001', message: expect.stringContaining(message) });
  });

  test.each<[string, string, string]>([
    ['E-ROS-003 comes before E-ROS-002', roster([member('a'), member('a')]), 'E-ROS-003'],
    ['no entry member', roster([member('a')]), 'E-ROS-002'],
    ['two entry members', roster([member('a', ', entry: true'), member('b', ', entry: true')]), 'E-ROS-002'],
    ['a rule that names nobody', roster(two, 'reachability: [{ from: lead, to: [codr] }]'), 'E-ROS-004'],
    ['a rule into the entry member', roster(two, 'reachability: [{ from: coder, to: [lead] }]'), 'E-ROS-008'],
    ['shape before everything', roster([member('a'), member('a')], 'x: 1'), 'E-ROS-001'],
  ])('%s', (_, text, code) => {
    expect(refusalOf(text).code).toBe(code);
  });

  test('no text leads to anything but a roster or a code', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (text, value) => {
        for (const source of [text, roster(two, text), JSON.stringify(value)]) {
          expect(refusalOf(source).code).toMatch(/^(accepted|E-ROS-00[12348])$/);
        }
      }),
    );
  });
});

describe('who may call whom', () => {
  const three = [...two, member('tester')];

  test('rules join and repeat nothing', () => {
    const rules = 'reachability: [{ from: lead, to: [coder, tester] }, { from: lead, to: [coder] }]';
    expect(callsOf(parseRoster(roster(three, rules), 'r'), () => false)).toEqual([
      { from: 'lead', to: 'coder' },
      { from: 'lead', to: 'tester' },
    ]);
  });

  test('all joins those that accept peer tasks, and nobody calls the entry member', () => {
    const all = parseRoster(roster(three, 'reachability: all'), 'r');
    expect(callsOf(all, () => true)).toEqual([
      { from: 'lead', to: 'coder' },
      { from: 'lead', to: 'tester' },
      { from: 'coder', to: 'tester' },
      { from: 'tester', to: 'coder' },
    ]);
    expect(callsOf(all, (name) => name !== 'tester')).toEqual([{ from: 'lead', to: 'coder' }]);
  });
});
