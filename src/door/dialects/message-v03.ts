import { isNestedTooDeep } from '../../text/nesting.js';
import { isObject } from '../json-rpc.js';
import { contentTypeNotSupported } from './errors.js';
import { checkStrings, type MessageRules } from './standard-message.js';
import { dataText } from './text.js';

/** A message of A2A 0.2 and 0.3: each part says its kind. `kind` of the message itself is not asked for. */
export const v03Message: MessageRules = {
  role: 'user',
  checkPart(part, at) {
    switch (part.kind) {
      case 'text':
        return typeof part.text === 'string' ? undefined : `${at}.text must be a string`;
      case 'data':
        if (part.data === undefined) return `${at}.data is missing`;
        return isNestedTooDeep(part.data) ? `${at}.data is nested too deep` : undefined;
      case 'file':
        return isObject(part.file)
          ? checkStrings(part.file, ['mimeType', 'name'], `${at}.file`)
          : `${at}.file must be an object`;
      default:
        return `${at}.kind must be text, data or file`;
    }
  },
  refusePart({ kind, file }, index) {
    return kind === 'file' && isObject(file) ? contentTypeNotSupported(index, kind, file.mimeType) : undefined;
  },
  textOf({ kind, text, data }) {
    return kind === 'text' ? String(text) : dataText(data);
  },
};
