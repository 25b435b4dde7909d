/**
 * Every error code this project can produce (spec/diagnostics.md); warnings.ts has the warnings. Codes are stable and never reused;
 * codes of our own are numbered 9xx. `hint` is the next action when the place that raises the error gives none.
 */
export interface ErrorRow {
  /** One line for the reference page: when it is raised. */
  readonly when: string;
  readonly hint?: string;
  /** Process exit status, 1 unless given. */
  readonly exit?: number;
}

const rows = {
  'E-MAN-001': { when: 'a required manifest key is missing or blank', hint: 'add the key to murmur.yaml' },
  'E-MAN-002': { when: 'the manifest is not valid YAML, or a value has the wrong YAML type' },
  'E-MAN-003': { when: 'a manifest value breaks a rule' },
  'E-IO-001': { when: 'a path does not exist', hint: 'check the path, or run mur where the file is' },
  'E-IO-002': { when: 'the host denied access to a path' },
  'E-IO-003': { when: 'another input or output failure, or an unusable flag value' },
  'E-CAP-001': { when: 'a network allow entry is malformed' },
  'E-CAP-002': { when: 'a filesystem scope is absolute or leaves the work folder' },
  'E-CAP-003': { when: 'the declared containment class is not achievable on this host' },
  'E-CAP-008': { when: 'peer files of a sleeping capsule declare no short lifetime' },
  'E-CAP-009': { when: 'a state store name is not one path segment' },
  'E-CAP-010': { when: 'an artifact config block cannot be delivered' },
  'E-CAP-011': { when: 'a context id or record store is not one path segment' },
  'E-CAP-012': { when: 'a read_only entry is absolute or leaves the work folder' },
  'E-CAP-013': { when: 'an artifact uses a name reserved for a runtime-provided tool' },
  'E-CAP-016': { when: 'an allowed environment variable would be stripped again' },
  'E-CAP-018': { when: 'a gateway binds no credential', hint: 'add api_key: or keyless: true' },
  'E-RUN-001': { when: 'a component trapped, hit a limit or a deadline, or could not be loaded' },
  'E-RUN-004': { when: 'a script capsule has no single root component' },
  'E-RUN-005': { when: 'an agent capsule configures no driver', hint: 'add inference.driver.artifact to murmur.yaml' },
  'E-RUN-007': { when: 'the agent loop failed' },
  'E-RUN-008': { when: 'declared artifacts are not installed' },
  'E-RUN-009': { when: 'a prompt file or prompt artifact cannot be read' },
  'E-RUN-010': { when: 'the configured door port is in use' },
  'E-RUN-022': { when: 'a session address names no running session', hint: 'mur ps lists what is running' },
  'E-RUN-023': {
    when: 'a running session did not answer at its door',
    hint: 'its record is kept; try again, or mur stop it',
  },
  'E-RUN-024': { when: 'a running session could not be ended', hint: 'its record is kept; mur ps shows what is left' },
  'E-RUN-025': { when: 'an artifact behind a gateway declares no usable upstream_auth' },
  'E-RUN-027': { when: 'the upstream kept rejecting the credential' },
  'E-RUN-028': { when: 'the directory of running records cannot be used', hint: 'nothing was removed; check the path' },
  'E-RUN-029': { when: 'a driver was built for another interface version' },
  'E-RUN-040': { when: 'the task did not complete' },
  'E-RUN-048': { when: 'mur token names a session whose door needs no token' },
  'E-RUN-049': { when: 'mur token names a credential the door does not have' },
  'E-RUN-052': { when: 'no output cap is known for a model', hint: 'set inference.max_tokens' },
  'E-RUN-055': { when: 'the input budget of a model is zero' },
  'E-RUN-901': { when: 'the opened work folder is not the one the parent created' },
  'E-RUN-902': { when: 'a deadline was given to a launch that cannot honour it' },
  'E-RUN-903': { when: 'the runtime directory could not be created or held' },
  'E-RUN-904': { when: 'the records directory could not be created or held' },
  'E-RUN-905': { when: 'an instruction file is unreadable or malformed' },
  'E-RUN-906': { when: 'a path the runtime must write leads through a link or out of its folder' },
  'E-RUN-907': { when: 'a manifest asks for a feature this build does not have yet' },
  'E-RUN-908': { when: 'the work folder and the murmur home contain one another' },
  'E-SUP-901': { when: 'a supervised child failed too often and its supervisor gave up' },
  'E-SUP-902': { when: 'a supervised child did not end in its time and was stopped' },
  'E-SUP-903': { when: 'releasing what a supervised child held failed or took too long' },
  'E-SUP-904': { when: 'a resource was handed to a scope that is closed' },
  'E-TRC-001': { when: 'a trace or an event log is unreadable' },
  'E-TRC-002': { when: 'a session address matches no recorded session, or several' },
  'E-TRC-901': { when: 'a replay does something else than the session did' },
  'E-TRC-902': {
    when: 'an event log was recorded with other charts than this build has',
    hint: 'replay it with the mur that recorded it, or add --force and read the result with care',
  },
  'E-TRC-903': { when: 'a bundle would hold a secret that could not be removed' },
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof rows;
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = rows;
