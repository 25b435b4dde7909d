import { reasonOf } from '../errors/index.js';
import { type HeldDirectory, holdDirectory } from '../home/index.js';
import {
  type ConversationRecorder,
  conversationFile,
  createRecorder,
  type Message,
  mendPairs,
  readConversation,
} from '../inference/index.js';
import { pathSegmentProblem } from '../manifest/index.js';
import { plainJson, type Redact } from '../replay/plain.js';
import type { ResourceScope } from '../supervise/scope.js';
import type { TaskRequest } from '../task/index.js';
import { sha256Hex } from '../text/index.js';
import type { SessionWorld } from './world.js';

/** Most of a conversation record that is read back. */
const recordLimitBytes = 64 * 1024 * 1024;

/** The record of the task's context, and what it holds already when conversations are threaded (spec/session.md 7.1). */
export function openConversation(
  world: SessionWorld,
  task: TaskRequest,
  scope: ResourceScope,
): { history: readonly Message[]; recorder: ConversationRecorder | undefined } {
  const { request, lifecycle } = world.draft;
  if (!request.context.record) return { history: [], recorder: undefined };
  try {
    const store = request.context.recordStore ?? request.capsuleName;
    const directory = holdConversation(world, store, task.contextId);
    scope.use('conversation folder', () => directory.close());
    const bytes = directory.readFile(conversationFile, { limitBytes: recordLimitBytes });
    const loaded = readConversation(bytes ?? new Uint8Array());
    const file = directory.openAppend(conversationFile, 0o600);
    scope.use('conversation file', () => file.close());
    return {
      history: lifecycle.conversation === 'threaded' ? mendPairs(loaded.messages) : [],
      recorder: withShown(
        createRecorder(file, (error) => lost(world, error)),
        world.secrets.redact,
      ),
    };
  } catch (error) {
    lost(world, error);
    return { history: [], recorder: undefined };
  }
}

/**
 * The record is what the model is told again, so it is whole; but who looks at it later may not know the secrets of this session. What
 * they may see of a message that holds one is written beside it.
 */
function withShown(recorder: ConversationRecorder, redact: Redact): ConversationRecorder {
  return {
    record(message, extras) {
      const content = plainJson(message.content);
      const shown = plainJson(message.content, redact);
      recorder.record(message, content === shown ? extras : { ...extras, shown: JSON.parse(shown) });
    },
  };
}

/** A recorded message as it may be shown and sent away. */
export function shownMessage({ shown, ...message }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return shown === undefined ? message : { ...message, content: shown };
}

function holdConversation(world: SessionWorld, store: string, contextId: string): HeldDirectory {
  const home = holdDirectory(world.draft.home.root);
  try {
    return home.hold(`conversations/${store}/${contextFolder(contextId)}`, { mode: 0o700 });
  } finally {
    home.close();
  }
}

/** A caller names its context as it likes; a name that is no single path segment gets a folder named by its hash. */
export function contextFolder(contextId: string): string {
  return pathSegmentProblem(contextId) === undefined && contextId.length <= 128
    ? contextId
    : `ctx-${sha256Hex(contextId)}`;
}

/** A conversation that cannot be recorded is reported once; the task runs on. */
function lost(world: SessionWorld, error: unknown): void {
  world.draft.warn('W-RUN-902', `the conversation could not be recorded: ${reasonOf(error)}`);
}
