/** The component's export. Read next: provider.ts. */
import { converse } from '../../lib/driver.js';
import { readEnvironment } from '../../lib/environment.js';
import { post } from '../../lib/post.js';
import { hostSink } from '../../lib/sink.js';
import type { ToolInput, ToolResult } from '../../lib/tool.js';
import { anthropic } from './provider.js';

export const run = {
  run(input: ToolInput): ToolResult {
    return converse(anthropic, input.data, { environment: readEnvironment(), sink: hostSink, post });
  },
};
