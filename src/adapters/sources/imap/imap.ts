import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import {
  ItemGone,
  ItemUnreadable,
  NotTaken,
  type OpenSource,
  type SourceItem,
  type SourcePage,
} from '../../../application/ports/sources.ts';
import { codeOf, DomainError } from '../../../domain/errors.ts';
import { isObject, type JsonValue } from '../../../domain/json.ts';
import { type SourceAfter, whyNots } from '../../../domain/source.ts';
import type { SourceFamily } from '../family.ts';
import { BadAddress, type MailboxAddress, parseMailbox } from './address.ts';
import { mailFailure } from './failures.ts';
import { bodyFinder, fileNameOf, HEADERS, readHead } from './mails.ts';
import { type MailSession, type MailSettings, mailSession, type Selected } from './session.ts';

/** So many mails are asked about at a time, and so many UIDs are looked through for them. */
const PAGE = 200;
const SPAN = 20_000;
/** So often a look asks again for mails that the server did not give: enough to find some that it cannot give. */
const MOST_REFUSALS = 50;
const CHUNK_BYTES = 1024 * 1024;
/** Mails that come together are looked at together; and what a server does to its sessions has no faster pace. */
const GATHER_MS = 500;
const RECONNECT_MS = 5000;

/** A mail of this mailbox. */
const keyOf = ({ mailbox }: MailboxAddress, validity: bigint, uid: number) =>
  `${mailbox};UIDVALIDITY=${validity}/;UID=${uid}`;

/** The same in the form of RFC 5092, with the account: in another one, another mail may have this key. */
const refOf = (address: MailboxAddress, validity: bigint, uid: number) =>
  `imap://${encodeURIComponent(address.user)}@${address.host.toLowerCase()}/${keyOf(address, validity, uid)}`;

const uidOf = (ref: string, address: MailboxAddress, validity: bigint): number | null => {
  const known = refOf(address, validity, 0).slice(0, -1);
  return ref.startsWith(known) ? Number(ref.slice(known.length)) : null;
};

/** The UIDs up to here were seen, as long as the UIDs of the mailbox are the same. */
const seenUid = (cursor: JsonValue | null, validity: bigint): number =>
  isObject(cursor) && cursor.validity === String(validity) ? Number(cursor.uid) : 0;

/** The UIDs in a span, which names few enough for one answer. */
const uidsIn = async ({ client }: Selected, first: number, last: number, session: MailSession) => {
  const uids = await client.search({ uid: `${first}:${last}` }, { uid: true });
  if (!Array.isArray(uids)) throw session.refused('the mailbox was not searched');
  // Some servers answer the last mail for a span that has none.
  return uids.filter((uid) => uid >= first && uid <= last).sort((a, b) => a - b);
};

/** The bytes of a mail, a part at a time. */
async function* bytesOf({ client }: Selected, uid: number): AsyncIterable<Uint8Array> {
  const { content } = await client.download(uid, undefined, { uid: true, chunkSize: CHUNK_BYTES });
  if (!content) throw new ItemGone();
  const body = bodyFinder();
  try {
    for await (const chunk of content as AsyncIterable<Uint8Array>) {
      body.pass(chunk);
      yield chunk;
    }
  } catch (error) {
    throw codeOf(error) === 'DownloadIncomplete' ? new ItemGone() : error;
  }
  if (!body.isFound()) throw new NotTaken(whyNots.empty);
}

/** The next command ends the waiting of the client, and so does what it sends to keep the session: it then waits again. A server without IDLE is asked now and then. */
const listenOn = async (client: ImapFlow, until: AbortSignal): Promise<void> => {
  while (!until.aborted && client.usable) {
    await client.idle().catch(() => {});
    await sleep(GATHER_MS, undefined, { signal: until }).catch(() => {});
  }
};

/** Resolves when something may have come, or after so many seconds. */
const newsOf = async (client: ImapFlow, seconds: number, signal: AbortSignal): Promise<void> => {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  void listenOn(client, until);
  // A connection that breaks is opened again by the next look, which says why if it cannot.
  const events = ['exists', 'close'].map((event) => once(client, event, { signal: until }).catch(() => {}));
  try {
    await Promise.race([...events, sleep(seconds * 1000, undefined, { signal: until })]);
  } finally {
    over.abort();
    await Promise.all(events);
  }
};

