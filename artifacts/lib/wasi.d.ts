/**
 * The imports of artifacts/wit as JavaScript sees them inside QuickJS (componentize-qjs): interfaces are default exports,
 * `result` returns its value or throws (payload.ts), `option` is `null`, u64 is a number.
 */
declare module 'wasj:cli/environment@0.2.9' {
  const environment: { getEnvironment(): [string, string][] };
  export default environment;
}

declare module 'wasj:cli/stderr@0.2.9' {
  const stderr: { getStderr(): { blockingWriteAndFlush(contents: Uint8Array): void } & Disposable };
  export default stderr;
}

declare module 'wasj:random/random@0.2.9' {
  const random: { getRandomBytes(length: number): Uint8Array | number[] };
  export default random;
}

declare module 'wasj:clocks/monotonic-clock@0.2.9' {
  const clock: { subscribeDuration(nanoseconds: number): { block(): void } };
  export default clock;
}

declare module 'murmur:stream/events@0.1.0' {
  const events: {
    emitChunk(chunk: string): void;
    emitThinkingChunk(chunk: string): void;
    toolCallStarted(id: string, name: string): void;
    toolCallInputBytes(id: string, bytes: number): void;
  };
  export default events;
}

declare module 'murmur:shell/execute@0.1.0' {
  const execute: {
    run(
      binary: string,
      args: string[],
      env: [string, string][],
    ): { exitCode: number; stdout: string; stderr: string; truncated: boolean; fullOutputPath: string | null };
  };
  export default execute;
}

declare module 'murmur:message/send@0.1.0' {
  const message: {
    send(
      peerUrl: string,
      message: { messageId: string; contextId: string | null; text: string },
    ): { taskId: string; contextId: string; state: string };
  };
  export default message;
}

declare module 'murmur:task/task@0.1.0' {
  const task: { requestInput(prompt: string): string };
  export default task;
}

declare module 'wasj:filesystem/preopens@0.2.9' {
  import type { Descriptor } from 'wasj:filesystem/types@0.2.9';

  const preopens: { getDirectories(): [Descriptor, string][] };
  export default preopens;
}

declare module 'wasj:filesystem/types@0.2.9' {
  export type DescriptorType =
    | 'unknown'
    | 'block-device'
    | 'character-device'
    | 'directory'
    | 'fifo'
    | 'symbolic-link'
    | 'regular-file'
    | 'socket';

  export interface DescriptorStat {
    type: DescriptorType;
    size: number;
  }

  export interface DirectoryEntryStream extends Disposable {
    readDirectoryEntry(): { type: DescriptorType; name: string } | null;
  }

  /** The payload of what a method throws is an `error-code` word. */
  export interface Descriptor extends Disposable {
    setSize(size: number): void;
    read(length: number, offset: number): [Uint8Array | number[], boolean];
    write(buffer: Uint8Array, offset: number): number;
    readDirectory(): DirectoryEntryStream;
    createDirectoryAt(path: string): void;
    unlinkFileAt(path: string): void;
    statAt(pathFlags: { symlinkFollow: boolean }, path: string): DescriptorStat;
    openAt(pathFlags: object, path: string, openFlags: object, flags: object): Descriptor;
  }
}

declare module 'wasj:http/types@0.2.9' {
  export interface InputStream {
    /** At the end it throws with the payload `{tag: 'closed'}`. */
    blockingRead(length: number): Uint8Array | number[];
  }
  export interface Fields {
    entries(): [string, Uint8Array | number[]][];
  }
  export interface IncomingResponse {
    status(): number;
    headers(): Fields;
    consume(): { stream(): InputStream };
  }
  export interface FutureIncomingResponse {
    subscribe(): { block(): void };
    get(): null | { tag: string; val: { tag: 'ok'; val: IncomingResponse } | { tag: 'err'; val: unknown } };
  }
  export interface OutputStream extends Disposable {
    checkWrite(): number;
    write(contents: Uint8Array): void;
    blockingFlush(): void;
    subscribe(): { block(): void };
  }
  export interface OutgoingBody {
    write(): OutputStream;
  }
  export interface OutgoingRequest {
    body(): OutgoingBody;
    setMethod(method: { tag: string; val?: string }): void;
    setPathWithQuery(path: string): void;
    setScheme(scheme: { tag: string }): void;
    setAuthority(authority: string): void;
  }
  const types: {
    Fields: { fromList(entries: [string, Uint8Array][]): object };
    OutgoingRequest: new (headers: object) => OutgoingRequest;
    OutgoingBody: { finish(body: OutgoingBody, trailers: null): void };
  };
  export default types;
}

declare module 'wasj:http/outgoing-handler@0.2.9' {
  import type { FutureIncomingResponse, OutgoingRequest } from 'wasj:http/types@0.2.9';

  const handler: { handle(request: OutgoingRequest, options: null): FutureIncomingResponse };
  export default handler;
}
