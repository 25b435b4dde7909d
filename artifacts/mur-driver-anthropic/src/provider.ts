/** The Messages API as a `Provider`: path, headers, body and reader. */
import type { Header, Provider } from '../../lib/driver.js';
import { readConfig } from './config.js';
import { toBody } from './request.js';
import { readAnswer } from './response.js';

export const anthropic: Provider = (request, settings, key) => {
  const config = readConfig(settings);
  const headers: Header[] = [['anthropic-version', '2023-06-01']];
  if (config.beta.length > 0) headers.push(['anthropic-beta', config.beta.join(',')]);
  if (key !== undefined) headers.push(['x-api-key', key]);
  return { path: '/v1/messages', headers, body: toBody(request, config), read: readAnswer };
};
