import { type ApprovalTerm, approvalTerms, labelOfTool, type StoredTool, type Untrusted } from './tool.ts';

/** What entries of two versions of an agent have in common that are the same tool. A server without a name is known by its address alone. */
const identityOf = (tool: StoredTool): string => {
  if (tool.kind === 'http') return `http ${tool.http.method} ${tool.http.name}`;
  if (tool.kind === 'mcp' && tool.mcp.name === null)
    return `mcp ${'sealed' in tool.mcp ? tool.mcp.sealed : tool.mcp.url}`;
  return `${tool.kind} ${labelOfTool(tool)}`;
};

const stricter = (a: Untrusted | null, b: Untrusted | null): Untrusted | null => {
  if (a === 'refuse' || b === 'refuse') return 'refuse';
  return a === 'allow' && b === 'allow' ? 'allow' : null;
};

const stricterTerm = (a: ApprovalTerm, b: ApprovalTerm): ApprovalTerm =>
  approvalTerms.indexOf(a) >= approvalTerms.indexOf(b) ? a : b;

/** The live tool, with what either version forbids. */
const restricted = (own: StoredTool, live: StoredTool): StoredTool => {
  const terms = {
    requiresApproval: stricterTerm(own.requiresApproval, live.requiresApproval),
    untrusted: stricter(own.untrusted, live.untrusted),
  };
  if (live.kind === 'connection')
    return { ...live, ...terms, write: live.write && own.kind === 'connection' && own.write };
  return { ...live, ...terms };
};

/**
 * The tools of an older version of an agent that the live one has as well, as the live one declares them: an address, a token or a right that
 * was taken away is not used any more. Of several entries of one tool each stands for the one at its place.
 */
export const commonTools = (own: readonly StoredTool[], live: readonly StoredTool[]): readonly StoredTool[] => {
  const left = Map.groupBy(live, identityOf);
  return own.flatMap((tool) => {
    const partner = left.get(identityOf(tool))?.shift();
    return partner === undefined ? [] : [restricted(tool, partner)];
  });
};
