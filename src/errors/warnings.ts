/**
 * Every warning code this project can print (spec/diagnostics.md sections 7 to 9). A warning never changes an exit status. `hint` is
 * what an operator can do about it. Not the errors (table.ts) and not the printed line (src/cli/output.ts).
 */
export interface WarningRow {
  /** One line for the reference page: when it is printed. */
  readonly when: string;
  readonly hint: string;
}

const rows = {
  'W-RUN-001': {
    when: 'a turn stopped at the output cap, so the answer is a fragment',
    hint: 'raise inference.max_tokens',
  },
  'W-RUN-004': {
    when: 'the input schema of a tool is malformed, so required inputs are not checked',
    hint: 'correct input_schema in the manifest of the tool',
  },
  'W-RUN-009': {
    when: 'the driver does not know the limits of the model',
    hint: 'set inference.max_tokens and context.max_tokens',
  },
  'W-RUN-901': { when: 'a manifest uses an older form', hint: 'write the newer form the warning names' },
  'W-RUN-902': {
    when: 'a file beside the work (MURMUR.md, result, conversation record) could not be written; the session runs on',
    hint: 'check the free space and the permissions of the murmur home',
  },
  'W-RUN-903': {
    when: 'something a session had opened was not released in time, or its release failed',
    hint: 'report it: a release that hangs or fails is a fault of mur',
  },
  'W-RUN-904': {
    when: 'the inspection token could not be written; the page opens, but mur inspect does not find the session',
    hint: 'check the free space and the permissions of the murmur home',
  },
  'W-SEC-002': {
    when: 'this host cannot walk paths by descriptor, so a process that swaps folders could lead a tool outside',
    hint: 'run on Linux, or let no other process change the work folder',
  },
  'W-SEC-007': {
    when: 'an artifact asks for a destination outside the ceiling of the capsule, which is dropped',
    hint: 'add it to capabilities.network.allow, or remove it from the artifact entry',
  },
  'W-SEC-008': {
    when: 'an artifact entry declares a grant that has no effect there',
    hint: 'declare it on the capsule, or remove it',
  },
  'W-SEC-011': {
    when: 'files made in the work folder may be executed',
    hint: 'remove capabilities.filesystem.workdir_exec unless a command needs it',
  },
  'W-SEC-014': {
    when: 'the capsule itself declares a state store, which has no effect',
    hint: 'declare it on the artifact entry that needs it',
  },
  'W-SEC-016': {
    when: 'the capsule itself declares conversation access, which has no effect',
    hint: 'declare it on a hook entry',
  },
  'W-SEC-019': { when: 'the manifest has a key this version does not know', hint: 'correct the key, or remove it' },
  'W-SEC-023': {
    when: 'the running record could not be written; the session runs on but cannot be addressed',
    hint: 'check the permissions of the murmur home',
  },
  'W-SEC-024': {
    when: 'a variable whose name reads like a secret is handed to guests',
    hint: 'use a gateway with api_key: instead; then no guest holds the key',
  },
  'W-SEC-025': {
    when: 'guests may reach the upstream of a gateway directly',
    hint: 'remove the host from capabilities.network.allow',
  },
  'W-SEC-027': {
    when: 'the key of a gateway is read once, at launch',
    hint: 'put it under credentials: in the config file, which is read again while a session runs',
  },
  'W-SEC-028': {
    when: 'a file that holds keys can be read by others',
    hint: 'take the rights of group and others away: chmod 600',
  },
  'W-SEC-030': {
    when: 'what an artifact spends through its gateway is not metered',
    hint: 'give a gateway only to the configured driver, or watch the spending at the provider',
  },
  'W-SEC-032': {
    when: 'the door listens beyond this machine without authentication',
    hint: 'bind it to 127.0.0.1',
  },
} satisfies Record<string, WarningRow>;

export type WarningCode = keyof typeof rows;
export const warningTable: Readonly<Record<WarningCode, WarningRow>> = rows;
