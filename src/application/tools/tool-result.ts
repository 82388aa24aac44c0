import type { ContentBlock, ToolResult } from '../ports/tools.ts';

const MAX_CHARACTERS = 64_000;

const cutText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}\n[${text.length - most} more characters are left out]`;
};

/** Texts share what there is room for. Images and sounds cannot be cut: what their server may answer bounds them. */
const cutBlocks = (content: readonly ContentBlock[]): readonly ContentBlock[] => {
  let room = MAX_CHARACTERS;
  return content.map((block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return block;
    const text = cutText(block.text, room);
    room = Math.max(0, room - block.text.length);
    return { ...block, text };
  });
};

/** As much of a result as a model can do something with. */
export const cut = ({ text, content, ...rest }: ToolResult): ToolResult => ({
  ...rest,
  text: cutText(text, MAX_CHARACTERS),
  ...(content && { content: cutBlocks(content) }),
});
