// How mocha runs every suite but `host`, whose tests run inside VS Code (test/support/host/index.ts).
import { maxTestTime } from "./scripts/tools/quiet.mjs";

export default {
  reporter: "scripts/tools/resultsReporter.mjs",
  // No machine is too slow for it, so no test has a limit of its own.
  timeout: maxTestTime,
  // On a build machine, a forgotten `.only` would silently skip tests.
  forbidOnly: Boolean(process.env["CI"]),
};
