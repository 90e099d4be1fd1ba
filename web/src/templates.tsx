/** Templates of unlisted skills: the reader fills in the variables and opens the resulting skill. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TemplateData } from '../../src/surfaces/page/page-data.ts';
import { query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { Failure, Foreign } from './text.tsx';

export function Templates(): JSX.Element {
  const { versions } = useServer();
  const { data, error } = useData<{ templates: readonly TemplateData[] }>(
    'api/templates',
    `${versions.catalog}-${versions.runtimes}`,
  );
  return (
    <section aria-labelledby="templates">
      <h2 id="templates">Skill templates</h2>
      {error === undefined ? null : <Failure error={error} what="the templates" />}
      {(data?.templates ?? []).map((template) => (
        <Template key={template.uriTemplate} template={template} />
      ))}
    </section>
  );
}

/** Typed values stay if a program disconnects and returns. */
const typed = new Map<string, Readonly<Record<string, string>>>();

function Template({ template }: { readonly template: TemplateData }): JSX.Element {
  const { uriTemplate, variables } = template;
  const [values, setValues] = useState(() => typed.get(uriTemplate) ?? {});
  const type = (variable: string, value: string): void => {
    const now = { ...typed.get(uriTemplate), [variable]: value };
    typed.set(uriTemplate, now);
    setValues(now);
  };
  const filled = variables.every((variable) => (values[variable] ?? '') !== '');
  const uri = uriTemplate.replace(/\{([+#./;?&]?)([^}]*)\}/g, (_, operator: string, variable: string) => {
    const value = values[variable.replace(/[*]$|:\d+$/, '')] ?? '';
    return operator === '+' ? encodeURI(value) : encodeURIComponent(value);
  });
  return (
    <section class="card">
      <h3>
        <Foreign text={template.name} />
      </h3>
      <p>
        <Foreign text={template.description} />
      </p>
      <p class="quiet">
        <code>
          <Foreign text={uriTemplate} />
        </code>
      </p>
      {variables.map((variable) => (
        <Variable
          template={uriTemplate}
          variable={variable}
          value={values[variable] ?? ''}
          onChange={(value) => type(variable, value)}
        />
      ))}
      {filled ? (
        <a class="button primary small" href={skillHref(uri)}>
          Open {uri}
        </a>
      ) : (
        <p class="quiet">Fill in the missing values.</p>
      )}
    </section>
  );
}

function Variable({
  template,
  variable,
  value,
  onChange,
}: {
  readonly template: string;
  readonly variable: string;
  readonly value: string;
  onChange(value: string): void;
}): JSX.Element {
  const { versions } = useServer();
  const { data } = useData<{ values: readonly string[] }>(
    query('api/templates/complete', { template, variable, value }),
    versions.catalog,
  );
  const id = `values-${template}-${variable}`;
  return (
    <label class="comment">
      {variable}
      <input type="text" list={id} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
      <datalist id={id}>
        {(data?.values ?? []).map((known) => (
          <option value={known} />
        ))}
      </datalist>
    </label>
  );
}
