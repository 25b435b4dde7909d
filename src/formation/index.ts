/**
 * Formations: several capsules that run together and may call one another (spec/formations.md). Today only the roster file, which
 * says who they are; nothing here starts one.
 * Read next: roster.ts (text to value), reachability.ts (who may call whom).
 */
export { callsOf, type Edge } from './reachability.js';
export { parseRoster, type Roster, type RosterMember, type RosterRule, rosterFileName } from './roster.js';
