import { setImmediate } from 'node:timers/promises';
import type { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import type { Presigned } from '../../application/ports/blobs.ts';
import type { Opened } from './client.ts';

/** What the SDK found this clock to be off by less than this is the time an answer takes. */
const CLOCK_OFF_MS = 60_000;

const signed = new Set(['content-type', 'content-length']);

/** One URL a turn: signing a hundred of them at a stretch would hold up every other request. */
const inTurn = pLimit(1);

/** The store reads a URL's time by its own clock, and to the second. */
const signingTime = (client: S3Client): Date => {
  const offset = client.config.systemClockOffset;
  const now = Date.now() + (Math.abs(offset) < CLOCK_OFF_MS ? 0 : offset);
  return new Date(Math.floor(now / 1000) * 1000);
};

interface Signing extends Opened {
  readonly expiresInSeconds: number;
}

const sign = async ({ sdk, client, signer, expiresInSeconds: expiresIn }: Signing, command: PutObjectCommand | GetObjectCommand) => {
  const { expiration } = await client.config.credentials();
  return inTurn(async () => {
    await setImmediate();
    const signingDate = signingTime(client);
    const url = await sdk.getSignedUrl(signer, command, { expiresIn, signingDate, signableHeaders: signed });
    const end = signingDate.getTime() + expiresIn * 1000;
    // A URL ends with the temporary credentials that signed it.
    return { url, expiresAt: new Date(Math.min(end, expiration?.getTime() ?? end)) };
  });
};

export const signPut = async (
  signing: Signing,
  object: { readonly Bucket: string; readonly Key: string; readonly ContentType: string; readonly ContentLength?: number },
): Promise<Presigned> => {
  const { url, expiresAt } = await sign(signing, new signing.sdk.PutObjectCommand(object));
  return { url, method: 'PUT', headers: { 'Content-Type': object.ContentType }, expiresAt };
};

export const signGet = async (signing: Signing, object: { readonly Bucket: string; readonly Key: string }): Promise<Presigned> => {
  const { url, expiresAt } = await sign(signing, new signing.sdk.GetObjectCommand(object));
  return { url, method: 'GET', headers: {}, expiresAt };
};
