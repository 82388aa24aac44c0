export const retainedKinds = ['files', 'conversations', 'documents', 'runs'] as const;
/** In this order they are removed: a run goes when nothing that is kept needs it. */
export type RetainedKind = (typeof retainedKinds)[number];

/** A number of days, weeks, months or years: `90d`, `12w`, `6m`, `7y`. At most a few hundred years, which every database can count. */
export const DURATION = /^([1-9]\d{0,4}d|[1-9]\d{0,3}[wm]|[1-9]\d{0,2}y)$/;

/** How long a workspace keeps each kind; null: for ever. */
export type Retention = Readonly<Record<RetainedKind, string | null>>;

const units: Readonly<Record<string, string>> = { d: 'days', w: 'weeks', m: 'months', y: 'years' };

/** The duration in words that databases read. */
export const intervalOf = (duration: string): string => `${duration.slice(0, -1)} ${units[duration.slice(-1)]}`;

export type RemovedCounts = Readonly<Record<RetainedKind, number>>;
