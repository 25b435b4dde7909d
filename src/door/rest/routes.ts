/** One operation of A2A 1.0 at one path: `google.api.http` of the protocol's own definition. */
export interface Route {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  /** The operation, as JSON-RPC calls it. */
  readonly method: string;
  /** `none`: what the operation is asked comes from the path and the query. */
  readonly body: 'none' | 'optional' | 'required';
}

export interface FoundRoute {
  /** Absent: the path is one of these, the verb is none of it. */
  readonly route?: Route;
  /** What stands in the path, by the name of the parameter it is. */
  readonly inPath: Readonly<Record<string, string>>;
  /** The verbs the path has. */
  readonly verbs: readonly string[];
}

const paths: readonly (readonly [path: string, routes: readonly Route[]])[] = [
  ['/message:send', [{ verb: 'POST', method: 'SendMessage', body: 'required' }]],
  ['/message:stream', [{ verb: 'POST', method: 'SendStreamingMessage', body: 'required' }]],
  ['/tasks/{id}', [{ verb: 'GET', method: 'GetTask', body: 'none' }]],
  ['/tasks', [{ verb: 'GET', method: 'ListTasks', body: 'none' }]],
  ['/tasks/{id}:cancel', [{ verb: 'POST', method: 'CancelTask', body: 'optional' }]],
  [
    // The text of the protocol says POST, its definition GET; clients send either.
    '/tasks/{id}:subscribe',
    [
      { verb: 'GET', method: 'SubscribeToTask', body: 'none' },
      { verb: 'POST', method: 'SubscribeToTask', body: 'optional' },
    ],
  ],
  [
    '/tasks/{taskId}/pushNotificationConfigs',
    [
      { verb: 'GET', method: 'ListTaskPushNotificationConfigs', body: 'none' },
      { verb: 'POST', method: 'CreateTaskPushNotificationConfig', body: 'required' },
    ],
  ],
  [
    '/tasks/{taskId}/pushNotificationConfigs/{id}',
    [
      { verb: 'GET', method: 'GetTaskPushNotificationConfig', body: 'none' },
      { verb: 'DELETE', method: 'DeleteTaskPushNotificationConfig', body: 'none' },
    ],
  ],
  ['/extendedAgentCard', [{ verb: 'GET', method: 'GetExtendedAgentCard', body: 'none' }]],
];

/** A path may begin with a tenant, which this door has none of and ignores (spec/door.md section 6); `/v1` of older texts is one. */
const patterns = paths.map(([path, routes]) => ({
  pattern: new RegExp(`^(?:/[^/:]+)?${path.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)')}$`),
  routes,
}));

/** What this path and verb ask for; `undefined` for a path that no operation has. */
export function findRoute(verb: string | undefined, path: string): FoundRoute | undefined {
  for (const { pattern, routes } of patterns) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const route = routes.find((one) => one.verb === verb);
    const inPath = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decoded(text)]);
    return {
      ...(route === undefined ? {} : { route }),
      inPath: Object.fromEntries(inPath),
      verbs: routes.map((one) => one.verb),
    };
  }
  return undefined;
}

/** Text that is not percent-encoded as it should be stays as it is: then it is the name of nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
