/**
 * The lock of a door with `network.authentication` (spec/door.md section 16): tokens of one session, who presents one, which method it
 * reaches. Not who may be in the room: a public door has none of this, and the guards against web pages are in ../guards.
 * Read next: token.ts (what a token is), door-auth.ts (the tokens of a door), check.ts (the refusals), scopes.ts.
 */
export { type Authenticated, type AuthRefusal, authenticate, refuseMethod } from './check.js';
export { type Caller, DoorAuth, type DoorToken, operator } from './door-auth.js';
export { allScopes, scopeOf } from './scopes.js';
export { type OpenedToken, type TokenFamily, TokenKey, tokenId } from './token.js';
