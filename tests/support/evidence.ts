import { placed, supported, trueQuotes } from '../../src/application/turns/evidence.ts';
import { drained } from './generators.ts';

/** The evidence of a model's answer as an extraction keeps it: what is true of it, how it supports its values, and where it stands. */
export const verifiedEvidence = (...[given, document, parts]: Parameters<typeof trueQuotes>) =>
  drained(placed(document, drained(supported(document, drained(trueQuotes(given, document, parts))))));
