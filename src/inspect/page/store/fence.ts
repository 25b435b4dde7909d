/** Untrusted text stands between two marks that the runtime puts there (src/tools/fence.ts). */

/** The text inside the fence, when it is fenced the way the runtime does it. */
export function unfenced(output: string, fence: string | undefined): string {
  if (fence === undefined) return output;
  const open = output.indexOf('>\n');
  const close = output.lastIndexOf('</untrusted-content>');
  if (!output.startsWith('<untrusted-content') || open < 0 || close < open) return output;
  const inside = output.slice(open + 2, close);
  const after = output.slice(close + '</untrusted-content>'.length);
  return inside.replace(/\n$/, '') + after;
}
