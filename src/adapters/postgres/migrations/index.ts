import { Initial } from './0001-initial.ts';
import { Webhooks } from './0002-webhooks.ts';
import { OAuth } from './0003-oauth.ts';
import { Conversations } from './0004-conversations.ts';
import { AgentChanges } from './0005-agent-changes.ts';
import { SnapshotUploads } from './0006-snapshot-uploads.ts';
import { MessageAuthors } from './0007-message-authors.ts';
import { QueueTurns } from './0008-queue-turns.ts';
import { RunPages } from './0008-run-pages.ts';
import { PasswordVersion } from './0009-password-version.ts';
import { Uploads } from './0010-uploads.ts';
import { ConnectionChanges } from './0011-connection-changes.ts';
import { Events } from './0012-events.ts';
import { AgentVersions } from './0013-agent-versions.ts';
import { Coverage } from './0014-coverage.ts';
import { DocumentSearch } from './0015-document-search.ts';
import { Review } from './0016-review.ts';
import { Checks } from './0017-checks.ts';
import { OwnKeys } from './0019-own-keys.ts';

/** In the order they are run. A name is never changed once it was released. */
export const migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-webhooks', class: Webhooks },
  { name: '0003-oauth', class: OAuth },
  { name: '0004-conversations', class: Conversations },
  { name: '0005-agent-changes', class: AgentChanges },
  { name: '0006-snapshot-uploads', class: SnapshotUploads },
  { name: '0007-message-authors', class: MessageAuthors },
  { name: '0008-queue-turns', class: QueueTurns },
  { name: '0008-run-pages', class: RunPages },
  { name: '0009-password-version', class: PasswordVersion },
  { name: '0010-uploads', class: Uploads },
  { name: '0011-connection-changes', class: ConnectionChanges },
  { name: '0012-events', class: Events },
  { name: '0013-agent-versions', class: AgentVersions },
  { name: '0014-coverage', class: Coverage },
  { name: '0015-document-search', class: DocumentSearch },
  { name: '0016-review', class: Review },
  { name: '0017-checks', class: Checks },
  { name: '0019-own-keys', class: OwnKeys },
] as const;
