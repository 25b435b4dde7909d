const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const tenYearsMs = 3_650 * unitMs.d;

/** Milliseconds of `90`, `90s`, `5m`, `2h` or `1d`, at most ten years; `undefined` for anything else, zero included. */
export function parseDeadline(text: string): number | undefined {
  const match = /^(\d+)([smhd]?)$/.exec(text.trim());
  if (match === null) return undefined;
  const unit = (match[2] || 's') as keyof typeof unitMs;
  const ms = Number(match[1]) * unitMs[unit];
  return ms > 0 ? Math.min(ms, tenYearsMs) : undefined;
}
