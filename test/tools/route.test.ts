import { describe, expect, test } from 'vitest';
import { type RouteKind, type RouteTable, routeCall } from '../../src/tools/index.js';

const all: ReadonlySet<RouteKind> = new Set(['wasm', 'native', 'shell', 'skill', 'builtin']);

function table(more: Partial<Record<keyof RouteTable, readonly string[]>>): RouteTable {
  const set = (key: keyof RouteTable) => new Set(more[key] ?? []);
  return {
    runtimeProvided: set('runtimeProvided'),
    nativeImages: set('nativeImages'),
    shellBinaries: set('shellBinaries'),
    skills: set('skills'),
    wasmTools: set('wasmTools'),
    allowlist: set('allowlist'),
    removed: set('removed'),
  };
}

describe('routeCall (spec/tools.md section 3, 10.3)', () => {
  const x = ['x'];
  test.each<[string, Partial<Record<keyof RouteTable, readonly string[]>>, RouteKind]>([
    [
      'runtime-provided over everything',
      { runtimeProvided: x, nativeImages: x, shellBinaries: x, skills: x },
      'builtin',
    ],
    ['native over shell', { nativeImages: x, shellBinaries: x, skills: x, allowlist: x }, 'native'],
    ['shell over skill', { shellBinaries: x, skills: x, wasmTools: x }, 'shell'],
    ['skill over WASM', { skills: x, wasmTools: x, allowlist: x }, 'skill'],
    ['WASM', { wasmTools: x, allowlist: x }, 'wasm'],
    ['WASM when a native image has the same name', { nativeImages: x, wasmTools: x, allowlist: x }, 'wasm'],
    ['a skill without the allowlist', { skills: x }, 'skill'],
  ])('takes %s', (_, sets, kind) => {
    expect(routeCall('x', table(sets), all)).toEqual({ kind });
  });

  test.each<[string, Partial<Record<keyof RouteTable, readonly string[]>>, string]>([
    ['an unknown name, or a closed gate', {}, 'unknown'],
    ['a WASM tool outside the allowlist', { wasmTools: x }, 'not-allowed'],
    ['a native tool outside the allowlist', { nativeImages: x }, 'not-allowed'],
    ['a removed tool', { removed: x }, 'removed'],
    ['a runtime-provided tool this build cannot run', { runtimeProvided: x }, 'unsupported'],
  ])('refuses %s by name', (_, sets, reason) => {
    const route = routeCall('x', table(sets));
    expect(route).toMatchObject({ kind: 'refused', reason });
    expect(route.kind === 'refused' && route.message).toContain("'x'");
  });

  test('names what could have been called instead, and nothing that could not', () => {
    const told = (sets: Partial<Record<keyof RouteTable, readonly string[]>>): string => {
      const route = routeCall('nobody', table(sets));
      return route.kind === 'refused' ? route.message : '';
    };
    const sets = { shellBinaries: ['git'], skills: ['report'], wasmTools: ['files', 'hidden'], allowlist: ['files'] };
    expect(told(sets)).toMatch(/ Available: files, git, report\.$/);
    expect(told({ skills: Array.from({ length: 34 }, (_, index) => `s${index}`) })).toMatch(/, s\d+ and 2 more\.$/);
    expect(told({})).toMatch(/in this session\.$/);
  });

  test('finds no tool under the name of an object property', () => {
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      expect(routeCall(name, table({}))).toMatchObject({ reason: 'unknown' });
    }
  });
});
