import { Composer, type Document, type LineCounter, Parser } from 'yaml';
import { TreeFault } from './tree.js';

/** Where an error of the library stands: an offset, a range, or a token. */
type Source = number | readonly [number, number] | { readonly offset: number };

const options = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  // Found while lowering instead: the library compares every pair of keys, which is slow on a hostile file.
  uniqueKeys: false,
  intAsBigInt: true,
  prettyErrors: false,
  logLevel: 'error',
} as const;

/**
 * The one document of `text`. Throws `TreeFault` at the first thing the library would report, warnings included: it collects an
 * error for each of a quarter of a million commas, which takes minutes and a stack trace each.
 */
export function composeDocument(text: string, lineCounter: LineCounter): Document.Parsed {
  const composer = new Composer(options);
  // A private member, so a test fails when another release of the library renames it.
  // The library catches what is thrown within and reports it again from further out: the first place is the right one.
  let first: TreeFault | undefined;
  Reflect.set(composer, 'onError', (source: Source, _code: string, message: string) => {
    first ??= new TreeFault(message, offsetOf(source));
    throw first;
  });
  const documents: Document.Parsed[] = [];
  const take = (composed: Iterable<Document.Parsed>) => {
    for (const document of composed) {
      if (documents.length > 0) throw new TreeFault('the file holds more than one document', document.range[0]);
      documents.push(document);
    }
  };
  for (const token of new Parser(lineCounter.addNewLine).parse(text)) {
    if (token.type === 'error') throw new TreeFault(token.message, token.offset);
    take(composer.next(token) as Iterable<Document.Parsed>);
  }
  take(composer.end(true, text.length) as Iterable<Document.Parsed>);
  const document = documents[0]!;
  // What the composer notes without a word to `onError`: an end of a document before its start.
  const fault = document.errors[0];
  if (fault !== undefined) throw new TreeFault(fault.message, fault.pos[0]);
  return document;
}

function offsetOf(source: Source): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : source[0];
}
