/** What the driver plays when the manifest gives it no script: it greets, looks around once, and says how to go on. */
import type { Request } from '../../lib/conversation.js';
import { list, object } from '../../lib/json.js';
import type { Turn } from './script.js';

/** The keys of turn `index` that differ from an empty turn. */
export function improvise(request: Request, index: number): Partial<Turn> {
  const tool = index === 0 ? filesTool(request) : undefined;
  if (tool === undefined)
    return { say: index === 0 ? `${greeting}\n\n${advice}` : `The tool answered:\n{{result}}\n\n${advice}` };
  return {
    say: `${greeting}\n\nThe capsule offers {{tools}}. I list its work folder first.`,
    calls: [{ tool, input: { action: 'list' }, id: undefined }],
  };
}

const greeting = 'Hello. I am the rehearsal driver: I play a script and ask no model, so nothing leaves this machine.';
const advice = 'To rehearse a conversation of your own, write its turns under inference.driver.config in murmur.yaml.';

function filesTool(request: Request): string | undefined {
  return request.tools.find((tool) => {
    const action = object(object(tool.parameters.properties)?.action);
    return list(action?.enum).includes('list');
  })?.name;
}
