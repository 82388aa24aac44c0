// Makes the bucket that S3_BUCKET names where it is not there yet, and waits for a store that is still starting.
// For a store of one's own; a bucket at a provider is made with the provider's tools.

import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const PATIENCE_MS = 90_000;

const { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint, S3_REGION: region = 'us-east-1' } = process.env;
const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
const store = new S3Client({
  region,
  endpoint,
  forcePathStyle: true,
  maxAttempts: 1,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
});

/** @typedef {Error & { $metadata?: { httpStatusCode?: number } }} StoreError */

/** @param {StoreError} error */
const statusOf = (error) => error.$metadata?.httpStatusCode ?? 0;

const isThere = () =>
  store.send(new HeadBucketCommand({ Bucket }), { abortSignal: AbortSignal.timeout(5000) }).then(
    () => true,
    (error) => {
      if (statusOf(error) === 404) return false;
      throw error;
    },
  );

/**
 * A refusal is an answer; anything else may pass.
 * @param {StoreError} error
 */
const isWorthWaiting = (error) => statusOf(error) === 0 || statusOf(error) >= 500;

const giveUpAt = Date.now() + PATIENCE_MS;
for (;;) {
  try {
    if (!(await isThere())) await store.send(new CreateBucketCommand({ Bucket }));
    console.log(`The bucket ${Bucket} is there.`);
    break;
  } catch (thrown) {
    const error = /** @type {StoreError} */ (thrown);
    if (!isWorthWaiting(error) || Date.now() > giveUpAt) {
      console.error(`The bucket ${Bucket} cannot be made: ${error.name} ${error.message}`);
      process.exit(1);
    }
    await sleep(1000);
  }
}
