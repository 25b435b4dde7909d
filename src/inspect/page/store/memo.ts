/** `compute` for the same arguments only once in a row: every selector is asked many times between two frames. */
export function memo<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | null = null;
  return (...args) => {
    if (last === null || args.some((arg, index) => arg !== last!.args[index]))
      last = { args, result: compute(...args) };
    return last.result;
  };
}
