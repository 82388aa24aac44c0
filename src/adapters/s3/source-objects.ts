import { hash } from 'node:crypto';
import type { _Object, HeadObjectCommandOutput } from '@aws-sdk/client-s3';

/** An object as a list showed it: one that is written again has another time, mostly another tag too. */
export interface ObjectVersion {
  readonly key: string;
  readonly tag: string;
  readonly seconds: number;
}

export interface ListedObject extends ObjectVersion {
  readonly size: number;
}

const DONE = 'done/';
/** No other sign stands behind it in the order of the keys. */
const LAST_SIGN = '\u{10ffff}';
const MOST_KEY_BYTES = 1024;

export const bareTag = (tag = '') => tag.replaceAll('"', '');
const secondsOf = (time: Date | undefined) => Math.floor((time?.getTime() ?? 0) / 1000);

export const refOf = ({ key, tag, seconds }: ObjectVersion) => `${tag} ${seconds} ${key}`;

export const versionIn = (ref: string): ObjectVersion => {
  const [tag = '', seconds = '', ...key] = ref.split(' ');
  return { tag, seconds: Number(seconds), key: key.join(' ') };
};

export const isVersion = ({ ETag, LastModified }: HeadObjectCommandOutput, { tag, seconds }: ObjectVersion) =>
  bareTag(ETag) === tag && secondsOf(LastModified) === seconds;

/** Keys are listed in an encoding that has signs which XML cannot have. */
const keyIn = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
};

export const listedObject = ({ Key = '', ETag, LastModified, Size = 0 }: _Object): ListedObject => ({
  key: keyIn(Key),
  tag: bareTag(ETag),
  seconds: secondsOf(LastModified),
  size: Size,
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const UNNAMED = /[\\\u0000-\u001f\u007f-\u009f]/g;

/** As people read it, and as the file of a run may be called. */
export const nameOf = (key: string) =>
  key
    .slice(key.lastIndexOf('/') + 1)
    .replaceAll(UNNAMED, '_')
    .slice(-200)
    .toWellFormed();

/** The part of a bucket that is looked at, and the folder in it that taken objects are moved to. */
export const watchedPart = (prefix: string) => {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const done = `${folder}${DONE}`;
  const isDone = (key: string) => key.startsWith(done);

  /** Where an object is moved to. */
  const targetOf = (key: string) => `${done}${key.slice(folder.length)}`;

  return {
    targetOf,

    /** What people put there: no folder, and nothing that was moved. */
    isItem: ({ key }: ListedObject) => !key.endsWith('/') && !isDone(key),

    /** Objects that were moved are not listed: the key that follows is behind all of them. */
    behind: (key: string) => (isDone(key) ? `${done}${LAST_SIGN}` : key),

    /**
     * Where an object may be moved to, best first. If another object has its name, or that is too long, its own name follows from what it is: a
     * process that comes after a crash finds it.
     */
    targetsOf(object: ObjectVersion): readonly string[] {
      const target = targetOf(object.key);
      const dot = target.lastIndexOf('.');
      const cut = dot > target.lastIndexOf('/') + 1 ? dot : target.length;
      const mark = hash('sha256', refOf(object)).slice(0, 12);
      const names = [target, `${target.slice(0, cut)}-${mark}${target.slice(cut)}`, `${done}${mark}`];
      return names.filter((name) => Buffer.byteLength(name) <= MOST_KEY_BYTES);
    },
  };
};
