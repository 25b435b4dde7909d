import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { shorten } from '../text/shorten.js';
import { maxDepth } from './nesting.js';

export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem of the text itself, before any key has a meaning. */
export class TreeFault extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** What a mapping knew in the text that a plain object forgets. */
interface MappingFacts {
  readonly offset: number;
  /** In the order written, also for keys that look like integers. */
  readonly entries: ReadonlyMap<string, { readonly keyOffset: number; readonly valueOffset: number }>;
  /** Keys that are not strings in YAML, as written. */
  readonly oddKeys: readonly string[];
}

/**
 * A YAML document as plain values with positions. Mappings are objects without a prototype, so no key is special;
 * an integer that a number cannot hold exactly is a `bigint`.
 */
export interface Tree {
  readonly root: unknown;
  /** Where the value at `path` stands, or the nearest block around it when the key is missing. */
  positionOf(path: Path): Position | undefined;
  /** Where the last key of `path` itself stands. */
  keyPositionOf(path: Path): Position | undefined;
  /** Keys of a mapping of this tree in the order written. */
  keysOf(mapping: object): readonly string[];
  /** Keys of a mapping that are no strings in YAML, as written. */
  oddKeysOf(mapping: object): readonly string[];
}

/** Nodes that aliases may repeat. A manifest repeats a handful; an expansion bomb needs millions. */
const maxAliasNodes = 10_000;
/** What YAML itself says of a key on one line. */
const maxKeyLength = 1024;

export interface TreeOptions {
  readonly lineCounter: LineCounter;
  /** Paths whose unquoted numbers keep their source text: `1.10` stays `1.10`. */
  readonly keepsText: (path: Path) => boolean;
}

