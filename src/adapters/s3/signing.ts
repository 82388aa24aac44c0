import { setImmediate } from 'node:timers/promises';
import type { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import type { Clients } from './client.ts';

/** The SDK estimates how far this clock is off; a smaller estimate is only the time that a response takes. */
const MIN_CLOCK_OFFSET_MS = 60_000;

const signed = new Set(['content-type', 'content-length']);

/** Signs one URL between two rounds of the event loop, so that a hundred of them do not block other requests. */
const oneAtATime = pLimit(1);

/** By the store's clock and in whole seconds, because that is how the store checks a URL. */
const signingTime = (client: S3Client): Date => {
  const offset = client.config.systemClockOffset;
  const now = Date.now() + (Math.abs(offset) < MIN_CLOCK_OFFSET_MS ? 0 : offset);
  return new Date(Math.floor(now / 1000) * 1000);
};

/** A URL that sends the command, and until when. */
export const sign = async (
  { sdk, client, signer }: Clients,
  command: PutObjectCommand | GetObjectCommand,
  expiresInSeconds: number,
) => {
  const { expiration } = await client.config.credentials();
  return oneAtATime(async () => {
    await setImmediate();
    const signingDate = signingTime(client);
    const url = await sdk.getSignedUrl(signer, command, {
      expiresIn: expiresInSeconds,
      signingDate,
      signableHeaders: signed,
    });
    const end = signingDate.getTime() + expiresInSeconds * 1000;
    // A URL is only valid as long as the temporary credentials that signed it.
    return { url, expiresAt: new Date(Math.min(end, expiration?.getTime() ?? end)) };
  });
};
