import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  baseGroup,
  cpuMax,
  parseCgroupMount,
  parseCounter,
  parseOwnGroup,
  scopeName,
  splitDevice,
} from '../../src/resources/cgroup/parse.js';

describe('reading the cgroup of this process', () => {
  test.each([
    ['0::/user.slice/x.scope\n', '/user.slice/x.scope'],
    ['9:name=systemd:/a\n4:memory:/b\n0::/\n', '/'],
    ['4:memory:/process\n1:cpu:/\n', undefined],
    ['', undefined],
  ])('%j has %s', (text, path) => {
    expect(parseOwnGroup(text)).toBe(path);
  });

  test.each([
    ['cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n', '/sys/fs/cgroup'],
    [
      'cgroup /sys/fs/cgroup/pids cgroup rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n',
      '/sys/fs/cgroup/unified',
    ],
    ['none /odd\\040place cgroup2 rw 0 0\n', '/odd place'],
    ['cgroup /sys/fs/cgroup/cgroup2 cgroup rw 0 0\n', undefined],
    ['', undefined],
  ])('%j is mounted at %s', (text, place) => {
    expect(parseCgroupMount(text)).toBe(place);
  });

  test.each([
    ['/a/b', '/m/a/b'],
    ['/', '/m'],
    ['/a/murmur-supervisor', '/m/a'],
    ['/a/murmur-supervisor/murmur-supervisor', '/m/a'],
    ['/murmur-supervisor', '/m'],
    ['/a/murmur-supervisor/b', '/m/a/murmur-supervisor/b'],
  ])('the scopes of %s are made in %s', (own, base) => {
    expect(baseGroup('/m', own)).toBe(base);
  });
});

test.each([
  [200, '200000 100000'],
  [50, '50000 100000'],
  [1, '1000 100000'],
])('%i percent of a processor is %s', (percent, text) => {
  expect(cpuMax(percent)).toBe(text);
});

test('event counters are found by their whole name', () => {
  const text = 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n';
  expect(parseCounter(text, 'oom_kill')).toBe(2);
  expect(parseCounter(text, 'oom')).toBe(3);
  expect(parseCounter(text, 'max')).toBe(0);
  expect(parseCounter('', 'max')).toBe(0);
});

test('the name of a scope is one safe segment, whatever the session is called', () => {
  expect(scopeName('murmur://me/a b', 7, 1)).toBe('murmur-murmur___me_a_b-7-1');
  fc.assert(
    fc.property(fc.string(), (id) => {
      expect(scopeName(id, 1, 2)).toMatch(/^murmur-[A-Za-z0-9._-]*-1-2$/);
    }),
  );
});

test('a device number splits as the kernel packs it', () => {
  expect(splitDevice(0x801)).toEqual({ major: 8, minor: 1 });
  expect(splitDevice(0x10_0000 | 0x103_00 | 0x05)).toEqual({ major: 0x103 & 0xfff, minor: 0x105 });
  const pack = (major: bigint, minor: bigint) =>
    ((major & 0xfffff000n) << 32n) | ((major & 0xfffn) << 8n) | ((minor & 0xffffff00n) << 12n) | (minor & 0xffn);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xfff }), fc.integer({ min: 0, max: 0xffffff }), (major, minor) => {
      expect(splitDevice(Number(pack(BigInt(major), BigInt(minor))))).toEqual({ major, minor });
    }),
  );
});
