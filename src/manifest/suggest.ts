/** The known key nearest to `written`, when it is near enough to be a slip of the pen; `-` against `_` counts as one edit. */
export function nearestKey(written: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = 3;
  for (const key of known) {
    const folded = key.replaceAll('-', '_') === written.replaceAll('-', '_');
    const distance = folded ? 1 : editDistance(written, key);
    // Two edits turn any three letters into most others; a short key needs a closer match.
    const allowed = Math.min(2, Math.floor(Math.min(written.length, key.length) / 2));
    if (distance <= allowed && distance < bestDistance) {
      best = key;
      bestDistance = distance;
    }
  }
  return best;
}

/** Damerau-Levenshtein distance (insert, delete, replace, swap neighbours), stopping to count above 3. */
export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return 4;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) value = Math.min(value, before[j - 2]! + 1);
      row.push(value);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}
