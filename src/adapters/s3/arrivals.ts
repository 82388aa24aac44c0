import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { arrivalKey, type BlobInfo } from '../../application/ports/blobs.ts';
import { busy } from '../../domain/errors.ts';
import { type Bucket, transferMs } from './client.ts';
import { nullIfOvertaken } from './errors.ts';
import type { BucketObjects } from './objects.ts';

interface Settings extends Bucket {
  readonly maxBytes: number;
}

const MOST_RECEIVES = 5;

/** The same bytes have the same tag, so the time tells that they were written again. */
const infoOf = ({
  ContentLength = 0,
  ContentType = 'application/octet-stream',
  ETag = '',
  LastModified,
}: HeadObjectCommandOutput): BlobInfo => ({
  size: ContentLength,
  contentType: ContentType,
  version: `${ETag} ${LastModified?.getTime()}`,
});

/** An upload of a client arrives beside its key, and is copied to the key once. */
export const arrivals = ({ ask, head, remove }: BucketObjects, { maxBytes, ...settings }: Settings) => {
  const Bucket = settings.bucket;

  /** false if what arrived was replaced meanwhile, or is received already. Not every store minds the second condition. */
  const copyArrival = async (key: string, { ETag, ContentLength = 0 }: HeadObjectCommandOutput): Promise<boolean> => {
    const source = { CopySource: `${Bucket}/${arrivalKey(key)}`, CopySourceIfMatch: ETag };
    const requestTimeout = transferMs(settings, ContentLength);
    const copied = await ask(({ sdk, client }) =>
      client
        .send(new sdk.CopyObjectCommand({ Bucket, Key: key, ...source, IfNoneMatch: '*' }), { requestTimeout })
        .catch(nullIfOvertaken),
    );
    return copied !== null;
  };

  const infoAt = async (key: string): Promise<BlobInfo | null> => {
    const stored = await head(key);
    return stored && infoOf(stored);
  };

  const receive = async (key: string, left = MOST_RECEIVES): Promise<BlobInfo | null> => {
    const there = await infoAt(key);
    if (there) return there;
    const arrived = await head(arrivalKey(key));
    // Another receiver may have taken it between the two looks.
    if (!arrived) return infoAt(key);
    const isTooLarge = infoOf(arrived).size > maxBytes;
    if (!isTooLarge && !(await copyArrival(key, arrived))) {
      if (left === 1) throw busy('The file is being uploaded again');
      return receive(key, left - 1);
    }
    await remove(arrivalKey(key));
    return isTooLarge ? infoOf(arrived) : receive(key);
  };

  return { infoAt, receive };
};
