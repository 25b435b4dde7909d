import { plain } from './errors.js';
import { v03Message } from './message-v03.js';
import { dialectOf } from './methods.js';
import { olderExtendedCard } from './murmur.js';
import { standardMethods } from './standard.js';
import { taskObject } from './task-object.js';

const { send, stream, subscribe, get, cancel, push } = standardMethods({
  message: v03Message,
  isBlocking: ({ blocking }) => blocking === true,
  stateWord: (state) => state,
  // Its text lets a message continue any task that is not over; A2A 1.0 as Murmur speaks it refuses that (spec/door.md 7).
  takesFollowUps: true,
  task: taskObject,
  sent: (task) => task,
  error: plain,
  frames: () => 'v03',
});

/** A2A 0.2 and 0.3 (spec/door.md, column `v03`): a send waits when it asks to, a stream shows one task. */
export const v03 = dialectOf('older', {
  'message/send': { ...send, isStart: true },
  'message/stream': { ...stream, isStart: true, isStream: true },
  'tasks/get': get,
  'tasks/cancel': cancel,
  'tasks/resubscribe': { ...subscribe, isStream: true },
  'agent/getAuthenticatedExtendedCard': olderExtendedCard,
  'tasks/pushNotificationConfig/set': push,
  'tasks/pushNotificationConfig/get': push,
  'tasks/pushNotificationConfig/list': push,
  'tasks/pushNotificationConfig/delete': push,
});
