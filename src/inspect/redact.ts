/**
 * What may leave the process about a value: plain JSON data, without secrets, of bounded size. Total: it takes any value,
 * hostile ones included, runs no code of it (getters, `toJSON`, proxies) and never throws.
 *
 * Three fences, in this order: the allow-list of the chart (view.ts) decides which keys of a context are looked at; a key whose
 * name is that of a secret has its value replaced; the text of every secret this process holds is replaced wherever it stands.
 *
 * Does not stop: a secret that nobody named and no key announces; one that was encoded, or cut into parts, by whoever wrote it.
 */
import { isDate, isNativeError, isProxy } from 'node:util/types';
import { Secret } from '../errors/index.js';

export const REDACTED = '[redacted]';

/** Replaces what is secret in a text. */
export type TextRedactor = (text: string) => string;

/** Bounds of one value. */
export interface Caps {
  readonly textChars: number;
  readonly depth: number;
  /** Members of one array or object. */
  readonly items: number;
  /** Characters of all texts and keys together, each value counting a little too; what comes after is left out. */
  readonly totalChars: number;
}

/** Contexts, events, outputs, errors. */
export const valueCaps: Caps = { textChars: 2_048, depth: 6, items: 50, totalChars: 16_384 };
/** What a person reads whole: messages, trace lines, notices, grants. */
export const recordCaps: Caps = { textChars: 32_768, depth: 12, items: 500, totalChars: 65_536 };

export interface Redacted {
  readonly value: unknown;
  /** What the caps left out: characters of text, and one for each member or value. 0 when it is whole. */
  readonly cut: number;
}

/** `value` as plain JSON data that may be shown. `undefined` stays `undefined`. */
export function redact(value: unknown, redactText: TextRedactor, caps: Caps = valueCaps): Redacted {
  const walk = new Walk(redactText, caps);
  return { value: walk.visit(value, 0), cut: walk.cut };
}

const secretName =
  /authorization|cookie|secret|password|passwd|passphrase|apikey|accesskey|credential|private|token(?!iz)/;
/** Names that speak about a secret and do not hold it: `credential_source`, `token_type`, `private_names`. */
const aboutSecret = /(?:source|type|kind|names?|status|count|limit|id)$/;

/** True when text or structure under `key` must not be shown. Numbers may: `input_tokens` is a count. */
export function isSecretKey(key: string): boolean {
  const name = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  return secretName.test(name) && !aboutSecret.test(name);
}

/** Credentials in a text that announce themselves by the grammar of an `Authorization` header. */
const announced = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/-]{8,}=*/gi;

/** `text` without credentials that announce themselves. */
export function withoutAnnounced(text: string): string {
  return text.replace(announced, `$1 ${REDACTED}`);
}

/** Members of JSON inside a text, such as the arguments of a tool call: the second form is JSON inside JSON. */
const members = [
  /("([\w.-]{2,64})"\s{0,9}:\s{0,9}")((?:[^"\\]|\\.)*)/gs,
  /((?<!\\)\\{1,7}"([\w.-]{2,64})\\{1,7}"\s{0,9}:\s{0,9}\\{1,7}")((?:(?!\\{1,7}").)*)/gs,
] as const;

function withoutMembers(text: string): string {
  if (!text.includes('":') && !text.includes('" :')) return text;
  return members.reduce(
    (shown, member) =>
      shown.replace(member, (whole, head: string, key: string) => (isSecretKey(key) ? `${head}${REDACTED}` : whole)),
    text,
  );
}

/** Longest secret that is found although the cap cuts through it. */
const overlapChars = 4_096;
/** What a value costs beside its text, so that a forest of numbers ends too. */
const valueCost = 4;

class Walk {
  cut = 0;
  readonly #redactText: TextRedactor;
  readonly #caps: Caps;
  readonly #above: object[] = [];
  #leftChars: number;

  constructor(redactText: TextRedactor, caps: Caps) {
    this.#redactText = redactText;
    this.#caps = caps;
    this.#leftChars = caps.totalChars;
  }

