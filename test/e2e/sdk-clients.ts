/**
 * The published A2A clients, unmodified, behind one face: what each generation says is told in the same few words, so that one test
 * asks all of them. Nothing is checked here.
 */
import { A2AClient } from 'a2a-sdk-0.2/client';
import {
  DefaultAgentCardResolver as CardsV03,
  ClientFactory as FactoryV03,
  ClientFactoryOptions as FactoryV03Options,
  JsonRpcTransportFactory as JsonRpcV03,
} from 'a2a-sdk-0.3/client';
import type { AgentInterface } from 'a2a-sdk-1';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from 'a2a-sdk-1/client';

export interface SeenTask {
  readonly id: string;
  readonly contextId: string;
  /** The word of A2A 0.3. */
  readonly state: string;
  /** What its status says. */
  readonly said: string | undefined;
  /** The text of each artifact, by its name. */
  readonly artifacts: Readonly<Record<string, string>>;
}

/** One frame of a stream. */
export type Seen =
  | ({ readonly kind: 'task' } & SeenTask)
  | { readonly kind: 'status'; readonly id: string; readonly state: string; readonly said: string | undefined }
  | {
      readonly kind: 'piece';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly append: boolean;
      readonly last: boolean;
    };

export interface SdkClient {
  /** `waits`: the answer comes when the task ended or asks, where this client can want that. */
  send(text: string, to?: { readonly task?: string; readonly waits?: boolean }): Promise<SeenTask>;
  stream(text: string, to?: { readonly task?: string }): AsyncGenerator<Seen>;
  get(id: string): Promise<SeenTask>;
  cancel(id: string): Promise<SeenTask>;
  resubscribe(id: string): AsyncGenerator<Seen>;
}

/** Makes a client of the door at `url`; `signed` is the fetch that adds a token. */
export type Connect = (url: string, signed?: typeof fetch) => Promise<SdkClient>;

const legacyCompat = { enabled: true };

/** Each generation; the 1.x one as it comes, compatible with older agents, and held to each of the other interfaces of the card. */
export const generations: readonly (readonly [string, Connect])[] = [
  ['0.2.5', connectV02],
  ['0.3.14', connectV03],
  ['1.3.0', (url, signed) => connectV1(url, signed)],
  ['1.3.0, compatible with older agents', (url, signed) => connectV1(url, signed, { legacyCompat })],
  [
    '1.3.0, speaking 0.3',
    (url, signed) => connectV1(url, signed, { legacyCompat }, ({ protocolVersion }) => protocolVersion === '0.3'),
  ],
  [
    '1.3.0, over HTTP+JSON',
    (url, signed) => connectV1(url, signed, {}, ({ protocolBinding }) => protocolBinding === 'HTTP+JSON'),
  ],
];

// biome-ignore lint/suspicious/noExplicitAny: three generations of types for the same few objects
type Loose = any;

async function connectV02(url: string): Promise<SdkClient> {
  const client = new A2AClient(url);
  const unwrap = (reply: Loose): Loose => {
    if (reply.error !== undefined) throw new Error(`${reply.error.code}: ${reply.error.message}`);
    return reply.result;
  };
  return {
    send: async (text, to = {}) => taskV03(unwrap(await client.sendMessage({ message: messageV03(text, to.task) }))),
    stream: (text, to = {}) => map(client.sendMessageStream({ message: messageV03(text, to.task) }), frameV03),
    get: async (id) => taskV03(unwrap(await client.getTask({ id }))),
    cancel: async (id) => taskV03(unwrap(await client.cancelTask({ id }))),
    resubscribe: (id) => map(client.resubscribeTask({ id }), frameV03),
  };
}

async function connectV03(url: string, signed: typeof fetch = fetch): Promise<SdkClient> {
  const factory = new FactoryV03(
    FactoryV03Options.createFrom(FactoryV03Options.default, {
      transports: [new JsonRpcV03({ fetchImpl: signed })],
      cardResolver: new CardsV03({ fetchImpl: signed }),
    }),
  );
  const client = await factory.createFromUrl(url);
  return {
    send: async (text, { task, waits = false } = {}) =>
      taskV03(await client.sendMessage({ message: messageV03(text, task), configuration: { blocking: waits } })),
    stream: (text, to = {}) => map(client.sendMessageStream({ message: messageV03(text, to.task) }), frameV03),
    get: async (id) => taskV03(await client.getTask({ id })),
    cancel: async (id) => taskV03(await client.cancelTask({ id })),
    resubscribe: (id) => map(client.resubscribeTask({ id }), frameV03),
  };
}

