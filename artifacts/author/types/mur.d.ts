// What the source of a mur artifact may use. Written by `mur new`; editors and tsc read it, `mur build` does not need it.

declare module 'mur:tool' {
  export interface FileEntry {
    name: string;
    type: 'file' | 'folder' | 'other';
  }

  /**
   * The work folder of the capsule. Paths are relative to it; a file that is missing, or a path that leads out, ends the call as failed.
   * `state/` is a folder of the tool's own that outlives the session, where its entry has capabilities.state.
   */
  export const files: {
    /** UTF-8 text. */
    readText(path: string): string;
    readBytes(path: string): Uint8Array;
    /** Makes the folders above it. */
    writeText(path: string, text: string): void;
    writeBytes(path: string, bytes: Uint8Array): void;
    /** What a folder holds, by name. Default: the work folder. */
    list(path?: string): FileEntry[];
    exists(path: string): boolean;
    makeFolder(path: string): void;
    remove(path: string): void;
  };

  export interface Ran {
    /** Any exit code is a result; 128 + n for a program that signal n ended. */
    exitCode: number;
    stdout: string;
    stderr: string;
    /** True when either was longer than what is here, which is at most 16384 bytes of each. */
    truncated: boolean;
    /** A file with all of it, which programs can read. */
    logPath: string | undefined;
  }

  /**
   * Programs of the machine. The capsule has to allow each by its name (capabilities.shell.allow), and gets to know that the tool asks
   * for some. One that did not run ends the call as failed.
   */
  export const shell: {
    /**
     * Runs `program` in the work folder, with these arguments and no shell around them, and waits for its end. What it takes counts for
     * the deadline of the call, whose end is its end too.
     */
    run(program: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Ran;
  };

  export interface Sent {
    /** The peer's task, and its conversation: send on in it by naming it. */
    taskId: string;
    contextId: string;
    state: 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'rejected' | 'canceled';
  }

  /**
   * Other capsules, and agents that speak A2A. They are reached like any host (capabilities.network.allow), and a capsule takes such tasks
   * only where its manifest says exports.peer_tasks.accept.
   */
  export const peers: {
    /**
     * Sends `text` to the agent at `url` (`host:port`, or an http URL) and returns as soon as it has taken it. A message that was not taken ends
     * the call as failed.
     */
    send(url: string, text: string, contextId?: string): Sent;
  };

  /**
   * Asks the person who sent the task, and waits for the reply, which does not count for the deadline of the call. Only for tasks that came
   * through the door of the session, by `mur send` or from a client: in any other, such as one given to `mur run`, and where nobody answers
   * in time, the call ends here.
   */
  export function ask(question: string): string;

  /** Ends the call as failed. Write for a model: what is wrong, and what to do instead. */
  export function fail(message: string): never;

  export interface AnswerDetails {
    /** One line for people. */
    summary?: string;
    /** Whether the call only read, or changed something; with `resource` it lets the runtime notice repeated work. */
    effect?: 'read' | 'mutate';
    /** What was read or changed, by a name of the tool's own. */
    resource?: string;
    /** True when there is more than was returned. */
    truncated?: boolean;
  }
  /** A result with more to it than its data. */
  export function answer(data: unknown, details?: AnswerDetails): unknown;

  /** The `config:` block of the artifact's entry in the capsule manifest; `{}` when it has none. */
  export function config<T extends object = Record<string, unknown>>(): Partial<T>;
  /** A variable the capsule allows (capabilities.env), or `undefined`. */
  export function env(name: string): string | undefined;
  export function sleep(milliseconds: number): Promise<void>;
}

declare module 'mur:driver' {
  export { env, fail, sleep } from 'mur:tool';

