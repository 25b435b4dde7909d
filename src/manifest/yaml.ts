import { LineCounter } from 'yaml';
import { composeDocument } from './compose.js';
import { deepNesting, maxDepth } from './nesting.js';
import { lowerDocument, type Path, type Position, type Tree, TreeFault } from './tree.js';

/** Far above any real manifest; keeps the parser's worst cases short. */
export const maxManifestBytes = 256 * 1024;

/** Control characters, lone surrogates and non-characters: YAML 1.2 takes them only as escapes. */
const notYaml = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x84\x86-\x9F\uFFFE\uFFFF]|\p{Surrogate}/u;

export type YamlOutcome =
  | { readonly ok: true; readonly tree: Tree }
  | { readonly ok: false; readonly detail: string; readonly at?: Position; readonly hint?: string };

/**
 * `text` under the YAML profile of spec/manifest.md 1.1: YAML 1.2 core, and an error for duplicate keys, unknown tags,
 * another `%YAML` version, a stray byte-order mark, and aliases that multiply. Never throws.
 */
export function parseYaml(text: string, keepsText: (path: Path) => boolean): YamlOutcome {
  if (Buffer.byteLength(text) > maxManifestBytes) {
    return { ok: false, detail: `the file is larger than ${maxManifestBytes} bytes` };
  }
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  // The parser would take off another one itself.
  if (body.startsWith('\uFEFF')) {
    return { ok: false, detail: 'a second byte-order mark', at: { line: 1, column: 1 } };
  }
  const lineCounter = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const unprintable = body.search(notYaml);
  if (unprintable !== -1) {
    const code = body.codePointAt(unprintable)!.toString(16).toUpperCase().padStart(4, '0');
    return { ok: false, detail: `the character U+${code} is not allowed in YAML`, at: placeOf(body, unprintable) };
  }
  const tooDeep = deepNesting(body);
  if (tooDeep !== undefined) {
    return { ok: false, detail: `nested deeper than ${maxDepth} levels`, at: placeOf(body, tooDeep) };
  }
  try {
    const document = composeDocument(body, lineCounter);
    if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') {
      const offset = Math.max(0, body.search(/^%YAML/m));
      return { ok: false, detail: `%YAML ${document.directives.yaml.version} is not supported`, at: at(offset) };
    }
    return { ok: true, tree: lowerDocument(document, { lineCounter, keepsText }) };
  } catch (error) {
    if (!(error instanceof TreeFault)) throw error;
    const position = at(error.offset);
    const hint = unquotedReference(body, position.line);
    return {
      ok: false,
      detail: withoutText(error.message),
      at: position,
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

/** Counted here because the parser has not filled its line counter yet. */
function placeOf(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before[before.length - 1]!.length + 1 };
}

/** A library message without the piece of the file it quotes: a slip in one line must not print the key on it. */
function withoutText(message: string): string {
  return message
    .replace(/(?<=\S):\s.*$/s, '')
    .replace(/^(Unknown directive|Invalid escape sequence|Unsupported YAML version(?! \d\.\d$)).*$/s, '$1')
    .replace(/^Verbatim tags .*$/s, 'a verbatim tag is not supported')
    .replace(/^The .* tag has no suffix$/s, 'a tag has no suffix')
    .replace(/^.* used for (\S+) collection.*$/s, 'the tag of a $1 is not one for it');
}

/** The advice for `{ api_key: ${NAME} }`, whose brace ends the value early. */
function unquotedReference(text: string, line: number): string | undefined {
  const written = text.split('\n', line)[line - 1] ?? '';
  // Found step by step: a pattern for the whole looks at every pair of places in a line of commas.
  const start = written.indexOf('${');
  if (start === -1 || !/[{,]/.test(written.slice(0, start))) return undefined;
  const reference = /^\$\{[^}'"]{0,64}\}?/.exec(written.slice(start))![0];
  return `inside { } quote the reference, as in "${reference}", or write the block one key per line`;
}
