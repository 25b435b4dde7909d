/** The names a relative path walks through, or why it is no path below a directory. `.` and empty names are dropped. */
export type Segments =
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly reason: string };

export function segmentsOf(rel: string): Segments {
  if (rel.includes('\0')) return { ok: false, reason: 'the path holds a NUL byte' };
  if (rel.startsWith('/')) return { ok: false, reason: 'the path is absolute' };
  const names = rel.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return { ok: false, reason: 'the path names ..' };
  return { ok: true, names };
}
