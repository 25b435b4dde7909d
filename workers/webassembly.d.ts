/**
 * The part of the WebAssembly JavaScript API this project uses. The compiler's own declarations come only with the browser's
 * whole DOM library, which would let browser names pass unnoticed in code that runs on Node.
 */
declare namespace WebAssembly {
  type ExportValue = ((...args: never[]) => unknown) | Global | Memory | Table;
  type Imports = Record<string, Record<string, unknown>>;

  class Module {
    constructor(bytes: Uint8Array | ArrayBuffer);
    static exports(module: Module): { name: string; kind: string }[];
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }

  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Readonly<Record<string, ExportValue>>;
  }

  class Global<T = unknown> {
    constructor(descriptor: { value: string; mutable?: boolean }, initial?: T);
    value: T;
  }

  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Table {
    constructor(descriptor: { element: string; initial: number; maximum?: number });
    readonly length: number;
    grow(elements: number): number;
  }

  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}

  function validate(bytes: Uint8Array): boolean;
  function compile(bytes: Uint8Array): Promise<Module>;
}
