import { address, integer, setting, text } from './setting.ts';

/** The models that agents use. */
export const models = {
  openaiApiKey: setting<string | null>('OPENAI_API_KEY', text, null, 'For models named `openai/…`.'),
  openaiBaseUrl: setting<string | null>(
    'OPENAI_BASE_URL',
    address,
    null,
    'Any OpenAI-compatible server. Unset: `https://api.openai.com/v1`.',
  ),
  anthropicApiKey: setting<string | null>('ANTHROPIC_API_KEY', text, null, 'For models named `anthropic/…`.'),
  anthropicBaseUrl: setting<string | null>(
    'ANTHROPIC_BASE_URL',
    address,
    null,
    'Another server of the Anthropic API. Unset: `https://api.anthropic.com/v1`.',
  ),
  modelTimeoutSeconds: setting('MODEL_TIMEOUT_SECONDS', integer(1, 3600), 120, 'How long one answer of a model may take.'),
  modelMaxAttempts: setting(
    'MODEL_MAX_ATTEMPTS',
    integer(1, 20),
    4,
    'How often a model is asked again when it is rate limited, overloaded or out of reach.',
  ),
} as const;
