/** All of it in one piece. */
export function joined(parts: Iterable<ArrayLike<number>>): Uint8Array {
  const all = [...parts];
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
