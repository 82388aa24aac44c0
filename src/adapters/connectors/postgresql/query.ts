/** Runs one statement of this program in the session at hand. */
export type Query = <Row>(text: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;
