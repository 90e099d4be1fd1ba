// Refuses a release that would publish names on a domain that nobody owns (after a build). .github/workflows/release.yml runs it.
import { domainConfirmed, projectDomain } from '../dist/project.js';

if (!domainConfirmed) {
  console.error(
    `The domain "${projectDomain}" is not confirmed. Register it, then set "domainConfirmed" in src/project.ts; or set "projectDomain" to a domain that you own and run npm run generated.`,
  );
  process.exitCode = 1;
}
