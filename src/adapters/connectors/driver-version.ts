import { createRequire } from 'node:module';

/** A driver that a connector reaches into, where nothing says what a version changes. */
export interface ReachedInto {
  /** The package, and the version that it was done for. */
  readonly driver: string;
  readonly version: string;
  /** The file that does it. */
  readonly by: string;
}

const installed = createRequire(import.meta.url);

/** Throws if another version is installed; the driver itself is not loaded. */
export const mustBeInstalled = ({ driver, version, by }: ReachedInto): void => {
  const { version: present } = installed(`${driver}/package.json`) as { readonly version: string };
  if (present !== version)
    throw new Error(
      `${driver} ${present} is installed, and ${by} works with ${version}: install that version, or run the contract of connectors with the new one and name it in the registry of connectors.`,
    );
};
