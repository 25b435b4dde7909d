/** Scope words and what they mean: the method names, and the A2A 1.0 spelling of each that has one (spec/door.md section 16). */
export const scopeWords: Readonly<Record<string, string>> = {
  'message/send': 'message/send',
  'message/stream': 'message/stream',
  'stream/watch': 'stream/watch',
  'tasks/get': 'tasks/get',
  'tasks/cancel': 'tasks/cancel',
  'session/stop': 'session/stop',
  'resources/files': 'resources/files',
  SendMessage: 'message/send',
  SendStreamingMessage: 'message/stream',
  SubscribeToTask: 'message/stream',
  GetTask: 'tasks/get',
  ListTasks: 'tasks/get',
  CancelTask: 'tasks/cancel',
};
