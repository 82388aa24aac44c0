import * as t from 'io-ts';
import { actionPatterns, actionsMatching } from '../../../domain/audit.ts';
import { type ShownEntry, shownEntry } from '../../../domain/audit-chain.ts';
import { auditEntry, exampleAuditEntry } from '../../../wire/audit.ts';
import { exampleDocument } from '../../../wire/document.ts';
import { about, list, map, nullable, optional, wire, withDefault } from '../../../wire/kit/structures.ts';
import { instant, integer, integerParameter, oneOf, text, uuid } from '../../../wire/kit/values.ts';
import { BodyText, operation } from '../operation.ts';
import { inParts } from '../text-parts.ts';

const forAdmins = { method: 'get', tag: 'Audit', access: 'api-key', adminOnly: true } as const;

const CHAIN =
  'Each entry has the hash of the one before it: `portico audit verify` names the first that was changed, left out, put in or moved. ';

export const listAudit = operation({
  id: 'listAudit',
  path: '/audit',
  resource: 'audit',
  ...forAdmins,
  summary: 'List who did what',
  description: `What people and programs did in the workspace, oldest first unless \`order\` says otherwise: names and pointers, never values. ${CHAIN}What was done until now is in it.`,
  query: wire({
    after: about(
      'The `next` of the page before, or the `sequence` of an entry: those that follow it.',
      optional(integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER })),
      exampleAuditEntry.sequence,
    ),
    limit: about('The most to return.', withDefault(integerParameter({ min: 1, max: 1000 }), 100)),
    order: about(
      'With `newest` the newest entry comes first, and `next` leads to older ones.',
      withDefault(oneOf('oldest', 'newest'), 'oldest'),
    ),
    actor: about('The email of a user.', optional(text({ min: 1, max: 254 })), 'ada@example.com'),
    action: about('An action, or all of a kind: `document.*`.', optional(oneOf(...actionPatterns))),
    subject: about('The id of what it was done to.', optional(uuid), exampleAuditEntry.subject.id),
    from: about('The earliest time, inclusive.', optional(instant), new Date('2026-11-20T00:00:00.000Z')),
    to: about('The latest time, inclusive.', optional(instant), new Date('2026-11-20T23:59:59.999Z')),
  }),
  example: { query: { actor: 'ada@example.com', action: 'document.*', limit: 100 } },
  success: {
    description: 'A page of entries; `next` is null on the last one.',
    data: wire({
      entries: list(auditEntry),
      names: about(
        'By its id, what each document of the page is called now: of those that you see. It is not part of the chain.',
        map(t.string),
      ),
      next: nullable(integer({ min: 1 })),
    }),
    example: { entries: [exampleAuditEntry], names: { [exampleDocument.id]: exampleDocument.name }, next: null },
  },
  handle: ({ audit }, { caller, query }) => {
    const {
      after = null,
      limit,
      order,
      actor = null,
      action,
      subject: subjectId = null,
      from = null,
      to = null,
    } = query;
    const actions = action === undefined || action === '*' ? null : actionsMatching(action);
    return audit.list(caller, { actor, actions, subjectId, from, to }, { after, limit, order });
  },
});

const line = (entry: ShownEntry): string => `${JSON.stringify(entry)}\n`;

export const exportAudit = operation({
  id: 'exportAudit',
  path: '/audit/export',
  resource: 'audit_export',
  ...forAdmins,
  summary: 'Export who did what',
  description: `All of it, ascending, a line of JSON for each entry, this export among them. ${CHAIN}An export that breaks off midway ends without its last chunk, which HTTP clients report.`,
  success: {
    description: 'The entries, as they are read.',
    data: t.string,
    envelope: false,
    example: '',
    texts: { 'application/x-ndjson': { example: line(shownEntry(exampleAuditEntry)), line: auditEntry } },
  },
  handle: async ({ audit }, { caller }) =>
    new BodyText(inParts(await audit.export(caller), '', line), 'application/x-ndjson'),
});
