import { expect, test } from 'vitest';
import { Notes } from '../../src/inspect/notes.js';
import { SecretTexts } from '../../src/inspect/secrets.js';
import type { SessionNotice } from '../../src/supervise/index.js';

test('the notice that carries a watcher its address, token included, is told to no watcher', () => {
  const notes = new Notes(new SecretTexts(() => []), () => 0);
  const told: SessionNotice[] = [];
  notes.onNote = (note) => told.push(note);
  notes.add({ type: 'inspection.listening', url: 'http://localhost:1/ui/?token=abcdefghijkl' });
  notes.add({ type: 'session.draining', reason: 'done' });
  expect(told).toEqual([{ type: 'session.draining', reason: 'done' }]);
  expect(JSON.stringify(notes)).not.toContain('token');
});
