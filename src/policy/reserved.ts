/** Names of tools the runtime itself provides (spec/manifest.md section 4.1). */
export const reservedToolNames: readonly string[] = [
  'share-file',
  'fetch-peer-file',
  'delegate-task',
  'submit-plan',
  'switch-driver',
  'call-member',
  'end-without-answer',
  'pull-artifact',
  'remove-artifact',
  'session-status',
];
