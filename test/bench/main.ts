// Runs one benchmark by name, in a process of its own, and writes its report: main.mjs <name> <file>.
import { writeFileSync } from "node:fs";
import type { Report } from "./report.ts";

const benchmarks: Readonly<Record<string, () => Promise<{ run(): Promise<Report> }>>> = {
  model: () => import("./model.ts"),
  wire: () => import("./wire.ts"),
  sizes: () => import("./sizes.ts"),
  start: () => import("./start.ts"),
  activation: () => import("./activation.ts"),
  panel: () => import("./panel.ts"),
  terminal: () => import("./terminal.ts"),
  files: () => import("./files.ts"),
  mentions: () => import("./mentions.ts"),
  boundary: () => import("./boundary.ts"),
  diffs: () => import("./diffs.ts"),
  review: () => import("./review.ts"),
  checkpoints: () => import("./checkpoints.ts"),
  sessions: () => import("./sessions.ts"),
  sessionsPainted: () => import("./sessionsPainted.ts"),
  search: () => import("./search.ts"),
  inspector: () => import("./inspector.ts"),
  worktrees: () => import("./worktrees.ts"),
  follow: () => import("./follow.ts"),
  tools: () => import("./tools.ts"),
};

const [name = "", file = ""] = process.argv.slice(2);
const load = benchmarks[name];
if (!load) throw new Error(`There is no benchmark ${name}.`);
const { run } = await load();
writeFileSync(file, JSON.stringify(await run()));