/** The plain-value form of `document`. Throws `TreeFault` for what the YAML profile of spec/manifest.md 1.1 refuses. */
export function lowerDocument(document: Document.Parsed, options: TreeOptions): Tree {
  const facts = new WeakMap<object, MappingFacts>();
  const sequences = new WeakMap<object, { readonly offset: number; readonly items: readonly number[] }>();
  const open = new Set<Node>();
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node | undefined>();
  let aliasNodes = 0;

  /** What an alias stands for: the last node before it with that anchor. The library would search the document each time. */
  const targetOf = (alias: Alias): Node | undefined => {
    if (!targets.has(alias)) targets.set(alias, anchors.get(alias.source));
    return targets.get(alias);
  };
  const anchor = (node: Scalar | YAMLMap | YAMLSeq) => {
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
  };

  // Messages leave alias names out: a key that starts with a star reads as one.
  const lower = (node: unknown, path: Path, inAlias: boolean): unknown => {
    if (isAlias(node)) {
      const target = targetOf(node);
      const offset = offsetOf(node);
      if (target === undefined) throw new TreeFault('this alias has no anchor', offset);
      if (open.has(target)) throw new TreeFault('this alias contains itself', offset);
      return lower(target, path, true);
    }
    if (inAlias) {
      aliasNodes += 1;
      if (aliasNodes > maxAliasNodes) {
        throw new TreeFault(`aliases expand to more than ${maxAliasNodes} values`, offsetOf(node));
      }
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    if (!inAlias) anchor(node);
    if (isScalar(node)) return lowerScalar(node, options.keepsText(path));
    if (path.length >= maxDepth) throw new TreeFault(`nested deeper than ${maxDepth} levels`, offsetOf(node));

    open.add(node);
    const value = isSeq(node) ? [] : (Object.create(null) as Record<string, unknown>);
    if (isSeq(node)) {
      const items = value as unknown[];
      sequences.set(items, { offset: offsetOf(node), items: node.items.map(offsetOf) });
      for (const [index, item] of node.items.entries()) items.push(lower(item, [...path, index], inAlias));
    } else {
      lowerMapping(node.items, value as Record<string, unknown>, path, inAlias, offsetOf(node));
    }
    open.delete(node);
    return value;
  };

  const lowerMapping = (
    pairs: readonly Pair[],
    mapping: Record<string, unknown>,
    path: Path,
    inAlias: boolean,
    offset: number,
  ) => {
    const entries = new Map<string, { keyOffset: number; valueOffset: number }>();
    const oddKeys: string[] = [];
    facts.set(mapping, { offset, entries, oddKeys });
    for (const pair of pairs) {
      const keyOffset = offsetOf(pair.key, offset);
      if (!inAlias && isScalar(pair.key)) anchor(pair.key);
      const key = keyOf(isAlias(pair.key) ? targetOf(pair.key) : pair.key, keyOffset);
      if (entries.has(key.text)) throw new TreeFault(`duplicate key '${shorten(key.text)}'`, keyOffset);
      if (!key.isString) oddKeys.push(key.text);
      entries.set(key.text, {
        keyOffset,
        valueOffset: pair.value === null ? keyOffset : offsetOf(pair.value, keyOffset),
      });
      mapping[key.text] = lower(pair.value, [...path, key.text], inAlias);
    }
  };

  const root = lower(document.contents, [], false);
  const position = (offset: number): Position => {
    const at = options.lineCounter.linePos(offset);
    return { line: at.line, column: at.col };
  };

  const find = (path: Path, wantKey: boolean): Position | undefined => {
    if (typeof root !== 'object' || root === null) return undefined;
    let value: unknown = root;
    let offset = facts.get(root)?.offset ?? sequences.get(root)?.offset ?? 0;
    for (const [index, step] of path.entries()) {
      if (typeof value !== 'object' || value === null) break;
      if (typeof step === 'number') {
        const at = sequences.get(value)?.items[step];
        if (at === undefined) break;
        offset = at;
      } else {
        const at = facts.get(value)?.entries.get(step);
        if (at === undefined) break;
        offset = wantKey && index === path.length - 1 ? at.keyOffset : at.valueOffset;
      }
      value = (value as Record<string | number, unknown>)[step];
    }
    return position(offset);
  };

  return {
    root,
    positionOf: (path) => find(path, false),
    keyPositionOf: (path) => find(path, true),
    keysOf: (mapping) => [...(facts.get(mapping)?.entries.keys() ?? [])],
    oddKeysOf: (mapping) => facts.get(mapping)?.oddKeys ?? [],
  };
}

function lowerScalar(node: Scalar, keepText: boolean): unknown {
  const { value, source } = node;
  if (node.type === 'PLAIN' && source?.includes('\uFEFF')) {
    throw new TreeFault('byte-order mark inside the document', offsetOf(node));
  }
  if (typeof value === 'string') checkText(value, offsetOf(node));
  if (typeof value === 'bigint') {
    if (keepText && source !== undefined) return source;
    const narrow = Number(value);
    return Number.isSafeInteger(narrow) ? narrow : value;
  }
  if (typeof value === 'number' && keepText && source !== undefined) return source;
  return value;
}

function keyOf(node: unknown, offset: number): { text: string; isString: boolean } {
  if (!isScalar(node)) throw new TreeFault('a mapping key must be a single value', offset);
  if (node.type === 'PLAIN' && node.source?.includes('\uFEFF')) {
    throw new TreeFault('byte-order mark inside the document', offset);
  }
  if (typeof node.value === 'string') {
    if (node.value.length > maxKeyLength)
      throw new TreeFault(`a key is longer than ${maxKeyLength} characters`, offset);
    checkText(node.value, offset);
    return { text: node.value, isString: true };
  }
  return { text: node.source ?? String(node.value), isString: false };
}

/** What no file name, variable, header or JSON text can carry, written as an escape. */
function checkText(value: string, offset: number): void {
  if (value.includes('\0')) throw new TreeFault('a value holds a NUL character', offset);
  if (/\p{Surrogate}/u.test(value)) throw new TreeFault('a value holds half of a character (a lone surrogate)', offset);
}

function offsetOf(node: unknown, fallback = 0): number {
  return (node as Node | null)?.range?.[0] ?? fallback;
}
