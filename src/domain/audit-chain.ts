import type { Doer } from './audit.ts';
import { canonicalJson } from './canonical-json.ts';
import type { JsonObject } from './json.ts';
import { omit } from './omit.ts';

/** What an entry says. Its types may be others than today's: what was written once stays. */
export interface RecordedAct {
  readonly at: Date;
  readonly actor: Omit<Doer['actor'], 'type'> & { readonly type: string };
  readonly via: Omit<Doer['via'], 'kind'> & { readonly kind: string };
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly details: JsonObject;
}

/** An act in its place in the chain of its workspace. */
export interface AuditEntry extends RecordedAct {
  /** From 1, without a gap. */
  readonly sequence: number;
  /** The `hash` of the entry before. */
  readonly previous: string;
  readonly hash: string;
}

/** Where a chain ends, or ended once. */
export interface ChainPoint {
  readonly sequence: number;
  readonly hash: string;
}

/** An entry as the API shows it. */
export type ShownEntry = JsonObject & ChainPoint & { readonly previous: string };

/** SHA-256 of the text in UTF-8, hexadecimal. */
export type Sha256 = (text: string) => string;

/** Before the first entry. */
export const chainStart: ChainPoint = { sequence: 0, hash: '0'.repeat(64) };

/** So often the end of a chain is told to those who follow the log of events, and once a day. */
export const CHECKPOINT_ENTRIES = 1000;

export const shownEntry = ({ at, actor, via, subject, ...rest }: AuditEntry): ShownEntry => ({
  ...rest,
  at: at.toISOString(),
  actor: { ...actor },
  via: { ...via },
  subject: { ...subject },
});

/** Of the RFC 8785 form of what the API shows of the entry, without the hash itself. */
export const hashOf = (entry: JsonObject, sha256: Sha256): string => sha256(canonicalJson(omit(entry, 'hash')));

/** The entries that these acts become behind the end of a chain. */
export const chained = (acts: readonly RecordedAct[], end: ChainPoint, sha256: Sha256): readonly AuditEntry[] => {
  const entries: AuditEntry[] = [];
  let { sequence, hash } = end;
  for (const act of acts) {
    sequence += 1;
    const unsealed = { ...act, sequence, previous: hash };
    hash = hashOf(shownEntry({ ...unsealed, hash: '' }), sha256);
    entries.push({ ...unsealed, hash });
  }
  return entries;
};
