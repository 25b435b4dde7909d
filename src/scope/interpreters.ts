/** Programs that run a text they are given, so what a call writes cannot be read off its arguments (spec/diagnostics.md W-SEC-017). */
const interpreters: ReadonlySet<string> = new Set(
  'bash sh zsh fish dash ksh python python3 perl ruby node deno bun php awk gawk mawk lua tclsh Rscript'.split(' '),
);

export function isInterpreter(binary: string): boolean {
  return interpreters.has(binary);
}