async function connectV1(
  url: string,
  signed: typeof fetch = fetch,
  legacy: { readonly legacyCompat?: typeof legacyCompat } = {},
  isTaken: (offered: AgentInterface) => boolean = () => true,
): Promise<SdkClient> {
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl: signed, ...legacy });
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [
        new JsonRpcTransportFactory({ fetchImpl: signed, ...legacy }),
        new RestTransportFactory({ fetchImpl: signed, ...legacy }),
      ],
      cardResolver,
    }),
  );
  const card = await cardResolver.resolve(url);
  const supportedInterfaces = card.supportedInterfaces.filter(isTaken);
  const client: Client = await factory.createFromAgentCard({ ...card, supportedInterfaces });
  const request = (text: string, task: string | undefined, configuration: object): Loose => ({
    tenant: '',
    metadata: undefined,
    message: {
      ...{ messageId: crypto.randomUUID(), contextId: '', taskId: task ?? '', role: 1, metadata: undefined },
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      ...{ extensions: [], referenceTaskIds: [] },
    },
    configuration,
  });
  const named = (id: string): Loose => ({ tenant: '', id });
  return {
    send: async (text, { task, waits = false } = {}) =>
      taskV1(await client.sendMessage(request(text, task, { returnImmediately: !waits, acceptedOutputModes: [] }))),
    stream: (text, to = {}) =>
      map(client.sendMessageStream(request(text, to.task, { acceptedOutputModes: [] })), frameV1),
    get: async (id) => taskV1(await client.getTask(named(id))),
    cancel: async (id) => taskV1(await client.cancelTask(named(id))),
    resubscribe: (id) => map(client.resubscribeTask(named(id)), frameV1),
  };
}

async function* map<T>(frames: AsyncGenerator<T>, read: (frame: T) => Seen): AsyncGenerator<Seen> {
  for await (const frame of frames) yield read(frame);
}

function messageV03(text: string, taskId: string | undefined): Loose {
  return {
    ...{ kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts: [{ kind: 'text', text }] },
    ...(taskId === undefined ? {} : { taskId }),
  };
}

function taskV03({ kind, id, contextId, status, artifacts = [] }: Loose): SeenTask {
  if (kind !== 'task') throw new Error(`a result of kind ${kind}`);
  return {
    ...{ id, contextId, state: status.state, said: status.message?.parts[0].text },
    artifacts: Object.fromEntries(artifacts.map(({ name, parts }: Loose) => [name, parts[0].text])),
  };
}

function frameV03(frame: Loose): Seen {
  const { kind, taskId: id, status, artifact, append, lastChunk: last } = frame;
  if (kind === 'task') return { kind, ...taskV03(frame) };
  if (kind === 'status-update') return { kind: 'status', id, state: status.state, said: status.message?.parts[0].text };
  return { kind: 'piece', id, name: artifact.name, text: artifact.parts[0].text, append, last };
}

/** In the order of the enumeration of A2A 1.0. */
const states = ['unspecified', 'submitted', 'working', 'completed', 'failed', 'canceled', 'input-required', 'rejected'];

function taskV1({ id, contextId, status, artifacts }: Loose): SeenTask {
  return {
    ...{ id, contextId, state: states[status.state]!, said: status.message?.parts[0].content.value },
    artifacts: Object.fromEntries(artifacts.map(({ name, parts }: Loose) => [name, parts[0].content.value])),
  };
}

function frameV1({ payload: { $case, value } }: Loose): Seen {
  const { taskId: id, status, artifact, append, lastChunk: last } = value;
  if ($case === 'task') return { kind: 'task', ...taskV1(value) };
  if ($case === 'statusUpdate')
    return { kind: 'status', id, state: states[status.state]!, said: status.message?.parts[0].content.value };
  return { kind: 'piece', id, name: artifact.name, text: artifact.parts[0].content.value, append, last };
}
