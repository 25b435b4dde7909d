/**
 * Changes to the text of a config file that keep its comments and the order of its keys. Pure: text in, text out. What comes out
 * is read again before it is returned, so a change never makes a file that could not be used.
 */
import { Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { MurError } from '../errors/index.js';
import { builtInConfig } from './config-merge.js';
import { parseConfig } from './config-parse.js';

type Key = readonly [block: string, name: string];

/**
 * What a global file starts with. The built-in sources count only while there is no global file, so the first one names them:
 * to keep a key must not take away where artifacts come from.
 */
export function newGlobalText(): string {
  const { default: first, sources } = builtInConfig.registry;
  const document = new Document({ registry: { default: first, sources } });
  document.commentBefore = ' Configuration of mur for this user; `mur config list` shows what is in effect.';
  return document.toString();
}

/** `text` with `key` set to a text value. `path` is for messages. */
export function withValue(text: string, key: Key, value: string, path: string): string {
  return edited(text, path, (document) => {
    openBlock(document, key[0], path);
    document.setIn(key, value);
    return true;
  });
}

/** `text` without `key`, and without its block when nothing else was in it; the same text when it is not there. */
export function withoutValue(text: string, key: Key, path: string): string {
  return edited(text, path, (document) => {
    const [name] = key;
    if (isMissing(document.get(name, true))) return false;
    openBlock(document, name, path);
    if (!document.deleteIn(key)) return false;
    const block = document.get(name, true);
    if (isMap(block) && block.items.length === 0) deleteBlock(document, name);
    return true;
  });
}

/** `text` with `item` at the end of the list `key`; the same text when it is there already. */
export function withItem(text: string, key: Key, item: string, path: string): string {
  return edited(text, path, (document) => {
    openBlock(document, key[0], path);
    const list = document.getIn(key, true);
    if (!isSeq(list)) document.setIn(key, [item]);
    else if (!list.items.some((entry) => isItem(entry, item))) list.add(document.createNode(item));
    else return false;
    return true;
  });
}

/** `text` without `item` in the list `key`; the same text when it is not there. */
export function withoutItem(text: string, key: Key, item: string, path: string): string {
  return edited(text, path, (document) => {
    const list = document.getIn(key, true);
    if (!isSeq(list)) return false;
    const kept = list.items.filter((entry) => !isItem(entry, item));
    if (kept.length === list.items.length) return false;
    list.items = kept;
    return true;
  });
}

/** `change` answers whether it changed anything. */
function edited(text: string, path: string, change: (document: Document) => boolean): string {
  parseConfig(text, path);
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { version: '1.2', schema: 'core' });
  if (!change(document)) return text;
  const result = document.toString({ lineWidth: 0 });
  parseConfig(result, path);
  return result;
}

/** Makes `name` a mapping when it is missing or empty. Whatever else it is was refused by the parser, except an alias. */
function openBlock(document: Document, name: string, path: string): void {
  const node = document.get(name, true);
  if (isMap(node)) return;
  if (!isMissing(node)) {
    throw new MurError('E-IO-003', `${path}: ${name} is an alias, which this command does not change`, {
      hint: `write the block out under ${name}:, or edit the file by hand`,
    });
  }
  document.set(name, document.createNode({}));
}

/** Without a block. What stands above the first one may be about the whole file, so it stays on top. */
function deleteBlock(document: Document, name: string): void {
  const first = isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  document.delete(name);
  if (!isScalar(first) || first.value !== name || first.commentBefore == null) return;
  const next = isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  const above = isScalar(next) ? next : document;
  above.commentBefore =
    above.commentBefore == null ? first.commentBefore : `${first.commentBefore}\n${above.commentBefore}`;
}

/** Whether a block is not there, or empty. */
function isMissing(node: unknown): boolean {
  return node === undefined || (isScalar(node) && node.value === null);
}

function isItem(entry: unknown, item: string): boolean {
  return isScalar(entry) && String(entry.value).trim() === item;
}
