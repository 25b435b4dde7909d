/** What a pull may install into a session (spec/manifest.md section 6.5). Entries are verbatim, in declaration order. */
export interface InstallGrant {
  readonly skill: readonly string[];
  readonly tool: readonly string[];
  readonly from: readonly ('stores' | 'sources')[];
}
