import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { artifactsFolder } from '../compile/package-files.js';

/** One file of a project to be, with `/` between folders. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The files of artifacts/templates/<template>, with every `__word__` of `values` filled in, sorted by path. `.tpl`
 * at the end of a name keeps editors and tests from reading a template as what it will become.
 */
export function render(template: string, values: Readonly<Record<string, string>>): ScaffoldFile[] {
  const folder = join(artifactsFolder(), 'templates', template);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const place = join(entry.parentPath, entry.name);
      return {
        path: place.slice(folder.length + 1).replace(/\.tpl$/, ''),
        text: filled(readFileSync(place, 'utf8'), values),
      };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One file of the package's artifacts folder as it is. */
export function plainFile(path: string, from: string): ScaffoldFile {
  return { path, text: readFileSync(join(artifactsFolder(), from), 'utf8') };
}

/** Values that may hold anything stand between double quotes in the templates, and are escaped for there. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/__([a-z]+)__/g, (whole, word: string) => {
    const value = values[word];
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1);
  });
}
