import type { TaskAcceptance } from '../task/index.js';
import type { ExtendedCards, MethodNames } from './dialects/index.js';
import { murmurFrames } from './stream/render-murmur.js';
import { streamExtension } from './task-headers.js';

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
}

/** What the door itself adds to them. */
export interface CardDoor {
  readonly port: number;
  readonly methods: MethodNames;
  /** A token is needed: the public card then says nothing of the session and its tools. */
  readonly isAuthenticated: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const extensionBase = 'https://docs.murmur.nexus/reference/agent-card/#';
const modes = ['text/plain', 'application/json'];
/** The first is the one to prefer. */
const interfaces = [
  { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
];
/** No word here may read like a secret: scanners of public cards look for such words (design/a2a.md 1.3). */
const schemeDescription = 'A bearer of this session, handed out by whoever runs it';

/**
 * The public card, one object for every reader (spec/door.md 3.3): the keys of A2A 1.0, those of A2A 0.3, and at a public
 * door Murmur's own, the top-level `session_id` that a probe compares included.
 *
 * The methods it lists are those the door answers with more than a refusal; readers must believe them rather than a version.
 * The text holds no word that a reader could take for a credential, and no address but `localhost` (design/a2a.md 1.3).
 */
export function buildCard(input: CardInput, door: CardDoor): Json {
  const { methods, isAuthenticated } = door;
  const { tools, shell, network } = input;
  const url = urlOf(door);
  return {
    ...aboutCapsule(input),
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: olderInterfaces(url),
    supportedInterfaces: interfaces.map((one) => ({ url, ...one })),
    ...(isAuthenticated ? {} : { session_id: input.sessionId }),
    capabilities: {
      streaming: isStreaming(door),
      pushNotifications: false,
      extendedAgentCard: isAuthenticated,
      extensions: extensionsOf(input, door, isAuthenticated ? 'stranger' : 'guest'),
      ...(isAuthenticated ? {} : { tools, shell, network, cancellation: true }),
    },
    ...(isAuthenticated ? {} : { serves: { methods: methods.mur, planes: [] } }),
    supportsAuthenticatedExtendedCard: isAuthenticated,
    securitySchemes: isAuthenticated ? { bearer: { ...v03Scheme, ...v1Scheme } } : {},
    securityRequirements: isAuthenticated ? [requirement([])] : [],
    security: isAuthenticated ? [{ bearer: [] }] : [],
    skills: skills(input, door, (started) => ({
      securityRequirements: started.v1.map((method) => requirement([method])),
      security: started.v03.map((method) => ({ bearer: [method] })),
    })),
  };
}

/** The card of an authenticated door for those it let in (spec/door.md 3.4), in the shape of either protocol age. */
export function buildExtendedCards(input: CardInput, door: CardDoor): ExtendedCards {
  const card = buildCard(input, door);
  const extensions = extensionsOf(input, door, 'guest');
  return {
    v1: { ...card, capabilities: { ...(card.capabilities as Json), extensions } },
    v03: {
      ...aboutCapsule(input),
      protocolVersion: '0.3.0',
      url: urlOf(door),
      preferredTransport: 'JSONRPC',
      additionalInterfaces: olderInterfaces(urlOf(door)),
      capabilities: { streaming: isStreaming(door), pushNotifications: false, extensions },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { bearer: v03Scheme },
      security: [{ bearer: [] }],
      skills: skills(input, door, (started) => ({ security: started.v03.map((method) => ({ bearer: [method] })) })),
    },
  };
}

function aboutCapsule({ name, version }: CardInput): Json {
  const description = `Murmur capsule ${name} ${version}`;
  return { name, version, description, defaultInputModes: modes, defaultOutputModes: modes };
}

/** A2A 0.3 wants every transport listed with its address, the preferred one too; some of its readers look nowhere else. */
function olderInterfaces(url: string): readonly Json[] {
  return [{ transport: 'JSONRPC', url }];
}

function urlOf({ port }: CardDoor): string {
  return `http://localhost:${port}`;
}

function isStreaming({ methods }: CardDoor): boolean {
  return methods.v1.includes('SendStreamingMessage');
}

const v1Scheme = { httpAuthSecurityScheme: { scheme: 'Bearer', description: schemeDescription } };
const v03Scheme = { type: 'http', scheme: 'Bearer', description: schemeDescription };

function requirement(scopes: readonly string[]): Json {
  return { schemes: { bearer: { list: scopes } } };
}

/** One skill, whatever is installed: a task. `secured` says what starting one takes, at an authenticated door. */
function skills(
  { acceptance }: CardInput,
  { methods, isAuthenticated }: CardDoor,
  secured: (started: { readonly v1: readonly string[]; readonly v03: readonly string[] }) => Json,
): readonly Json[] {
  if (acceptance === 'none') return [];
  const skill = {
    id: 'task',
    name: 'Run a task',
    description: 'Runs one task given as a text message and reports its outcome.',
    tags: ['task'],
  };
  if (!isAuthenticated) return [skill];
  const started = {
    v1: methods.v1.filter((method) => /^Send/.test(method)),
    v03: methods.v03.filter((method) => method.startsWith('message/')),
  };
  return [{ ...skill, ...secured(started) }];
}

/** In the order readers are told (spec/door.md 3.2). A stranger at a locked door learns nothing of the session and its tools. */
function extensionsOf(input: CardInput, door: CardDoor, reader: 'guest' | 'stranger'): readonly Json[] {
  return [
    doorExtension(input, door.methods),
    ...(reader === 'guest' ? [capsuleExtension(input)] : []),
    ...(isStreaming(door) ? [streamsExtension] : []),
  ];
}

function doorExtension({ acceptsPeerTasks }: CardInput, methods: MethodNames): Json {
  return extension(`${extensionBase}murmur-door-v1`, 'The methods this door answers', {
    methods: methods.all,
    peerTasks: acceptsPeerTasks,
  });
}

function capsuleExtension({ sessionId, tools, shell, network }: CardInput): Json {
  return extension(`${extensionBase}murmur-capsule-v1`, 'The session and what its capsule can do', {
    sessionId,
    tools,
    shell,
    network,
    planes: [],
  });
}

const streamsExtension = extension(streamExtension, 'The event types of its streams', { frames: murmurFrames });

function extension(uri: string, description: string, params: Json): Json {
  return { uri, description, required: false, params };
}
