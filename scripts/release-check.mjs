// Refuses a release that would publish names on a domain or repository that nobody owns yet (after a build). .github/workflows/release.yml runs it.
import { domainConfirmed, projectDomain, repository, repositoryConfirmed } from '../dist/project.js';

if (!domainConfirmed) {
  console.error(
    `The domain "${projectDomain}" is not confirmed. Register it, then set "domainConfirmed" in src/project.ts; or set "projectDomain" to a domain that you own and run npm run generated.`,
  );
  process.exitCode = 1;
}
if (!repositoryConfirmed) {
  console.error(
    `The repository "${repository}" is not confirmed. Create it, then set "repositoryConfirmed" in src/project.ts; or set "repository" to yours there and in package.json.`,
  );
  process.exitCode = 1;
}
