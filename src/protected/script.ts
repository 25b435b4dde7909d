/** One command of a script. */
export interface ScriptCommand {
  readonly words: readonly string[];
  /** Files its redirections write. */
  readonly writes: readonly { readonly operator: string; readonly target: string }[];
}

type Token = { readonly kind: 'word'; readonly text: string } | { readonly kind: 'operator'; readonly text: string };

/** Longest first. */
const operators = [
  '&>>',
  '<<-',
  '<<<',
  '&>',
  '>>',
  '>|',
  '>&',
  '<<',
  '<&',
  '<>',
  '||',
  '&&',
  '>',
  '<',
  '|',
  ';',
  '&',
  '\n',
];
/** What starts a command of its own inside a line. */
const brackets = new Set(['(', ')', '`']);
const writing = new Set(['>', '>>', '>|', '&>', '&>>', '<>']);
/** Words of the shell's own that a command can follow. */
const reserved = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', 'time', '!', '{']);

/**
 * The commands of a `-c` body, as far as text alone tells (spec/containment.md 16.3): quotes and backslashes are honoured, nothing is
 * expanded, bodies of here-documents and comments are passed over.
 *
 * Does not see: what a variable, a glob or a substitution inside double quotes stands for; `cd`, `eval`, `env`, `VAR=x cmd`, functions;
 * what a program reads of files or of its standard input.
 */
export function scriptCommands(body: string): readonly ScriptCommand[] {
  const commands: ScriptCommand[] = [];
  let words: string[] = [];
  let writes: { operator: string; target: string }[] = [];
  const end = (): void => {
    if (words.length + writes.length > 0) commands.push({ words, writes });
    words = [];
    writes = [];
  };
  const tokens = tokensOf(body);
  for (let at = 0; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === 'word') {
      if (words.length > 0 || !reserved.has(text)) words.push(text);
      continue;
    }
    if (!/[<>]/.test(text)) {
      end();
      continue;
    }
    const next = tokens[at + 1];
    if (next?.kind !== 'word') continue;
    at += 1;
    const isFile = writing.has(text) || (text === '>&' && !/^(\d+|-)$/.test(next.text));
    if (isFile) writes.push({ operator: text, target: next.text });
  }
  end();
  return commands;
}

function tokensOf(body: string): readonly Token[] {
  const tokens: Token[] = [];
  /** Delimiters of here-documents whose bodies begin with the next line. */
  let pending: { delimiter: string; stripsTabs: boolean }[] = [];
  let word: string | undefined;
  let isPlain = true;
  const endWord = (): void => {
    if (word === undefined) return;
    const before = tokens.at(-1);
    if (before?.kind === 'operator' && (before.text === '<<' || before.text === '<<-')) {
      pending.push({ delimiter: word, stripsTabs: before.text === '<<-' });
    }
    tokens.push({ kind: 'word', text: word });
    word = undefined;
    isPlain = true;
  };
  let at = 0;
  while (at < body.length) {
    const character = body[at]!;
    if (character === '\\') {
      const next = body[at + 1];
      if (next !== '\n') word = (word ?? '') + (next ?? '\\');
      isPlain = false;
      at += 2;
    } else if (character === "'" || character === '"') {
      const [text, after] = quoted(body, at);
      word = (word ?? '') + text;
      isPlain = false;
      at = after;
    } else if (character === '#' && word === undefined) {
      while (at < body.length && body[at] !== '\n') at += 1;
    } else if (brackets.has(character)) {
      endWord();
      tokens.push({ kind: 'operator', text: character });
      at += 1;
    } else if (operators.some((each) => body.startsWith(each, at))) {
      const operator = operators.find((each) => body.startsWith(each, at))!;
      // The number of the descriptor that is redirected.
      if (/[<>]/.test(operator) && isPlain && word !== undefined && /^\d+$/.test(word)) word = undefined;
      endWord();
      tokens.push({ kind: 'operator', text: operator });
      at += operator.length;
      if (operator === '\n') {
        at = afterDocuments(body, at, pending);
        pending = [];
      }
    } else if (/\s/.test(character)) {
      endWord();
      at += 1;
    } else {
      word = (word ?? '') + character;
      at += 1;
    }
  }
  endWord();
  return tokens;
}

/** The text of a quote and where it ends. One that is never closed runs to the end. */
function quoted(body: string, start: number): readonly [text: string, after: number] {
  const quote = body[start]!;
  let text = '';
  let at = start + 1;
  for (; at < body.length && body[at] !== quote; at += 1) {
    if (quote === '"' && body[at] === '\\' && /["\\$`\n]/.test(body[at + 1] ?? '')) {
      at += 1;
      if (body[at] === '\n') continue;
    }
    text += body[at];
  }
  return [text, at + 1];
}

function afterDocuments(
  body: string,
  start: number,
  documents: readonly { readonly delimiter: string; readonly stripsTabs: boolean }[],
): number {
  let at = start;
  for (const { delimiter, stripsTabs } of documents) {
    for (let isOver = false; !isOver && at < body.length; ) {
      const end = body.indexOf('\n', at);
      const line = body.slice(at, end === -1 ? undefined : end);
      isOver = (stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter;
      at = end === -1 ? body.length : end + 1;
    }
  }
  return at;
}
