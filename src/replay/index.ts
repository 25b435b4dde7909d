/**
 * Recording a session so that it can be replayed. Read next: log.ts.
 */
export {
  EVENT_LOG_FILE,
  EventLog,
  type EventLogHeader,
  type EventLogItem,
  type EventToLog,
  type LoggedEvent,
  readEventLog,
} from './log.js';
