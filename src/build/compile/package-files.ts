import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MurError } from '../../errors/index.js';

/** The `artifacts/` folder of this package, which holds what a build needs: the engine, the WIT files, the modules of authors. */
export function artifactsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'artifacts', 'engine', 'engine.json'))) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new MurError('E-IO-003', 'the folder artifacts/engine of the mur package was not found above its code', {
        hint: 'install mur again',
      });
    }
    folder = parent;
  }
  return join(folder, 'artifacts');
}
