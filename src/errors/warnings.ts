import type { Feature } from './table.js';

/**
 * Every warning code this project can print (spec/diagnostics.md sections 7 to 9). A warning never changes an exit status. `hint` is
 * what an operator can do about it. Not the errors (table.ts) and not the printed line (src/cli/output.ts).
 */
export interface WarningRow {
  /** One line for the reference page: when it is printed. */
  readonly when: string;
  readonly hint: string;
  /** The feature that will print it. Until the mark is taken off, printing it does not compile. */
  readonly waitsFor?: Feature;
}

const rows = {
  'W-BLD-001': {
    when: 'requires_files names a file that packs at the root anyway',
    hint: 'remove it from requires_files',
  },
  'W-BLD-002': {
    when: 'capsule.wasm lies beside other root components, which are packed and never run',
    hint: 'remove the others, or name one payload',
  },
  'W-BLD-003': {
    when: 'an artifact packs sources or build output',
    hint: 'remove them from requires_files',
  },
  'W-BLD-901': {
    when: 'a tool starts programs of the host, which a capsule has to allow',
    hint: 'say in its description which programs it needs, for capabilities.shell.allow of a capsule',
  },
  'W-BLD-902': {
    when: 'a tool sends to other capsules, which a capsule has to allow',
    hint: 'say in its description which hosts it needs, for capabilities.network.allow of a capsule',
  },
  'W-DEPLOY-001': {
    when: 'the target compiled none or not all of the artifacts ahead of time',
    hint: 'the first run there compiles them; look at the line the target gave',
    waitsFor: 'deploy',
  },
  'W-DEPLOY-002': {
    when: 'the target unpacks under other size limits than this machine',
    hint: 'set the variables the warning names on the target',
    waitsFor: 'deploy',
  },
  'W-REG-001': {
    when: 'a native artifact was stored without a platform',
    hint: 'pack it with --platform',
  },
  'W-REG-002': {
    when: 'a capsule that may be spawned cannot be inspected',
    hint: 'install it, or pin one version of it',
    waitsFor: 'delegation',
  },
  'W-REG-003': {
    when: 'an installed artifact nobody declares speaks an interface this mur does not serve',
    hint: 'install a matching release, or remove it',
  },
  'W-ROS-001': {
    when: 'more members may call one member than its queue holds',
    hint: 'raise lifecycle.queue_depth of that member',
    waitsFor: 'formations',
  },
  'W-RUN-001': {
    when: 'a turn stopped at the output cap, so the answer is a fragment',
    hint: 'raise inference.max_tokens',
  },
  'W-RUN-002': {
    when: 'the version of the harness is untested or cannot be read',
    hint: 'use a version the driver names',
    waitsFor: 'process transport',
  },
  'W-RUN-003': {
    when: 'another driver choice is unavailable, because its key was found nowhere',
    hint: 'set the key, or remove the alternate',
    waitsFor: 'alternates',
  },
  'W-RUN-004': {
    when: 'the input schema of a tool is malformed, so required inputs are not checked',
    hint: 'correct input_schema in the manifest of the tool',
  },
  'W-RUN-007': {
    when: 'a formation id came without the lifeline of its launcher',
    hint: 'start members with mur run --roster',
    waitsFor: 'formations',
  },
  'W-RUN-008': {
    when: 'a member may call peers and its network list reaches no door of this machine',
    hint: 'add localhost to capabilities.network.allow',
    waitsFor: 'formations',
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
  'W-RUN-905': {
    when: 'murmur.lock could not be written, so nothing is pinned; the session runs on',
    hint: 'make the project folder writable, or run mur install where it is and keep the lock with the project',
  },
  'W-SEC-001': {
    when: 'shell commands are allowed and this kind of host has no kernel sandbox',
    hint: 'run on Linux with Landlock, or allow no commands',
  },
  'W-SEC-002': {
    when: 'shell commands are allowed and this Linux has no Landlock, so files and programs are not fenced for them',
    hint: 'run on a kernel with Landlock, or allow no commands',
  },
  'W-SEC-003': {
    when: 'a shell with network access is held back by its environment only',
    hint: 'run on Linux with Landlock, or remove one of the two',
  },
  'W-SEC-004': {
    when: 'a manifest field, or a file of a skill, holds what reads like a key',
    hint: 'write a reference to a variable instead, and keep the key in the environment or the config',
  },
  'W-SEC-005': {
    when: 'the kernel confines the commands of this session, and says what one key would open again',
    hint: 'nothing to do: it tells what is in force',
  },
  'W-SEC-006': {
    when: 'a hook entry declares a grant that hooks do not take',
    hint: 'remove it from the entry',
    waitsFor: 'hooks',
  },
  'W-SEC-007': {
    when: 'an artifact asks for a destination outside the ceiling of the capsule, which is dropped',
    hint: 'add it to capabilities.network.allow, or remove it from the artifact entry',
  },
  'W-SEC-008': {
    when: 'an artifact entry declares a grant that has no effect there',
    hint: 'declare it on the capsule, or remove it',
  },
  'W-SEC-009': {
    when: 'an interpreter may read folders of the host',
    hint: 'keep the list as short as the interpreter allows',
  },
  'W-SEC-010': {
    when: 'commands run without a limit on how many processes they start',
    hint: 'give mur a cgroup of its own',
  },
  'W-SEC-011': {
    when: 'files made in the work folder may be executed',
    hint: 'remove capabilities.filesystem.workdir_exec unless a command needs it',
  },
  'W-SEC-012': {
    when: 'a sealed compiler cannot run one of its helpers',
    hint: 'grant the folder the warning names in capabilities.shell.interpreter_runtime, or allow the helper',
  },
  'W-SEC-013': {
    when: 'any process of this host may make user namespaces',
    hint: 'restrict them in the AppArmor settings of the host',
  },
  'W-SEC-014': {
    when: 'the capsule itself declares a state store, which has no effect',
    hint: 'declare it on the artifact entry that needs it',
  },
  'W-SEC-015': {
    when: 'never: configuration is delivered to native tools too',
    hint: 'the code is kept so that it is not given another meaning',
    waitsFor: 'native tools',
  },
  'W-SEC-016': {
    when: 'the capsule itself declares conversation access, which has no effect',
    hint: 'declare it on a hook entry',
  },
  'W-SEC-017': {
    when: 'read-only paths and an interpreter are both declared, and nothing but the check of calls holds the interpreter',
    hint: 'use a host with bubblewrap, where the paths are mounted read-only, or remove the interpreter',
  },
  'W-SEC-018': {
    when: 'read-only paths are declared and nothing but the check of calls holds a tool whose inputs look like undeclared paths',
    hint: 'mark the path inputs in the schema of the tool',
  },
  'W-SEC-019': { when: 'the manifest has a key this version does not know', hint: 'correct the key, or remove it' },
  'W-SEC-021': {
    when: 'the limit on disk traffic could not be applied',
    hint: 'run on a host whose cgroup has the io controller',
  },
  'W-SEC-022': {
    when: 'commands may end in the background and this lifecycle never hears of it',
    hint: 'use task_acceptance: queue with after_task: sleep',
  },
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
  'W-SEC-029': {
    when: 'a compiler could not be asked for its helpers',
    hint: 'check that it runs on this host',
  },
  'W-SEC-030': {
    when: 'what an artifact spends through its gateway is not metered',
    hint: 'give a gateway only to the configured driver, or watch the spending at the provider',
  },
  'W-SEC-031': {
    when: 'the harness signs in otherwise than by its subscription',
    hint: 'unset the key variable it picked up',
    waitsFor: 'process transport',
  },
  'W-SEC-032': {
    when: 'the door listens beyond this machine without authentication',
    hint: 'bind it to 127.0.0.1',
  },
  'W-SEC-901': {
    when: 'this session runs as root and nothing limits how many processes it starts',
    hint: 'run as another user, or give mur a cgroup',
  },
  'W-SEC-902': {
    when: 'commands run as the operator, with nothing of the kernel around them',
    hint: 'choose another containment class',
  },
  'W-SEC-903': {
    when: 'a folder lent to capsules holds, or lies in, a known place of credentials',
    hint: 'lend a narrower folder',
  },
  'W-SEC-904': {
    when: 'a shell.allow entry holds a slash, so it is offered as no tool',
    hint: 'write the bare name of the binary',
  },
  'W-SEC-905': {
    when: 'this host cannot walk paths by descriptor, so a process that swaps folders could lead a tool outside',
    hint: 'run on Linux, or let no other process change the work folder',
  },
  'W-SEC-906': {
    when: 'a component asks to start programs, and may start none',
    hint: 'name the programs in capabilities.shell.allow; a tool may start them when its entry narrows neither files nor network',
  },
  'W-SEC-907': {
    when: 'node is allowed with an address space too small for WebAssembly, which its fetch is made of',
    hint: 'raise capabilities.resources.memory_bytes to 12884901888 (12 GiB): it bounds addresses; what is used is bounded by cgroup_memory_bytes',
  },
  'W-SEC-908': {
    when: 'an allowed program is not on PATH',
    hint: 'install it, correct its name in capabilities.shell.allow, or start mur with a PATH that has it',
  },
} satisfies Record<string, WarningRow>;

/** Every code that has a row. */
export type KnownWarningCode = keyof typeof rows;

/** The codes that can be printed: those whose row waits for nothing. */
export type WarningCode = {
  [Code in KnownWarningCode]: (typeof rows)[Code] extends { readonly waitsFor: Feature } ? never : Code;
}[KnownWarningCode];

export const warningTable: Readonly<Record<KnownWarningCode, WarningRow>> = rows;
