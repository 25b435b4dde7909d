/** Names of inputs that say what they hold (spec/containment.md 16.4). Compared in lower case, without `-` and `_`. */
const folded = (names: string): ReadonlySet<string> => new Set(names.split(' ').map(foldKey));

const destinationKeys = folded(
  'dest dest_path destination destination_path target_path output_path out_path new_path to',
);
const pathKeys = folded('path file_path filepath filename file');
const contentKeys = folded('content contents text data body new_str new_string replacement patch diff');

function foldKey(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}

/** A path that is written, whatever else the object holds. */
export function isDestinationKey(key: string): boolean {
  return destinationKeys.has(foldKey(key));
}

/** A path that is written when there is content beside it. */
export function isPathKey(key: string): boolean {
  return pathKeys.has(foldKey(key));
}

export function isContentKey(key: string): boolean {
  return contentKeys.has(foldKey(key));
}

/** A name that reads like a path's, and whose value is not always taken for one that is written. */
export function looksLikePath(key: string): boolean {
  return !isDestinationKey(key) && (isPathKey(key) || /(path|file|filename|folder|directory|dir)$/.test(foldKey(key)));
}
