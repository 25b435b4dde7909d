/** `owner/name` as GitHub spells it. */
export interface Repo {
  readonly owner: string;
  readonly repo: string;
}

/** The repository of `owner/name`; `undefined` for any other text. The name is never `.` or `..`, which would climb in an address. */
export function repoOf(text: string): Repo | undefined {
  const match = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([A-Za-z0-9._-]{1,100})$/.exec(text.trim());
  const [, owner, repo] = match ?? [];
  if (owner === undefined || repo === undefined || /^\.{1,2}$/.test(repo)) return undefined;
  return { owner, repo };
}

/** Whether both name one repository; GitHub ignores case. */
export function isSameRepo(a: Repo, b: Repo): boolean {
  return `${a.owner}/${a.repo}`.toLowerCase() === `${b.owner}/${b.repo}`.toLowerCase();
}
