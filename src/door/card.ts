import type { TaskAcceptance } from '../task/index.js';

/** The facts a card is made of. */
export interface CardInput {
  readonly sessionId: string;
  readonly name: string;
  readonly version: string;
  readonly acceptance: TaskAcceptance;
  /** Artifacts the model can call, in install order. */
  readonly tools: readonly string[];
  /** `capabilities.shell.allow` names something. */
  readonly shell: boolean;
  /** `capabilities.network.allow` names something. */
  readonly network: boolean;
  /** `exports.peer_tasks.accept`. */
  readonly acceptsPeerTasks: boolean;
  /** A token is needed (`network.authentication`): the public card then says nothing of the session and its tools. */
  readonly isAuthenticated?: boolean;
}

const extensionBase = 'https://docs.murmur.nexus/reference/agent-card/#';

/**
 * The public card of a door without authentication, one object for every reader (spec/door.md 3.3): the keys of A2A 1.0,
 * those of A2A 0.3, and Murmur's own, the top-level `session_id` that a probe compares included.
 *
 * `methods` are those the door answers; readers must believe them rather than a version. The text holds no word that a
 * reader could take for a credential, and no address but `localhost` (design/a2a.md 1.3).
 */
export function buildCard(input: CardInput, port: number, methods: readonly string[]): Record<string, unknown> {
  const url = `http://localhost:${port}`;
  const streaming = methods.includes('message/stream');
  return {
    protocolVersion: '0.3.0',
    name: input.name,
    version: input.version,
    description: `Murmur capsule ${input.name} ${input.version}`,
    url,
    preferredTransport: 'JSONRPC',
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    session_id: input.sessionId,
    capabilities: {
      streaming,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        extension('murmur-door-v1', 'The methods this door answers', {
          methods,
          peerTasks: input.acceptsPeerTasks,
        }),
        extension('murmur-capsule-v1', 'The session and what its capsule can do', {
          sessionId: input.sessionId,
          tools: input.tools,
          shell: input.shell,
          network: input.network,
          planes: [],
        }),
      ],
      tools: input.tools,
      shell: input.shell,
      network: input.network,
      cancellation: true,
    },
    serves: { methods, planes: [] },
    supportsAuthenticatedExtendedCard: false,
    securitySchemes: {},
    securityRequirements: [],
    security: [],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: input.acceptance === 'none' ? [] : [taskSkill],
  };
}

const taskSkill = {
  id: 'task',
  name: 'Run a task',
  description: 'Runs one task given as a text message and reports its outcome.',
  tags: ['task'],
};

function extension(anchor: string, description: string, params: Record<string, unknown>): Record<string, unknown> {
  return { uri: `${extensionBase}${anchor}`, description, required: false, params };
}
