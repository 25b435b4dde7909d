import { isNestedTooDeep } from '../../text/nesting.js';
import { contentTypeNotSupported } from './errors.js';
import { checkStrings, type MessageRules } from './standard-message.js';
import { dataText } from './text.js';

const contents = ['text', 'raw', 'url', 'data'] as const;

/** A message of A2A 1.0: each part is what it sets. */
export const v1Message: MessageRules = {
  role: 'ROLE_USER',
  checkPart(part, at) {
    const set = contents.filter((name) => part[name] !== undefined);
    if (set.length !== 1) return `${at} must set exactly one of ${contents.join(', ')}`;
    if (part.data !== undefined && isNestedTooDeep(part.data)) return `${at}.data is nested too deep`;
    return checkStrings(part, ['text', 'raw', 'url', 'mediaType', 'filename'], at);
  },
  refusePart(part, index) {
    const kind = ['raw', 'url'].find((name) => part[name] !== undefined);
    return kind === undefined ? undefined : contentTypeNotSupported(index, kind, part.mediaType);
  },
  textOf({ text, data, mediaType, filename }) {
    return typeof text === 'string' ? text : dataText(data, textOrNone(mediaType), textOrNone(filename));
  },
};

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
