import { defineConfig } from 'vite';

// Paths are relative, so the page works below any prefix; one script and one style sheet, nothing inline and nothing from elsewhere.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
