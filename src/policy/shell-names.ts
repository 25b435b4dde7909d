import { pathSegmentProblem } from '../manifest/index.js';

/**
 * The entries of `capabilities.shell.allow`, each once and in their order: those that are offered as tools, and those that are not
 * because they name no program on a PATH (`W-SEC-904`).
 */
export function shellNames(allow: readonly string[]): {
  readonly offered: readonly string[];
  readonly withheld: readonly string[];
} {
  const names = [...new Set(allow)];
  const isName = (name: string): boolean => pathSegmentProblem(name) === undefined;
  return { offered: names.filter(isName), withheld: names.filter((name) => !isName(name)) };
}
