import type { ModelTraits } from '../../application/ports/models.ts';

export type Provider = 'openai' | 'anthropic';

/** The setting that has the key of each. */
export const keySettings: Readonly<Record<Provider, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

type Family = readonly [name: RegExp, images: boolean, pdf: boolean, contextTokens: number, outputTokens: number];

/** The first one that matches counts. Names are matched without the publisher in front of them, as gateways write it. */
const families: Readonly<Record<Provider, readonly Family[]>> = {
  openai: [
    [/^(o1-mini|o1-preview|o3-mini)/, false, false, 128_000, 32_000],
    [/^(o\d)/, true, true, 200_000, 32_000],
    [/^gpt-oss/, false, false, 128_000, 16_000],
    [/^gpt-4\.1/, true, true, 1_000_000, 32_000],
    [/^(gpt-4o|chatgpt-4o)/, true, true, 128_000, 16_000],
    [/^gpt-4-turbo/, true, false, 128_000, 4_096],
    [/^gpt-4/, false, false, 8_192, 4_096],
    [/^gpt-3/, false, false, 16_000, 4_096],
    [/^gpt-\d/, true, true, 272_000, 32_000],
    [/^gemini/, true, false, 1_000_000, 8_192],
    [/^claude/, true, false, 200_000, 8_192],
    [/^(llama-?4|pixtral|llava|gemma-?3|.*vision|.*-vl)/, true, false, 32_000, 4_096],
    [/^/, false, false, 32_000, 4_096],
  ],
  anthropic: [
    [/^claude-(2|instant)/, false, false, 100_000, 4_096],
    [/^claude-3-(haiku|opus|sonnet)/, true, false, 200_000, 4_096],
    [/^claude-3-5/, true, true, 200_000, 8_192],
    [/^claude/, true, true, 200_000, 32_000],
    [/^/, false, false, 32_000, 4_096],
  ],
};

const bare = (model: string) => model.slice(model.lastIndexOf('/') + 1).toLowerCase();

export const traitsOf = (provider: Provider, model: string): ModelTraits => {
  const family = families[provider].find(([name]) => name.test(bare(model)));
  if (family === undefined) throw new Error(`no family takes the model ${model}`);
  const [, images, pdf, contextTokens, outputTokens] = family;
  return { images, pdf, contextTokens, outputTokens };
};

/** OpenAI's reasoning models refuse `max_tokens`; many compatible servers know nothing else. */
export const wantsMaxCompletionTokens = (model: string): boolean => /^(o\d|gpt-([5-9]|\d\d))/.test(bare(model));
