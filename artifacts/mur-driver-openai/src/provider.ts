/** The OpenAI API as a `Provider`: picks the surface by model name. Read next: chat/, responses/. */
import type { Header, Provider } from '../../lib/driver.js';
import { toChatBody } from './chat/request.js';
import { readChat } from './chat/response.js';
import { readConfig } from './config.js';
import { surfaceOf } from './model.js';
import { toResponsesBody } from './responses/request.js';
import { readResponse } from './responses/response.js';

export const openAi: Provider = (request, settings, key) => {
  const config = readConfig(settings);
  const headers: Header[] = key === undefined ? [] : [['authorization', `Bearer ${key}`]];
  if (surfaceOf(request.model) === 'chat') {
    return { path: '/chat/completions', headers, body: toChatBody(request, config), read: readChat };
  }
  return {
    path: '/responses',
    headers,
    body: toResponsesBody(request, config),
    read: (parts, sink) => readResponse(parts, sink, config.store),
  };
};
