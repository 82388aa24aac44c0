import { type ChainPoint, chainStart, hashOf, type Sha256, type ShownEntry } from './audit-chain.ts';

/** The first entry with which something is wrong. */
export interface ChainFault {
  readonly what: 'changed' | 'left_out' | 'put_in' | 'moved';
  readonly sequence: number;
}

export interface Verification {
  readonly entries: number;
  /** The last entry that was read. */
  readonly end: ChainPoint;
  /** null: every entry is as it was written. */
  readonly fault: ChainFault | null;
}

export interface Expected {
  /** Where the chain ends; null if it is not known. */
  readonly head: ChainPoint | null;
  /** Where it ended once, as somebody else has kept it. */
  readonly checkpoint: ChainPoint | null;
}

/** Reads a chain from its beginning, each time it is called. */
type Read = () => AsyncIterable<ShownEntry>;

interface Break {
  /** The last entry that is right; null before the first. */
  readonly last: ShownEntry | null;
  readonly entry: ShownEntry;
  /** What stands behind it. */
  readonly following: ShownEntry | null;
}

const fault = (what: ChainFault['what'], sequence: number): ChainFault => ({ what, sequence });

const find = async (read: Read, isIt: (entry: ShownEntry) => boolean): Promise<ShownEntry | null> => {
  for await (const entry of read()) if (isIt(entry)) return entry;
  return null;
};

/** The entry at this place, from 0. */
const at = async (read: Read, place: number): Promise<ShownEntry | null> => {
  let index = 0;
  return find(read, () => index++ === place);
};

/** What was done to an entry that has the hash of another place, or to those around it. */
const nameDisplaced = async (
  { last, entry }: Break,
  place: number,
  read: Read,
  fits: (entry: ShownEntry, sequence: number) => boolean,
): Promise<ChainFault> => {
  const { sequence } = entry;
  if (place < sequence) return fault('put_in', entry.previous === last?.previous ? last.sequence : sequence);
  const previous = (last ?? chainStart).hash;
  const moved = await find(read, (other) => other.previous === previous && fits(other, sequence));
  return fault(moved === null ? 'left_out' : 'moved', sequence);
};

/** What was done at the first place that is wrong, found by a second look at the chain. */
const nameBreak = async (broken: Break, read: Read, sha256: Sha256): Promise<ChainFault> => {
  const { last, entry, following } = broken;
  const fits = (each: ShownEntry, sequence: number) => hashOf({ ...each, sequence }, sha256) === each.hash;
  const before = last ?? chainStart;
  const expected = before.sequence + 1;
  const { sequence } = entry;
  const isWhole = fits(entry, sequence);
  // The entry before was made anew, with a hash that this one does not know.
  if (sequence === expected && isWhole) return fault('changed', Math.max(before.sequence, 1));
  if (sequence < expected) return fault('put_in', sequence);
  if (sequence > expected) {
    if ((await find(read, (each) => each.sequence === expected)) === null) return fault('left_out', expected);
    return fault('moved', following?.sequence === expected ? sequence : expected);
  }
  const after = await find(read, (each) => each.sequence !== sequence && each.hash === entry.previous);
  const places = [sequence - 1, sequence + 1, ...(after === null ? [] : [after.sequence + 1])];
  const place = places.find((each) => fits(entry, each));
  if (place !== undefined) return nameDisplaced(broken, place, read, fits);
  const isPushed = following !== null && following.previous === before.hash && fits(following, sequence);
  return fault(isPushed ? 'put_in' : 'changed', sequence);
};

/** What the end of a chain that is right in itself lacks, or has too much. */
const nameEnd = (end: ChainPoint, { head, checkpoint }: Expected, atCheckpoint: string | null): ChainFault | null => {
  if (checkpoint !== null && atCheckpoint !== null && atCheckpoint !== checkpoint.hash)
    return fault('changed', checkpoint.sequence);
  const least = Math.max(head?.sequence ?? 0, checkpoint?.sequence ?? 0);
  if (end.sequence < least) return fault('left_out', end.sequence + 1);
  if (head !== null && end.hash !== head.hash) return fault('changed', head.sequence);
  return null;
};

/**
 * Whether a chain is as it was written; if not, the first entry that was changed, left out, put in or moved. What nobody else has kept a
 * hash of can be written anew as a whole: see docs/audit.md.
 */
export const verifyChain = async (read: Read, expected: Expected, sha256: Sha256): Promise<Verification> => {
  const { head, checkpoint } = expected;
  let last: ShownEntry | null = null;
  let entries = 0;
  let atCheckpoint: string | null = null;
  const verified = (fault: ChainFault | null): Verification => {
    const { sequence, hash } = last ?? chainStart;
    return { entries, end: { sequence, hash }, fault };
  };
  for await (const entry of read()) {
    const { sequence, hash }: ChainPoint = last ?? chainStart;
    if (head !== null && sequence === head.sequence && entry.sequence > sequence)
      return verified(nameEnd({ sequence, hash }, expected, atCheckpoint) ?? fault('put_in', entry.sequence));
    const isNext = entry.sequence === sequence + 1 && entry.previous === hash;
    if (!isNext || hashOf(entry, sha256) !== entry.hash) {
      const broken = { last, entry, following: await at(read, entries + 1) };
      return verified(await nameBreak(broken, read, sha256));
    }
    last = entry;
    entries += 1;
    if (entry.sequence === checkpoint?.sequence) atCheckpoint = entry.hash;
  }
  const { end } = verified(null);
  return verified(nameEnd(end, expected, atCheckpoint));
};
