import { CST, Lexer } from 'yaml';

/** Levels a value may be nested. */
export const maxDepth = 100;

/**
 * Where `text` nests deeper than `maxDepth` brackets, or than that many block levels on one line; `undefined` when nowhere.
 *
 * Looked for before parsing because the parser recurses: text that exhausts its stack can end the whole process, inside V8's
 * regular expressions, with no error to catch. Levels made by indentation are left to the size limit, since each level costs
 * a longer line.
 */
export function deepNesting(text: string): number | undefined {
  if (!mayNestDeeply(text)) return undefined;
  let offset = 0;
  let brackets = 0;
  let levelsOnLine = 0;
  for (const token of new Lexer().lex(text)) {
    switch (CST.tokenType(token)) {
      case 'flow-map-start':
      case 'flow-seq-start':
        brackets += 1;
        break;
      case 'flow-map-end':
      case 'flow-seq-end':
        brackets = Math.max(0, brackets - 1);
        break;
      case 'newline':
        levelsOnLine = 0;
        break;
      case 'seq-item-ind':
      case 'explicit-key-ind':
      case 'map-value-ind':
        if (brackets === 0) levelsOnLine += 1;
        break;
    }
    if (brackets > maxDepth || levelsOnLine > maxDepth) return offset;
    if (!isMarker(token)) offset += token.length;
  }
  return undefined;
}

/** Tokens the lexer adds, which are no part of the text. */
function isMarker(token: string): boolean {
  return token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR;
}

/** A count of characters that settles nearly every real file without reading its tokens. */
function mayNestDeeply(text: string): boolean {
  const brackets = text.split(/[[{]/, maxDepth + 2).length - 1;
  return (
    brackets > maxDepth || text.split('\n').some((line) => line.split(/[-?:]/, maxDepth + 2).length - 1 > maxDepth)
  );
}
