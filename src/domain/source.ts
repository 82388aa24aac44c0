/** How documents come by themselves, and what may happen to what was taken. */
export const sourceTypes = {
  imap: ['move', 'flag', 'keep'],
  folder: ['move', 'delete', 'keep'],
  bucket: ['move', 'tag', 'keep'],
} as const;

export type SourceType = keyof typeof sourceTypes;

/** How a source stands after the last look: `waiting` has come across more than it may start runs of at a time. */
export const sourceStates = ['new', 'well', 'waiting', 'failing', 'paused'] as const;
export type SourceState = (typeof sourceStates)[number];

/** Where a source is looked at. The address of a mailbox holds its password. */
export type SourcePlace =
  | { readonly type: 'imap'; readonly url: string }
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'bucket'; readonly bucket: string; readonly prefix: string };

/** What becomes of an item once its run is stored; `to` is the mailbox that `move` names. */
export interface SourceAfter {
  readonly act: 'move' | 'delete' | 'flag' | 'tag' | 'keep';
  readonly to: string | null;
}

/** What a workspace file says of a source, in the clear. */
export interface SourceTerms {
  readonly place: SourcePlace;
  readonly after: SourceAfter;
  /** The only senders whose mails are taken; null: everyone. */
  readonly from: readonly string[] | null;
  readonly everySeconds: number;
  /** Whether nobody looks at it. */
  readonly paused: boolean;
}

/** A place that is looked at for documents. Where it is, is sealed: it may hold a password. */
export interface Source extends Omit<SourceTerms, 'place'> {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly agentId: string;
  readonly type: SourceType;
  /** The place as people are shown it, without a password. */
  readonly address: string;
  readonly sealedPlace: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where a run came from. */
export interface RunSource {
  readonly name: string;
  readonly key: string;
  readonly from: string | null;
  readonly subject: string | null;
}

/** Why something that came became no run. */
export const whyNots = {
  taken: 'already taken',
  large: 'too large',
  empty: 'nothing to read',
  sender: 'not from a sender of this source',
} as const;

/** The place as people are shown it: a mailbox without its password and options. */
export const shownPlace = (place: SourcePlace): string => {
  if (place.type === 'folder') return place.path;
  if (place.type === 'bucket') return `${place.bucket}/${place.prefix}`;
  const url = URL.parse(place.url);
  if (url === null) return '';
  return `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}${url.pathname}`;
};

/** Whether a mail of this sender is taken; null: it has no sender, or several. */
export const isWanted = (from: readonly string[] | null, sender: string | null): boolean =>
  from === null || (sender !== null && from.some((address) => address.toLowerCase() === sender.toLowerCase()));
