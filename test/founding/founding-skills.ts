/** The skills in the examples of the founding documents, as folders. */

const skillMd = (name: string, description: string, body: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}`;

/** As version 0.1 of the discovery document shows it. */
export const pdfProcessing = skillMd(
  'pdf-processing',
  'Extract text and tables from PDF files. Use when working with PDFs or document extraction.',
  `# PDF Processing

## Quick Start

Use pdfplumber to extract text:

\`\`\`python
import pdfplumber

with pdfplumber.open("document.pdf") as pdf:
    text = pdf.pages[0].extract_text()
\`\`\`

## Form Filling

For filling PDF forms, see [references/FORMS.md](references/FORMS.md).

## Advanced Table Extraction

For complex tables with merged cells, see [references/TABLES.md](references/TABLES.md) and run \`scripts/extract_tables.py\`.
`,
);

export const gitWorkflow = skillMd(
  'git-workflow',
  'Follow team Git conventions for branching and commits.',
  `# Git Workflow

Create feature branches from \`main\`:

\`\`\`bash
git checkout -b feature/my-feature main
\`\`\`

Commit messages use conventional commits format:

\`\`\`
feat: add user authentication
fix: resolve null pointer in login
docs: update API reference
\`\`\`
`,
  'tags: [git, workflow]\nlicense: Apache-2.0\n',
);

export const dataPipeline = skillMd(
  'data-pipeline',
  'Build and validate data pipelines. Use when processing datasets or ETL workflows.',
  `# Data Pipeline

## Validation

Run \`scripts/validate.py\` against your dataset before processing.

For schema requirements, see [references/SCHEMA.md](references/SCHEMA.md).
`,
);

const plain = (name: string, description: string): string => skillMd(name, description, `# ${name}\n`);

/** By path below the folder that is served. */
export const foundingFiles: Readonly<Record<string, string>> = {
  'git-workflow/SKILL.md': gitWorkflow,
  'code-style/SKILL.md': plain('code-style', 'How code looks here.'),
  'code-style/reference.md': '# Reference\n',
  'code-review/SKILL.md': plain('code-review', 'Review code for bugs, security issues, and best practices.'),
  'code-review/SECURITY.md': '# Security\n',
  'code-review/references/SECURITY.md': '# More security\n',
  'code-review/checklist.json': '{"checks":["tests"]}\n',
  'pdf-processing/SKILL.md': pdfProcessing,
  'pdf-processing/reference.md': '# Reference\n',
  'pdf-processing/examples/sample.pdf': '%PDF-1.7\n',
  'pdf-processing/references/FORMS.md': '# Forms\n',
  'pdf-processing/references/TABLES.md': '# Tables\n',
  'pdf-processing/references/REFERENCE.md': '# Reference\n',
  'pdf-processing/scripts/extract.py': 'print("text")\n',
  'pdf-processing/scripts/extract_tables.py': 'print("tables")\n',
  'pdf-processing/assets/schema.json': '{}\n',
  'data-pipeline/SKILL.md': dataPipeline,
  'data-pipeline/scripts/validate.py': 'print("valid")\n',
  'data-pipeline/scripts/transform.py': 'print("new")\n',
  'data-pipeline/references/SCHEMA.md': '# Schema\n',
  'data-pipeline/references/ERROR_CODES.md': '# Errors\n',
  'data-pipeline/assets/config.template.yaml': 'a: 1\n',
  'wrangler/SKILL.md': plain('wrangler', 'Deploy and manage Cloudflare Workers projects.'),
  'wrangler/references/commands.md': '# Commands\n',
  'wrangler/references/configuration.md': '# Configuration\n',
  'wrangler/scripts/deploy.sh': 'echo deployed\n',
  'acme/billing/refunds/SKILL.md': plain('refunds', 'Refunds of invoices.'),
  'acme/billing/refunds/templates/email.md': 'Dear\n',
  'acme/support/refunds/SKILL.md': plain('refunds', 'Refunds over the counter.'),
  'acme/orders/returns/SKILL.md': plain('return-handling', 'What comes back.'),
  'docs/editor/SKILL.md': plain('editor', 'How the editor works.'),
  'docs/editor/deep/inner/SKILL.md': plain('inner', 'A skill inside another one.'),
  'foo/bar/code-review/SKILL.md': plain('code-review', 'Another review.'),
  'ip-lookup/SKILL.md': plain('ip-lookup', 'Which tool of IPInfo to use when.'),
  'example_skill/SKILL.md': plain('example_skill', 'A name with an underscore.'),
};

/** Of a server whose skills have a scheme of their own. */
export const hubFiles: Readonly<Record<string, string>> = {
  'owner/repo/skills/refunds/SKILL.md': plain('refunds', 'Refunds as a repository has them.'),
  'owner/repo/skills/refunds/policy.md': '# Policy\n',
};
