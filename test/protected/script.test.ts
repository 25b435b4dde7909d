import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptCommands } from '../../src/protected/script.js';

const words = (body: string) => scriptCommands(body).map((command) => command.words);
const writes = (body: string) =>
  scriptCommands(body).flatMap((command) => command.writes.map(({ operator, target }) => `${operator} ${target}`));

describe('a script is split into its commands', () => {
  test.each([
    ['a b; c | d || e && f & g\nh', [['a', 'b'], ['c'], ['d'], ['e'], ['f'], ['g'], ['h']]],
    [`echo 'a;b' "c|d" e\\;f`, [['echo', 'a;b', 'c|d', 'e;f']]],
    [
      '(rm x); echo $(rm y) `rm z`',
      [
        ['rm', 'x'],
        ['echo', '$'],
        ['rm', 'y'],
        ['rm', 'z'],
      ],
    ],
    ['for f in a; do rm b; done', [['for', 'f', 'in', 'a'], ['rm', 'b'], ['done']]],
    ['if ! rm a; then rm b; fi', [['rm', 'a'], ['rm', 'b'], ['fi']]],
    [
      'echo a # rm b\nrm c',
      [
        ['echo', 'a'],
        ['rm', 'c'],
      ],
    ],
    ['echo a#b', [['echo', 'a#b']]],
    ['echo "a\\"b" \'c\\d\'', [['echo', 'a"b', 'c\\d']]],
    ['rm a\\\nb', [['rm', 'ab']]],
    ["echo ''", [['echo', '']]],
    ['VAR=x rm a', [['VAR=x', 'rm', 'a']]],
    ['   ', []],
    ['echo "never closed; rm a', [['echo', 'never closed; rm a']]],
  ])('%j', (body, commands) => {
    expect(words(body)).toEqual(commands);
  });
});

describe('redirections that write are found', () => {
  test.each([
    ['echo a > b', ['> b']],
    ['echo a>b', ['> b']],
    ['echo a >> b >| c', ['>> b', '>| c']],
    ['make &> log; make &>> log', ['&> log', '&>> log']],
    ['make 2> err 1>>"out file"', ['> err', '>> out file']],
    ['make > out 2>&1 <&3 >&-', ['> out']],
    ['make >&both', ['>& both']],
    ['cat < in <> both', ['<> both']],
    ["echo '> a' \\> b", []],
    ['> only', ['> only']],
    ['cat <<< "> a"', []],
    ['echo a2>b', ['> b']],
  ])('%j', (body, found) => {
    expect(writes(body)).toEqual(found);
  });

  test('an input is no word, and a descriptor number is none either', () => {
    expect(words('cat < in x 2> err')).toEqual([['cat', 'x']]);
    expect(words('echo a2>b')).toEqual([['echo', 'a2']]);
  });

  test('the body of a here-document is no script', () => {
    const body = "cat <<EOF > out; rm x\nrm y > z\nEOF\nrm w\ncat <<-'END' | tee v\n\trm u\n\tEND\nrm t";
    expect(words(body)).toEqual([['cat'], ['rm', 'x'], ['rm', 'w'], ['cat'], ['tee', 'v'], ['rm', 't']]);
    expect(writes(body)).toEqual(['> out']);
  });
});

test('any text is read to its end, whatever is in it', () => {
  const piece = fc.constantFrom(
    '>',
    '>>',
    '&',
    '|',
    ';',
    '\n',
    "'",
    '"',
    '\\',
    '<<',
    'E',
    ' ',
    '2',
    '(',
    ')',
    '#',
    '`',
    '$',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const command of scriptCommands(pieces.join('')))
        expect(command.words.length + command.writes.length).toBeGreaterThan(0);
    }),
  );
});

test('a quoted word comes out as it went in', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const quoted = `'${text.replaceAll("'", "'\\''")}'`;
      expect(words(`echo ${quoted}`)).toEqual([['echo', text]]);
      expect(writes(`echo > ${quoted}`)).toEqual([`> ${text}`]);
    }),
  );
});