  export interface InferenceRequest {
    model: string;
    max_tokens: number;
    system?: string;
    messages: { role: 'user' | 'assistant' | 'tool'; content: Record<string, unknown>[]; tool_call_id?: string }[];
    tools?: { name: string; description?: string; parameters?: unknown }[];
    params?: Record<string, unknown>;
  }
  export interface InferenceResponse {
    stop_reason: 'end_turn' | 'tool_use' | 'max_tokens' | (string & {});
    content: Record<string, unknown>[];
    usage?: { input_tokens?: number; output_tokens?: number };
  }
  /** `inference.driver.config`, over the `config:` block of the entry. */
  export function config<T extends object = Record<string, unknown>>(): Partial<T>;
  /** The address behind the gateway, without a slash at its end. */
  export function endpoint(): string;
  /** What stands for the key; the runtime puts the real one into the request. Absent without a key. */
  export function key(): string | undefined;
  /** Progress while the answer is made. */
  export const stream: {
    text(chunk: string): void;
    thinking(chunk: string): void;
    callStarted(id: string, name: string): void;
    callBytes(id: string, bytes: number): void;
  };
}

declare module 'mur:hook' {
  export { config, env } from 'mur:tool';

  export interface Message {
    role: string;
    content: string;
    id?: string | null;
    sourceId?: string | null;
  }
  /** What a function of a hook returns: nothing, or one of these. Which of them an event honours: binding and commit_policy in murmur.yaml. */
  export type HookOutput =
    | undefined
    // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return is meant
    | void
    | { replaceContext: Message[] }
    | { seedContext: Message[] }
    | { writeManifests: { binaryName: string; content: string }[] }
    | { artifact: string }
    | { reopenTask: string }
    | { deny: string };

  export interface SessionContext {
    capsuleName: string;
    capsuleVersion: string;
    sessionId: string;
    model: string;
    capabilities: string[];
  }
  export interface StageEvent {
    shellAllow: string[];
  }
  export interface TaskStartEvent {
    taskId: string;
    contextId: string;
    source: string;
    inputBytes: number;
    budgetTokens: number;
    contextWindow: number;
    priorTokens: number;
  }
  export interface TaskEndEvent {
    taskId: string;
    exitStatus: string;
  }
  export interface InferenceEvent {
    turn: number;
    inputTokens: number;
    outputTokens: number;
    decision: string;
    toolName: string | null;
    prompt: string | null;
    output: string | null;
    tools: string | null;
  }
  export interface ToolEvent {
    turn: number;
    toolName: string;
    inputBytes: number;
    /** JSON text. */
    input: string;
    /** Absent before the call runs, which is when it can be denied. */
    outcome: { outputBytes: number; durationMs: number; status: string } | null;
  }
  export interface ShellEvent {
    turn: number;
    binary: string;
    command: string;
    argv: string[];
    script: string | null;
    recipe: string | null;
    outcome: {
      exitCode: number;
      stdout: string;
      stderr: string;
      stdoutBytes: number;
      stderrBytes: number;
      durationMs: number;
    } | null;
  }
  export interface CompactionEvent {
    messages: Message[];
    sessionTokens: number;
    threshold: number;
    model: string | null;
    systemPrompt: string | null;
  }
  export interface SessionEndEvent {
    totalTurns: number;
    totalInputTokens: number;
    totalOutputTokens: number;
    totalToolCalls: number;
    totalShellCalls: number;
    durationMs: number;
    exitStatus: string;
  }
}

// What else is there: ECMAScript, and this part of the web. No Node modules, no URL, no DOM.

declare const console: Record<'log' | 'info' | 'warn' | 'error' | 'debug', (...values: unknown[]) => void>;
declare function setTimeout(run: (...given: never[]) => void, milliseconds?: number, ...given: unknown[]): number;
declare function setInterval(run: (...given: never[]) => void, milliseconds?: number, ...given: unknown[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(job: () => void): void;

interface MurResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]> & {
    get(name: string): string | null;
    has(name: string): boolean;
  };
  text(): Promise<string>;
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
}
/** One request to a host that the capsule allows (capabilities.network). Redirects are not followed. */
declare function fetch(
  url: string,
  options?: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array },
): Promise<MurResponse>;

declare class TextEncoder {
  encode(text?: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(bytes?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare const crypto: { getRandomValues<T extends ArrayBufferView>(view: T): T; randomUUID(): string };
