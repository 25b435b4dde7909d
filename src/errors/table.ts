/**
 * Every error code of mur (spec/diagnostics.md); warnings.ts has the warnings. Codes are stable and never reused; codes of our own are
 * numbered 9xx. Message shapes are in src/reference/messages.ts, and reference.md beside this file shows all of it as a page.
 */
export interface ErrorRow {
  /** One line for the reference page: when it is raised. */
  readonly when: string;
  /** The next action, when the place that raises the error gives none. */
  readonly hint?: string;
  /** Process exit status, 1 unless given. */
  readonly exit?: number;
  /** The feature that will raise it. Until the mark is taken off, raising it does not compile. */
  readonly waitsFor?: Feature;
}

/** Parts of mur that are specified and not built yet. */
export type Feature =
  | 'alternates'
  | 'containment'
  | 'control'
  | 'conversation'
  | 'delegation'
  | 'deploy'
  | 'eval'
  | 'exports'
  | 'formations'
  | 'hooks'
  | 'native tools'
  | 'new from a task'
  | 'process transport'
  | 'resources'
  | 'resume'
  | 'runtime pulls'
  | 'shell'
  | 'spend'
  | 'state stores'
  | 'topology';

const rows = {
  'E-MAN-001': { when: 'a required manifest key is missing or blank', hint: 'add the key to murmur.yaml' },
  'E-MAN-002': { when: 'the manifest is not valid YAML, or a value has the wrong YAML type' },
  'E-MAN-003': { when: 'a manifest value breaks a rule' },
  'E-IO-001': { when: 'a path does not exist', hint: 'check the path, or run mur where the file is' },
  'E-IO-002': { when: 'the host denied access to a path' },
  'E-IO-003': { when: 'another input or output failure, or an unusable flag value' },
  'E-CFG-001': {
    when: 'a capsule is to be generated, and no provider is configured and nobody can be asked',
    hint: 'set inference.provider in the global config, or the key variable of a provider',
    waitsFor: 'new from a task',
  },
  'E-CFG-002': { when: 'a config key is not supported, or belongs to the global config only' },
  'E-CFG-901': { when: 'a command of a beta feature that is not enabled' },
  'E-CFG-902': { when: 'a beta feature is enabled and this version does not have it' },
  'E-NEW-001': { when: 'the generator wrote no manifest', waitsFor: 'new from a task' },
  'E-NEW-002': { when: 'the name of a new project is not an artifact name' },
  'E-NEW-003': { when: 'a new project would replace something that exists', hint: 'choose another name or folder' },
  'E-NEW-004': { when: 'the provider in the global config is not one that new agents can ask' },
  'E-REG-001': { when: 'no source has the artifact, or none for this platform' },
  'E-REG-002': { when: 'the bytes of an artifact do not have the recorded hash' },
  'E-REG-003': { when: 'a published name and version exists already', hint: 'publish a new version' },
  'E-REG-004': { when: 'the version to publish is a reserved word' },
  'E-REG-005': { when: 'what was resolved is not what the lock pins' },
  'E-REG-006': { when: 'a source gave no answer and no other one had the artifact' },
  'E-BLD-001': { when: 'the artifact to build has a name that is none' },
  'E-BLD-002': { when: 'a requires_files entry is unsafe, a link, or packs twice under one name' },
  'E-BLD-003': { when: 'the project has no single root component, or no program' },
  'E-BLD-004': { when: 'the manifest uses the name of a renamed key', hint: 'rename it' },
  'E-BLD-901': { when: 'the source of an artifact does not compile' },
  'E-BLD-902': { when: 'the source of an artifact does not export what its role needs' },
  'E-CAP-001': { when: 'a network allow entry is malformed' },
  'E-CAP-002': { when: 'a filesystem scope is absolute or leaves the work folder' },
  'E-CAP-003': { when: 'the declared containment class is not achievable on this host' },
  'E-CAP-004': { when: 'a staged runtime is declared below the sealed class' },
  'E-CAP-005': { when: 'subprocesses cannot get a network namespace of their own' },
  'E-CAP-006': { when: 'a sealed capsule allows a script whose packages it cannot reach' },
  'E-CAP-007': { when: 'an export root resolves outside the work folder', waitsFor: 'exports' },
  'E-CAP-008': { when: 'peer files of a sleeping capsule declare no short lifetime' },
  'E-CAP-009': { when: 'a state store name is not one path segment, or the store cannot be used' },
  'E-CAP-010': { when: 'an artifact config block cannot be delivered' },
  'E-CAP-011': { when: 'a context id or record store is not one path segment' },
  'E-CAP-012': { when: 'a read_only entry is absolute or leaves the work folder' },
  'E-CAP-013': { when: 'an artifact uses a name reserved for a runtime-provided tool' },
  'E-CAP-014': { when: 'the project needs variables that nothing in this environment sets' },
  'E-CAP-015': { when: 'a child is granted variables its parent does not have', waitsFor: 'delegation' },
  'E-CAP-016': { when: 'an allowed environment variable would be stripped again' },
  'E-CAP-017': { when: 'a gateway is declared for a native tool' },
  'E-CAP-018': { when: 'a gateway binds no credential', hint: 'add api_key: or keyless: true' },
  'E-CAP-019': { when: 'a process driver needs variables the capsule does not allow', waitsFor: 'process transport' },
  'E-CAP-901': { when: 'a host path lent by the config is refused' },
  'E-CAP-902': { when: 'the copy of the work folder for a child failed', waitsFor: 'delegation' },
  'E-CAP-903': { when: 'a command to be tried in a box is none of its allowed programs', exit: 126 },
  'E-CAP-904': { when: 'a command to be tried in a box is no program of PATH', exit: 127 },
  'E-CAP-905': { when: 'a command to be tried in a box could not be started in it', exit: 126 },
  'E-RUN-001': { when: 'a component trapped, hit a limit or a deadline, or could not be loaded' },
  'E-RUN-002': {
    when: 'a component imports an interface nobody provides',
    hint: 'build it against the interfaces of this mur',
  },
  'E-RUN-003': { when: 'the lock cannot be used, or does not hold what the manifest asks for' },
  'E-RUN-004': { when: 'a script capsule has no single root component' },
  'E-RUN-005': { when: 'an agent capsule configures no driver', hint: 'add inference.driver.artifact to murmur.yaml' },
  'E-RUN-006': {
    when: 'the driver is not installed, or the harness binary was not found',
    waitsFor: 'process transport',
  },
  'E-RUN-007': { when: 'the agent loop failed' },
  'E-RUN-008': { when: 'declared artifacts are not installed' },
  'E-RUN-009': { when: 'a prompt file or prompt artifact cannot be read' },
  'E-RUN-010': { when: 'the configured door port is in use' },
  'E-RUN-011': { when: 'a subprocess was killed by a resource limit', waitsFor: 'resources' },
  'E-RUN-012': { when: 'a declared cgroup limit cannot be applied on this host' },
  'E-RUN-013': { when: 'the work folder outgrew its limit' },
  'E-RUN-014': { when: 'the sealed root could not be built' },
  'E-RUN-015': { when: 'a resume names its context twice', waitsFor: 'resume' },
  'E-RUN-016': { when: 'the session to resume recorded no context', waitsFor: 'resume' },
  'E-RUN-017': { when: 'the context to resume kept no conversation', waitsFor: 'resume' },
  'E-RUN-018': { when: 'a compacting resume has no compaction hook', waitsFor: 'resume' },
  'E-RUN-019': { when: 'the session could not register with the spawn daemon', waitsFor: 'delegation' },
  'E-RUN-020': { when: 'the handle or lifeline of a spawner is unreadable', waitsFor: 'delegation' },
  'E-RUN-021': { when: 'a native tool was built for another platform' },
  'E-RUN-022': { when: 'a session address names no running session', hint: 'mur ps lists what is running' },
  'E-RUN-023': {
    when: 'a running session did not answer at its door',
    hint: 'its record is kept; try again, or mur stop it',
  },
  'E-RUN-024': { when: 'a running session could not be ended', hint: 'its record is kept; mur ps shows what is left' },
  'E-RUN-025': { when: 'an artifact behind a gateway declares no usable upstream_auth' },
  'E-RUN-026': { when: 'the spend ledger cannot be used', waitsFor: 'spend' },
  'E-RUN-027': { when: 'the upstream kept rejecting the credential' },
  'E-RUN-028': { when: 'the directory of running records cannot be used', hint: 'nothing was removed; check the path' },
  'E-RUN-029': { when: 'a driver was built for another interface version' },
  'E-RUN-030': { when: 'a driver for HTTP exports the process interface', waitsFor: 'process transport' },
  'E-RUN-032': { when: 'a process driver cannot be asked what it needs', waitsFor: 'process transport' },
  'E-RUN-033': { when: 'a turn of the harness failed', waitsFor: 'process transport' },
  'E-RUN-034': { when: 'a call of a process driver failed', waitsFor: 'process transport' },
  'E-RUN-035': { when: 'the harness was silent for too long', waitsFor: 'process transport' },
  'E-RUN-036': {
    when: 'the harness lost the session of a context',
    hint: 'start it anew with --forget-session',
    waitsFor: 'process transport',
  },
  'E-RUN-037': { when: 'a compacting resume is asked of the process transport', waitsFor: 'process transport' },
  'E-RUN-038': { when: 'a spend ceiling is set and the driver reports no usage', waitsFor: 'spend' },
  'E-RUN-039': { when: '--forget-session is used without the process transport', waitsFor: 'process transport' },
  'E-RUN-040': { when: 'the task did not complete' },
  'E-RUN-041': { when: 'the control token could not be written', waitsFor: 'control' },
  'E-RUN-042': { when: 'a session has no control surface, or it refused', waitsFor: 'control' },
  'E-RUN-043': { when: 'an artifact pulled at run time is declared in a role only the operator may give' },
  'E-RUN-044': { when: 'the formation id of the launcher is unreadable', waitsFor: 'formations' },
  'E-RUN-045': { when: 'a member of a formation did not come up', waitsFor: 'formations' },
  'E-RUN-046': { when: 'what a formation launcher handed on cannot be used', waitsFor: 'formations' },
  'E-RUN-047': { when: 'the capsule changed since it was admitted', waitsFor: 'formations' },
  'E-RUN-048': {
    when: 'mur token names a session whose door needs no token',
    hint: 'call it without one; network.authentication: { scheme: bearer } in its manifest locks the next',
  },
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
  'E-ROS-001': { when: 'a roster is missing, unreadable or malformed' },
  'E-ROS-002': { when: 'a roster has no entry member, or several' },
  'E-ROS-003': { when: 'two members of a roster have one name' },
  'E-ROS-004': { when: 'a rule of a roster names no member' },
  'E-ROS-005': { when: 'a rule names a member that takes no peer tasks', waitsFor: 'formations' },
  'E-ROS-006': { when: 'members call one another and one has a public door', waitsFor: 'formations' },
  'E-ROS-007': { when: 'the capsule of a member cannot be resolved', waitsFor: 'formations' },
  'E-ROS-008': { when: 'a rule lets a member call the entry member' },
  'E-SUP-901': { when: 'a supervised child failed too often and its supervisor gave up' },
  'E-SUP-902': { when: 'a supervised child did not end in its time and was stopped' },
  'E-SUP-903': { when: 'releasing what a supervised child held failed or took too long' },
  'E-SUP-904': { when: 'a resource was handed to a scope that is closed' },
  'E-CNV-001': { when: 'no such conversation record or context', waitsFor: 'conversation' },
  'E-CNV-002': {
    when: 'a context is recorded in several stores',
    hint: 'name one with --record',
    waitsFor: 'conversation',
  },
  'E-CNV-003': { when: 'a conversation is to be cut to less than one message', waitsFor: 'conversation' },
  'E-TRC-001': { when: 'a trace or an event log is unreadable' },
  'E-TRC-002': { when: 'a session address matches no recorded session, or several' },
  'E-TRC-901': { when: 'a replay does something else than the session did' },
  'E-TRC-902': {
    when: 'an event log was recorded with other charts than this build has',
    hint: 'replay it with the mur that recorded it, or add --force and read the result with care',
  },
  'E-TRC-903': { when: 'a bundle would hold a secret that could not be removed' },
  'E-EVAL-001': { when: 'a line of evaluation data cannot be read', waitsFor: 'eval' },
  'E-EVAL-002': { when: 'an address names no evaluated session, or several', waitsFor: 'eval' },
  'E-TOP-001': { when: 'the trace store is not reachable, or the window is malformed', waitsFor: 'topology' },
  'E-TOP-002': { when: 'a query to the trace store failed', waitsFor: 'topology' },
  'E-TOP-003': { when: 'the trace store answered with something unreadable', waitsFor: 'topology' },
  'E-DEPLOY-001': { when: 'a deployment names no host, or a malformed variable', waitsFor: 'deploy' },
  'E-DEPLOY-003': { when: 'SSH to the target failed', waitsFor: 'deploy' },
  'E-DEPLOY-004': { when: 'the target did not report its start in time', waitsFor: 'deploy' },
  'E-DEPLOY-006': { when: 'the release to upload cannot be fetched', waitsFor: 'deploy' },
} satisfies Record<string, ErrorRow>;

/** Every code that has a row. */
export type KnownErrorCode = keyof typeof rows;

/** The codes that can be raised: those whose row waits for nothing. */
export type ErrorCode = {
  [Code in KnownErrorCode]: (typeof rows)[Code] extends { readonly waitsFor: Feature } ? never : Code;
}[KnownErrorCode];

export const errorTable: Readonly<Record<KnownErrorCode, ErrorRow>> = rows;
