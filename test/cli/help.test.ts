import { describe, expect, it } from 'vitest';
import { commandRows } from '../../src/cli/commands.js';
import { welcome } from '../../src/cli/help.js';
import { styleFor } from '../../src/cli/style.js';

describe('what bare mur says', () => {
  const text = welcome('1.2.3', styleFor(false));

  it('shows the way from nothing to a running capsule, then what to do with one', () => {
    const commands = [...text.matchAll(/^ {2}(mur [a-z]+)/gm)].map(([, command]) => command);
    expect(commands).toEqual(['mur new', 'mur build', 'mur install', 'mur run', 'mur run', 'mur inspect']);
  });

  it('names only commands that exist', () => {
    const names = new Set(commandRows.map(({ name }) => name));
    const named = [...text.matchAll(/mur (?!help)([a-z]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it('fits 120 columns, and is plain text without a terminal', () => {
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(text).not.toContain('\x1b');
  });
});