  visit(value: unknown, depth: number): unknown {
    this.#leftChars -= valueCost;
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
      case 'undefined':
        return value;
      case 'bigint':
        return this.#text(value.toString());
      case 'object':
        return value === null ? null : this.#object(value, depth);
      default:
        return `[${typeof value}]`;
    }
  }

  #text(raw: string): string {
    const roomChars = Math.max(0, Math.min(this.#caps.textChars, this.#leftChars));
    const isSliced = raw.length > roomChars + overlapChars;
    const piece = isSliced ? raw.slice(0, roomChars + overlapChars) : raw;
    const whole = withoutAnnounced(withoutMembers(this.#redactText(piece)));
    // The end of a slice may be the first part of a secret.
    const text = isSliced ? whole.slice(0, -overlapChars) : whole;
    this.#leftChars -= Math.min(text.length, roomChars);
    if (!isSliced && text.length <= roomChars) return text;
    const kept = text.slice(0, roomChars).replace(/[\ud800-\udbff]$/, '');
    const left = Math.max(1, raw.length - kept.length);
    this.cut += left;
    return `${kept}… (+${left} characters)`;
  }

  #object(value: object, depth: number): unknown {
    if (isProxy(value)) return '[Proxy]';
    if (this.#above.includes(value)) return '[circular]';
    if (Array.isArray(value)) return this.#below(value, depth, () => this.#array(value, depth));
    const special = specialOf(value);
    if (special !== undefined) return typeof special === 'string' ? this.#text(special) : this.visit(special.as, depth);
    return this.#below(value, depth, () => this.#members(value, depth));
  }

  #below(value: object, depth: number, visit: () => unknown): unknown {
    if (depth >= this.#caps.depth || this.#leftChars <= 0) {
      this.cut += 1;
      return Array.isArray(value) ? '[…]' : '{…}';
    }
    this.#above.push(value);
    const shown = visit();
    this.#above.pop();
    return shown;
  }

  #array(values: readonly unknown[], depth: number): unknown[] {
    const shown: unknown[] = [];
    for (let index = 0; index < values.length; index += 1) {
      if (index >= this.#caps.items || this.#leftChars <= 0) {
        this.cut += values.length - index;
        shown.push(`… (+${values.length - index} items)`);
        break;
      }
      shown.push(this.visit(dataOf(values, index), depth + 1) ?? null);
    }
    return shown;
  }

  #members(value: object, depth: number): Record<string, unknown> {
    // Without a prototype: a key may be `__proto__`.
    const shown: Record<string, unknown> = Object.create(null);
    const keys = Object.keys(value);
    for (const [index, key] of keys.entries()) {
      if (index >= this.#caps.items || this.#leftChars <= 0) {
        this.cut += keys.length - index;
        shown['…'] = `+${keys.length - index} keys`;
        break;
      }
      const member = dataOf(value, key);
      if (member === undefined) continue;
      const isShown = typeof member === 'number' || typeof member === 'boolean' || member === null || !isSecretKey(key);
      shown[this.#text(key)] = isShown ? this.visit(member, depth + 1) : REDACTED;
    }
    return shown;
  }
}

/** The value of a data property. A getter is not run. */
function dataOf(owner: object, key: string | number): unknown {
  const property = Object.getOwnPropertyDescriptor(owner, key);
  if (property === undefined) return undefined;
  return 'value' in property ? property.value : '[getter]';
}

/** What stands for an object that is no plain data: a text, or the data to show. `undefined` for plain objects. */
function specialOf(value: object): string | { readonly as: unknown } | undefined {
  if (isNativeError(value)) return { as: errorData(value) };
  if (isDate(value)) return Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : isoOf(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  if (prototype === Secret.prototype) return REDACTED;
  const id = dataOf(value, 'id');
  return typeof id === 'string' && nameOf(value) === 'Actor' ? `[Actor ${id}]` : `[${nameOf(value)}]`;
}

function isoOf(date: Date): string {
  return Date.prototype.toISOString.call(date);
}

function errorData(error: Error): Record<string, unknown> {
  const code = dataOf(error, 'code');
  return {
    name: nameOf(error),
    message: dataOf(error, 'message') ?? '',
    ...(typeof code === 'string' ? { code } : {}),
  };
}

/** The class an object says it is of, without running code of it. */
function nameOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null || isProxy(prototype)) return 'object';
  const maker = dataOf(prototype, 'constructor');
  if (typeof maker !== 'function' || isProxy(maker)) return 'object';
  const name = dataOf(maker, 'name');
  return typeof name === 'string' && name !== '' ? name : 'object';
}
