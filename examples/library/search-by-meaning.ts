import { embeddingsEndpoint, serve } from 'skillwire/node';

const embedder = embeddingsEndpoint({
  url: process.env['EMBEDDINGS_URL'] ?? 'https://api.openai.com/v1/embeddings',
  model: 'text-embedding-3-small',
  key: process.env['OPENAI_API_KEY'],
  onFailure: console.error,
});
export const handle = await serve({ roots: [{ path: './skills' }], http: { host: '127.0.0.1', port: 0 }, embedder });
