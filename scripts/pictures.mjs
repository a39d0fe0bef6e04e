// Redraws the pictures of the real panel: the scenes in test/scenes and the picture of the README.
//   npm run pictures
import { run } from "./tools/project.mjs";

process.env["PARLEY_PICTURES"] = "1";
process.exitCode = await run(process.execPath, [
  "scripts/test.mjs",
  "joined",
  "e2e",
  "--grep=start|breaks|interrupted|options|README|outside|secret|rules|unsaved|terminal of Parley",
]);
