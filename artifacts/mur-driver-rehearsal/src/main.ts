/** The component's export: reads the script and the request, plays one turn. Read next: script.ts, play.ts. */
import clock from 'wasj:clocks/monotonic-clock@0.2.9';
import { answered, DriverError, readRequest } from '../../lib/conversation.js';
import { readEnvironment } from '../../lib/environment.js';
import { hostSink } from '../../lib/sink.js';
import { driverFailure, passed, type ToolInput, type ToolResult } from '../../lib/tool.js';
import { byteLength } from '../../lib/utf8.js';
import { play, type Stage } from './play.js';
import { readScript } from './script.js';

const stage: Stage = {
  sink: hostSink,
  pause: (ms) => clock.subscribeDuration(ms * 1e6).block(),
};

export const run = {
  run(input: ToolInput): ToolResult {
    try {
      const script = readScript(readEnvironment().get('MURMUR_INFERENCE_DRIVER_CONFIG'));
      const played = play(script, readRequest(input.data), byteLength(input.data ?? ''), stage);
      return 'raw' in played ? passed({ data: played.raw }) : answered(played);
    } catch (error) {
      if (error instanceof DriverError) return driverFailure(error.message);
      throw error;
    }
  },
};
