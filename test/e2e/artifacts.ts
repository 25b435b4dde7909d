/** Archives for tests that install and run them, and a GitHub that serves releases of them. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { packArchive } from '../../src/artifacts/archive.js';
import { sha256Hex } from '../../src/text/index.js';
import { type Server, serve } from '../artifacts/registries/server.js';

const component = readFileSync(resolve(import.meta.dirname, '../../artifacts/mur-tool-files/mur-tool-files.wasm'));

/** The files tool under another name. `note` changes the bytes of the archive and nothing else. */
export function toolZip(name: string, version: string, note = ''): Promise<Uint8Array> {
  const manifest = `name: ${name}\nversion: "${version}"\nruntime: tool\ndescription: Works on files. ${note}\n`;
  return packArchive([
    { name: 'murmur.yaml', bytes: Buffer.from(manifest) },
    { name: 'tool.wasm', bytes: component },
  ]);
}

export interface ReleaseAsset {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A GitHub API that has one release per tag of `acme/tools`; the last one is the latest. */
export function serveReleases(releases: Readonly<Record<string, readonly ReleaseAsset[]>>): Promise<Server> {
  const latest = Object.keys(releases).at(-1);
  return serve((request, response) => {
    const path = request.url ?? '';
    const [, tag, index] = /^\/assets\/([^/]+)\/(\d+)$/.exec(path) ?? [];
    const asset = tag === undefined ? undefined : releases[tag]?.[Number(index)];
    if (asset !== undefined) {
      response.writeHead(200, { 'content-length': String(asset.bytes.length) }).end(asset.bytes);
      return;
    }
    const asked = /^\/repos\/acme\/tools\/releases\/(?:tags\/(.+)|latest)$/.exec(path);
    const wanted = asked === null ? undefined : (asked[1] ?? latest);
    const assets = wanted === undefined ? undefined : releases[wanted];
    if (assets === undefined) {
      response.writeHead(404).end('{"message": "Not Found"}');
      return;
    }
    const listed = assets.map(({ name, bytes }, at) => ({
      name,
      size: bytes.length,
      digest: `sha256:${sha256Hex(bytes)}`,
      url: `http://${request.headers.host}/assets/${wanted}/${at}`,
    }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ tag_name: wanted, assets: listed }));
  });
}

/** `~/.murmur/config.yaml` with `acme/tools` as the only source. */
export const acmeConfig = 'registry: { default: acme, sources: [{ name: acme, type: github, repo: acme/tools }] }\n';
