/**
 * Small schemas of files that CI systems read. Their own schemas are large or under licenses that we do not take. So these allow only the
 * keys that we use, with the rules of:
 *
 * - action.yml: docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
 * - .pre-commit-hooks.yaml: pre-commit.com/#creating-new-hooks
 * - .gitlab-ci.yml: docs.gitlab.com/ci/yaml
 */
const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: text, minItems: 1 } as const;
const strings = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } } as const;
const closed = (required: readonly string[], properties: object) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
/** Names of inputs and outputs: a letter or underscore, then letters, digits, "-" and "_". */
const named = (schema: object) => ({
  type: 'object',
  additionalProperties: false,
  patternProperties: { '^[A-Za-z_][\\w-]*$': schema },
});

/** A composite action. Each step with `run` needs a shell. */
export const actionSchema = closed(['name', 'description', 'runs'], {
  name: text,
  description: text,
  author: text,
  branding: closed(['icon', 'color'], {
    icon: text,
    color: { enum: ['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark'] },
  }),
  inputs: named(
    closed(['description'], {
      description: text,
      required: { type: 'boolean' },
      default: { type: 'string' },
      deprecationMessage: text,
    }),
  ),
  outputs: named(closed(['description', 'value'], { description: text, value: text })),
  runs: closed(['using', 'steps'], {
    using: { const: 'composite' },
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        oneOf: [
          closed(['run', 'shell'], { id: text, if: text, name: text, run: text, shell: text, env: strings }),
          closed(['uses'], { id: text, if: text, name: text, uses: text, with: strings, env: strings }),
        ],
      },
    },
  }),
});

export const preCommitHooksSchema = {
  type: 'array',
  minItems: 1,
  items: closed(['id', 'name', 'entry', 'language'], {
    id: text,
    name: text,
    description: text,
    entry: text,
    language: { enum: ['node', 'system', 'script', 'python', 'docker_image'] },
    files: text,
    exclude: text,
    types: texts,
    args: texts,
    pass_filenames: { type: 'boolean' },
    always_run: { type: 'boolean' },
    require_serial: { type: 'boolean' },
    additional_dependencies: texts,
  }),
} as const;

/** `.pre-commit-config.yaml` of a repository that uses hooks. */
export const preCommitConfigSchema = closed(['repos'], {
  repos: {
    type: 'array',
    minItems: 1,
    items: closed(['repo', 'rev', 'hooks'], {
      repo: text,
      rev: text,
      hooks: { type: 'array', minItems: 1, items: closed(['id'], { id: text, args: texts }) },
    }),
  },
});

const script = { type: 'array', items: text, minItems: 1 } as const;

/** Every top-level key is a job; keywords such as `stages` are not used. */
export const gitlabSchema = {
  type: 'object',
  minProperties: 1,
  propertyNames: {
    pattern: '^[\\w:. -]+$',
    not: { enum: ['image', 'services', 'cache', 'before_script', 'after_script', 'true', 'false', 'nil'] },
  },
  additionalProperties: closed(['script'], {
    image: text,
    stage: text,
    script,
    before_script: script,
    rules: {
      type: 'array',
      minItems: 1,
      items: closed([], { if: text, changes: texts, when: { enum: ['always', 'never', 'on_success', 'manual'] } }),
    },
    artifacts: closed([], {
      paths: texts,
      when: { enum: ['on_success', 'on_failure', 'always'] },
      expire_in: text,
    }),
    allow_failure: { type: 'boolean' },
  }),
} as const;
