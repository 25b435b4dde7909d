import type { RuntimeManifest } from '../manifest/index.js';

/**
 * Keys of `manifest` whose feature this build lacks, as dotted paths, in manifest order. A launch must refuse them
 * (`E-RUN-907`): running without a boundary, a lock or a tool that the manifest asks for would be worse than not running.
 */
export function unsupportedKeys(manifest: RuntimeManifest): readonly string[] {
  const { capabilities = {}, inference } = manifest;
  const keys: string[] = [];
  const when = (condition: boolean, key: string) => {
    if (condition) keys.push(key);
  };
  for (const { index, runtime, capabilities: own } of manifest.artifacts) {
    when(runtime === 'hook', `artifacts[${index}].runtime: hook`);
    when(own?.state !== undefined, `artifacts[${index}].capabilities.state`);
  }
  when(capabilities.containment === 'scoped' || capabilities.containment === 'sealed', 'capabilities.containment');
  when(capabilities.peerFetch !== undefined, 'capabilities.peer_fetch');
  when((capabilities.filesystem?.readOnly.length ?? 0) > 0, 'capabilities.filesystem.read_only');
  when(capabilities.shell !== undefined, 'capabilities.shell');
  when(capabilities.plan?.submit === true, 'capabilities.plan');
  when(capabilities.install !== undefined, 'capabilities.install');
  when((capabilities.spawn?.allow.length ?? 0) > 0, 'capabilities.spawn');
  when(manifest.network.authentication !== undefined, 'network.authentication');
  when(inference?.transport === 'process', 'inference.transport: process');
  when((inference?.alternates.length ?? 0) > 0, 'inference.alternates');
  when(manifest.exports !== undefined, 'exports');
  when(
    Object.values(manifest.control).some((list) => list.length > 0),
    'control',
  );
  return keys;
}
