/** The durable stores of artifacts: `~/.murmur/state/<store>`, one per name, kept after the session (spec/manifest.md 4.3). */
import { join } from 'node:path';
import { ensurePrivateDirectory, type HeldDirectory, holdDirectory } from '../home/index.js';
import { PRIVATE_DIRECTORY_MODE } from '../home/murmur-home.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { needed, type StageDraft } from './draft.js';

/** Makes and holds the store of every tool and driver that has one, until the session ends. By artifact name; two may share a store. */
export function openStateStores(draft: StageDraft): void {
  const stores = new Map<string, HeldDirectory>();
  const held = new Map<string, HeldDirectory>();
  const open = (store: string): HeldDirectory => {
    const root = join(draft.home.root, 'state');
    ensurePrivateDirectory(root);
    const all = holdDirectory(root);
    try {
      const folder = all.hold(store, { mode: PRIVATE_DIRECTORY_MODE });
      draft.scope.use(`state store ${store}`, () => folder.close());
      return folder;
    } finally {
      all.close();
    }
  };
  for (const { name, role, entry } of needed(draft.resolved, 'resolve')) {
    const store = storeOf(entry, draft.request.capsuleName);
    if (store === undefined || role === 'skill') continue;
    const folder = held.get(store) ?? open(store);
    held.set(store, folder);
    stores.set(name, folder);
  }
  draft.stateStores = stores;
}

function storeOf({ capabilities }: Pick<ArtifactEntry, 'capabilities'>, capsule: string): string | undefined {
  return capabilities?.state === undefined ? undefined : (capabilities.state.store ?? capsule);
}