/** A mailbox under a look. */
class OpenMailbox implements OpenSource {
  readonly #address: MailboxAddress;
  readonly #after: SourceAfter;
  readonly #session: MailSession;
  /** Whether something came since the look began, and the UIDs that it goes up to. */
  #isNews = false;
  #end = 0;
  #listenedTo: ImapFlow | null = null;
  /** How often the server did not give what this look asked for. */
  #refusals = 0;

  constructor(address: MailboxAddress, after: SourceAfter, session: MailSession) {
    this.#address = address;
    this.#after = after;
    this.#session = session;
  }

  async *pages(cursor: JsonValue | null): AsyncIterable<SourcePage> {
    const session = this.#session;
    const { validity, nextUid } = await session.during(() => this.#begin());
    for (let seen = seenUid(cursor, validity); seen + 1 < nextUid; ) {
      const last = Math.min(seen + SPAN, nextUid - 1);
      const uids = await session.during(async () => uidsIn(await this.#current(), seen + 1, last, session));
      for (let at = 0; at < uids.length; at += PAGE) {
        const page = uids.slice(at, at + PAGE);
        const items = await session.during(() => this.#itemsOf(page, validity));
        if (items === null) return;
        yield { items, cursor: { validity: String(validity), uid: page.at(-1) ?? 0 } };
      }
      seen = last;
      if (uids.length === 0) yield { items: [], cursor: { validity: String(validity), uid: last } };
    }
  }

  settle(ref: string): Promise<void> {
    return this.#session.during(async () => {
      const { client, validity } = await this.#current();
      const uid = uidOf(ref, this.#address, validity);
      // Its UID names no mail, or another one, in a mailbox that was made anew.
      if (uid === null) return;
      if (this.#after.act === 'flag') await this.#flag(client, uid);
      else if (this.#after.to !== null) await this.#move(client, uid, this.#after.to);
    });
  }

  async news(seconds: number, signal: AbortSignal): Promise<void> {
    const client = this.#session.client();
    if (client !== null && !this.#isNews) await newsOf(client, seconds, signal);
    await sleep(this.#session.client() === null ? RECONNECT_MS : GATHER_MS, undefined, { signal });
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #begin(): Promise<Selected> {
    const selected = await this.#session.select();
    this.#refusals = 0;
    this.#isNews = false;
    this.#end = selected.nextUid;
    this.#listen(selected);
    return selected;
  }

  async #current(): Promise<Selected> {
    const selected = await this.#session.current();
    this.#listen(selected);
    return selected;
  }

  /** The mailbox as it was when its items were listed. */
  async #unchanged(validity: bigint): Promise<Selected> {
    const selected = await this.#current();
    if (selected.validity !== validity) throw new ItemGone();
    return selected;
  }

  /** Also to a session that is opened again during the look. */
  #listen({ client, nextUid }: Selected) {
    if (nextUid > this.#end) this.#isNews = true;
    if (client === this.#listenedTo) return;
    this.#listenedTo = client;
    client.on('exists', () => {
      this.#isNews = true;
    });
  }

  /** null if the mailbox was made anew. A server that cannot give one mail may end the session: halves are asked for, so that it hides no other. */
  async #itemsOf(uids: readonly number[], validity: bigint, isAgain = false): Promise<readonly SourceItem[] | null> {
    const selected = await this.#current();
    if (selected.validity !== validity) return null;
    try {
      return await this.#fetched(selected, uids);
    } catch (error) {
      this.#refusals += 1;
      if (this.#refusals > MOST_REFUSALS) throw error;
      const [first = 0] = uids;
      if (uids.length === 1 && isAgain) {
        // Without a session nothing tells what comes: the next look would follow at once, and lose it again.
        await this.#current();
        return [this.#unreadable(first, validity, error)];
      }
    }
    const half = Math.ceil(uids.length / 2);
    const items = await this.#itemsOf(uids.slice(0, half), validity, true);
    if (items === null || half === uids.length) return items;
    const others = await this.#itemsOf(uids.slice(half), validity, true);
    return others && [...items, ...others];
  }

  /** Those that are still there. */
  async #fetched({ client, validity }: Selected, uids: readonly number[]): Promise<readonly SourceItem[]> {
    const items: SourceItem[] = [];
    const missing = new Set(uids);
    const parts = { uid: true, size: true, bodyParts: [HEADERS] };
    for await (const mail of client.fetch(uids.join(','), parts, { uid: true })) {
      // The server also says here which flags other programs change, of any mail: such an answer has no size. What was not asked for, or came before, would have no end.
      if (mail.size !== undefined && missing.delete(mail.uid)) items.push(await this.#itemOf(mail, validity));
    }
    return items;
  }

  async #itemOf({ uid, size = 0, headers }: FetchMessageObject, validity: bigint): Promise<SourceItem> {
    const head = await readHead(headers ?? new Uint8Array());
    return {
      ...this.#identityOf(uid, validity),
      name: fileNameOf(head),
      sizeBytes: size,
      from: head.from,
      subject: head.subject,
      whyNot: size === 0 ? whyNots.empty : null,
      read: () => this.#read(uid, validity),
    };
  }

  #unreadable(uid: number, validity: bigint, cause: unknown): SourceItem {
    const error = this.#notGiven(uid, cause);
    return {
      ...this.#identityOf(uid, validity),
      name: 'mail.eml',
      sizeBytes: null,
      from: null,
      subject: null,
      whyNot: null,
      unreadable: error,
      read: () => {
        throw error;
      },
    };
  }

  #identityOf(uid: number, validity: bigint) {
    return {
      ref: refOf(this.#address, validity, uid),
      keyOf: () => keyOf(this.#address, validity, uid),
      contentType: 'message/rfc822',
    };
  }

  async *#read(uid: number, validity: bigint): AsyncIterable<Uint8Array> {
    const session = this.#session;
    const selected = await session.during(() => this.#unchanged(validity));
    const chunks = bytesOf(selected, uid)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await session.during(() => chunks.next());
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw await this.#failureOf(uid, error);
    } finally {
      await chunks.return?.();
    }
  }

  /** Why a mail could not be read: it is its own fault where the server goes on answering. */
  async #failureOf(uid: number, error: unknown): Promise<unknown> {
    if (error instanceof ItemGone || error instanceof NotTaken) return error;
    this.#refusals += 1;
    if (this.#refusals > MOST_REFUSALS) return error;
    await this.#session.during(() => this.#current());
    return this.#notGiven(uid, error);
  }

  #notGiven(uid: number, cause: unknown): ItemUnreadable {
    const { host, mailbox } = this.#address;
    return new ItemUnreadable(
      `The mail server ${host} does not give the mail with UID ${uid} of ${mailbox}.`,
      mailFailure(cause, this.#address),
    );
  }

  /** Moves the mail. If the server does not, because the mailbox was deleted, creates the mailbox and moves the mail again. */
  async #move(client: ImapFlow, uid: number, to: string) {
    const isMoved = async () => Boolean(await client.messageMove(String(uid), to, { uid: true }));
    if (await isMoved()) return;
    await client.mailboxCreate(to).catch(() => {});
    if (!(await isMoved())) throw this.#session.refused('the mail was not moved');
  }

  async #flag(client: ImapFlow, uid: number) {
    const flagged = await client.messageFlagsAdd(String(uid), ['\\Flagged'], { uid: true });
    if (!flagged) throw this.#session.refused('the mail was not flagged');
  }
}

const defectOf = (url: string): string | null => {
  try {
    parseMailbox(url);
    return null;
  } catch (error) {
    if (error instanceof BadAddress) return error.message;
    throw error;
  }
};

/** Mailboxes of mail servers, as IMAP shows them. */
export const mailboxSources = (settings: MailSettings): SourceFamily<'imap'> => ({
  defect: async ({ url }) => defectOf(url),
  async open({ url }, after, signal, token) {
    const wrong = defectOf(url);
    if (wrong !== null) throw new DomainError('unavailable', `The address of the mailbox ${wrong}.`);
    const address = parseMailbox(url);
    if (after.to === address.mailbox)
      throw new DomainError(
        'unavailable',
        `The source moves the mails of ${address.mailbox} to that mailbox itself: name another one in after.`,
      );
    const session = mailSession(address, { ...settings, token }, after.act === 'keep', signal);
    try {
      await session.during(session.select);
    } catch (error) {
      await session.close();
      throw error;
    }
    return new OpenMailbox(address, after, session);
  },
});
