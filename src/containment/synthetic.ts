/** Accounts a sealed command sees: its own and root, no name of the host (spec/containment.md 12.4). */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** Byte for byte the `HOME` of the command. */
  readonly home: string;
}

/** The two made-up files. Throws for a home no line of `passwd` can hold. */
export function syntheticFiles({ uid, gid, home }: Account): { readonly passwd: string; readonly group: string } {
  if (/[:\n]/.test(home))
    throw new Error(`the home folder ${JSON.stringify(home)} holds a character that /etc/passwd cannot`);
  return {
    passwd:
      uid === 0
        ? `root:x:0:${gid}:root:${home}:/bin/sh\n`
        : `root:x:0:0:root:/root:/bin/sh\ncapsule:x:${uid}:${gid}:Murmur capsule:${home}:/bin/sh\n`,
    group: gid === 0 ? 'root:x:0:\n' : `root:x:0:\ncapsule:x:${gid}:\n`,
  };
}
