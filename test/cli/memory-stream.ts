import { Writable } from 'node:stream';
import { Output, type TextStream } from '../../src/cli/output.js';

/** An output whose text is kept. `isTTY` makes it pass for a terminal of 72 columns. */
export function memoryOutput(isTTY = false): { readonly output: Output; text(): string } {
  let text = '';
  const stream: TextStream = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        text += chunk;
        done();
      },
    }),
    isTTY ? { isTTY: true, columns: 72, rows: 24 } : {},
  );
  return { output: new Output(stream), text: () => text };
}
