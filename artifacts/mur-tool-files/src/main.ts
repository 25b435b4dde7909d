/** The component's export: reads the input, picks the action, answers. Read next: folder.ts, then action/. */
import preopens from 'wasj:filesystem/preopens@0.2.9';
import { Failure } from '../../lib/failure.js';
import { Folder } from '../../lib/folder.js';
import { failed, passed, type ToolInput, type ToolResult } from '../../lib/tool.js';
import { wellFormed } from '../../lib/utf8.js';
import { edit } from './action/edit.js';
import { list } from './action/list.js';
import type { Outcome } from './action/outcome.js';
import { read } from './action/read.js';
import { search } from './action/search.js';
import { write } from './action/write.js';
import { type Action, Input } from './input.js';

const actions: Record<Action, (folder: Folder, input: Input) => Outcome> = { list, read, write, edit, search };

function workFolder(): Folder {
  const found = preopens.getDirectories().find(([, name]) => name === '.');
  if (!found) throw new Failure('this capsule grants the tool no work folder');
  return new Folder(found[0]);
}

function answer(outcome: Outcome): ToolResult {
  return passed({
    summary: wellFormed(outcome.summary),
    data: outcome.data === undefined ? null : wellFormed(outcome.data),
    truncated: outcome.truncated ?? false,
    metadata: [
      ['state_effect', outcome.effect],
      ['resource_id', wellFormed(outcome.path)],
    ],
  });
}

export const run = {
  run(call: ToolInput): ToolResult {
    try {
      const input = new Input(call.data);
      return answer(actions[input.action](workFolder(), input));
    } catch (error) {
      if (error instanceof Failure) return failed(wellFormed(error.message));
      throw error;
    }
  },
};
