import type { ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import { concurrently } from '../../application/shared/async.ts';
import type { Clients } from './client.ts';

const REQUESTS_AT_ONCE = 8;

interface Version {
  readonly Key?: string | undefined;
  readonly VersionId?: string | undefined;
}

/** Every version of the objects under this prefix that `isMeant`, the marks of deletions too; null if the store does not tell. */
export const versionsUnder = async (
  { sdk, client }: Clients,
  place: { readonly Bucket: string; readonly Prefix: string },
  isMeant: (key: string) => boolean,
): Promise<readonly Version[] | null> => {
  const versions: Version[] = [];
  let from: { readonly KeyMarker?: string | undefined; readonly VersionIdMarker?: string | undefined } | null = {};
  try {
    while (from !== null) {
      const page: ListObjectVersionsCommandOutput = await client.send(
        new sdk.ListObjectVersionsCommand({ ...place, ...from }),
      );
      versions.push(...(page.Versions ?? []), ...(page.DeleteMarkers ?? []));
      const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
      from = page.IsTruncated ? { KeyMarker, VersionIdMarker } : null;
    }
  } catch (error) {
    const status = (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode;
    // It does not let these credentials, or does not have versions: anything else is an outage.
    if (status === 403 || status === 405 || status === 501 || status === 400) return null;
    throw error;
  }
  return versions.filter(({ Key = '' }) => isMeant(Key));
};

/** Removes each of these for good; how many the store refused to, because of a lock or a missing right. */
export const removeVersions = async (
  { sdk, client }: Clients,
  Bucket: string,
  versions: readonly Version[],
): Promise<number> => {
  const refused = await concurrently(versions, REQUESTS_AT_ONCE, async ({ Key = '', VersionId }) => {
    try {
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key, ...(VersionId && { VersionId }) }));
      return false;
    } catch (error) {
      const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      if ($metadata?.httpStatusCode === 403 || name === 'AccessDenied') return true;
      if ($metadata?.httpStatusCode === 404) return false;
      throw error;
    }
  });
  return refused.filter((isRefused) => isRefused).length;
};
