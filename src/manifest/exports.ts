import { durationSeconds, sizeBytes, subpathProblem } from './grammar.js';
import { present, trimmed } from './present.js';
import type { Fault } from './report.js';
import { block, flag, quantity, text, type z } from './shape.js';
import type { Path } from './tree.js';

/** `exports`: what others may fetch from the work folder or hand in. */
export const exportsShape = block({
  files: block({ root: text(), mode: text(), max_bytes: quantity() }),
  peer_files: block({ root: text(), max_ttl: quantity(), max_bytes: quantity() }),
  peer_tasks: block({ accept: flag() }),
});

/** `exports:` (spec/manifest.md section 12). Never part of the policy: a disclosure by the operator, not a grant. */
export interface ExportsConfig {
  readonly files?: { readonly root: string; readonly maxBytes: number };
  readonly peerFiles?: { readonly root: string; readonly maxBytes: number; readonly maxTtlSeconds?: number };
  readonly peerTasks: boolean;
}

const defaultMaxBytes = 10 * 1024 ** 2;

export function readExports(raw: NonNullable<z.infer<typeof exportsShape>>, fault: Fault): ExportsConfig {
  const files = raw.files;
  const peerFiles = raw.peer_files;
  if (files && files.mode !== 'read-only') {
    throw fault(
      ['exports', 'files', 'mode'],
      files.mode ? `unknown value '${files.mode}'; expected: read-only` : 'must be read-only',
    );
  }
  if (raw.peer_tasks && typeof raw.peer_tasks.accept !== 'boolean') {
    throw fault(['exports', 'peer_tasks', 'accept'], 'must be written: true or false');
  }
  return present({
    files: files
      ? { root: readRoot(files.root, 'files', fault), maxBytes: readSize(files.max_bytes, 'files', fault) }
      : undefined,
    peerFiles: peerFiles
      ? present({
          root: readRoot(peerFiles.root, 'peer_files', fault),
          maxBytes: readSize(peerFiles.max_bytes, 'peer_files', fault),
          maxTtlSeconds: readTtl(peerFiles.max_ttl, fault),
        })
      : undefined,
    peerTasks: raw.peer_tasks?.accept ?? false,
  });
}

function readRoot(value: string | null | undefined, key: string, fault: Fault): string {
  const path: Path = ['exports', key, 'root'];
  const root = trimmed(value);
  if (root === undefined) throw fault(path, 'missing required field');
  if (subpathProblem(root) === 'absolute') throw fault(path, `'${root}' must be relative to the work folder`);
  if (root.split(/[/\\]/).includes('..')) throw fault(path, `'${root}' must not contain '..'`);
  return root;
}

function readSize(value: string | number | null | undefined, key: string, fault: Fault): number {
  if (value === null || value === undefined) return defaultMaxBytes;
  const bytes = sizeBytes(value);
  if (bytes === undefined) {
    throw fault(
      ['exports', key, 'max_bytes'],
      `expected bytes or a number with Ki, Mi or Gi, above zero, got '${value}'`,
    );
  }
  return bytes;
}

function readTtl(value: string | number | null | undefined, fault: Fault): number | undefined {
  if (value === null || value === undefined) return undefined;
  const seconds = durationSeconds(value, 'smh');
  if (seconds === undefined) {
    throw fault(
      ['exports', 'peer_files', 'max_ttl'],
      `expected seconds or a number with s, m or h, above zero, got '${value}'`,
    );
  }
  return seconds;
}
