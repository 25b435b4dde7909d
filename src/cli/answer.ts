/** What a person types to answer a question of a session, or of the door at an address. The end of a session's id is enough to name it. */
export function answerCommand(asker: { readonly sessionId: string } | { readonly address: string }): string {
  return `mur send ${'sessionId' in asker ? asker.sessionId.slice(-8) : `--url ${asker.address}`} "..."`;
}
