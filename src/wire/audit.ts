import * as t from 'io-ts';
import type { AuditEntry } from '../domain/audit-chain.ts';
import { exampleDocument } from './document.ts';
import { exampleId } from './example.ts';
import { about, component, nullable, wire } from './kit/structures.ts';
import { anyObject, dateTime, integer, text, uuid } from './kit/values.ts';

const sha256 = text({ max: 64, pattern: /^[0-9a-f]{64}$/, expected: 'a SHA-256 in hexadecimal' });

export const auditEntry = component('AuditEntry', {
  sequence: about('From 1, without a gap.', integer({ min: 1 })),
  at: dateTime,
  actor: wire({
    type: about('`user`, `operator` (a command on the server) or `system` (Portico itself).', t.string),
    id: about('Of the user.', nullable(uuid)),
    name: nullable(t.string),
  }),
  via: wire({
    kind: about('`console`, `api_key`, `oauth`, `mcp`, `command` or `system`.', t.string),
    id: about('Of the credential: a key, or the grant of a program.', nullable(t.string)),
    address: about('Where the request came from.', nullable(t.string)),
  }),
  action: t.string,
  subject: wire({
    type: t.string,
    id: uuid,
    name: about('Of a run, a document or a conversation: the name of its agent.', nullable(t.string)),
  }),
  details: about('Names and pointers, never values.', anyObject),
  previous: about('The `hash` of the entry before; 64 zeros in the first.', sha256),
  hash: about('SHA-256, in hexadecimal, of the entry without its `hash`, in the form of RFC 8785.', sha256),
});

export const exampleAuditEntry: AuditEntry = {
  sequence: 4711,
  at: new Date('2026-11-20T09:35:00.000Z'),
  actor: { type: 'user', id: exampleId(7), name: 'Ada' },
  via: { kind: 'console', id: exampleId(8), address: '192.0.2.7' },
  action: 'document.approved',
  subject: { type: 'document', id: exampleDocument.id, name: 'Invoice reader' },
  details: { revision: 2 },
  previous: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
};

/** What webhooks and the log of events have of the end of a chain. */
export const checkpoint = component('AuditCheckpoint', { sequence: integer({ min: 1 }), hash: sha256 });

export const exampleCheckpoint = { sequence: exampleAuditEntry.sequence, hash: exampleAuditEntry.hash };
