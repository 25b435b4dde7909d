import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const built = join(import.meta.dirname, '../../../dist/inspect-page');
const source = join(import.meta.dirname, '../../../src/inspect/page');
const names = readdirSync(built).filter((name) => !name.endsWith('.LICENSE'));

describe('the built page', () => {
  test('is three files, less than 40 KiB compressed', () => {
    expect(names.toSorted()).toEqual(['index.html', 'page.css', 'page.js']);
    const size = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(built, name)), { level: 9 }).length, 0);
    expect(size).toBeLessThan(40 * 1024);
  });

  test('names no other place to load from, and runs nothing inline', () => {
    for (const name of names) {
      const text = readFileSync(join(built, name), 'utf8');
      const places = [...text.matchAll(/\b(?:https?|wss?):\/\/[^\s"'`)]*/g)].map(([place]) => place);
      expect(places.filter((place) => !place.startsWith('http://www.w3.org/'))).toEqual([]);
      expect(text).not.toMatch(/@import|@font-face|sourceMappingURL|\beval\(|new Function/);
    }
    const html = readFileSync(join(built, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  });
});

test('no source of the page turns text into markup', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(30);
  for (const name of files) {
    const text = readFileSync(join(source, name), 'utf8');
    expect(text, name).not.toMatch(/dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  }
});
