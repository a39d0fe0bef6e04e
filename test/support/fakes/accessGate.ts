// The gate of a session with fake files, rules and answers.
import type { AccessRequest, Operation } from "../../../src/files/gate.ts";
import { Confinement } from "../../../src/files/paths.ts";
import { Access } from "../../../src/permissions/access.ts";
import { PermissionPolicy } from "../../../src/permissions/policy.ts";
import { defaultProtection, type ProtectionSettings } from "../../../src/permissions/protectedFiles.ts";
import { readRules, type Rule } from "../../../src/permissions/rules.ts";
import type { PermissionQuestion } from "../../../src/session/agent.ts";
import type { QuestionAnswer } from "../../../src/session/events.ts";
import { FakeDocuments } from "./fakePorts.ts";

/** How the gate is set up. */
export interface Setup {
  readonly outside?: "ask" | "refuse" | "allow";
  readonly rules?: readonly Rule[];
  readonly answer?: QuestionAnswer;
  readonly sensitive?: readonly string[];
  readonly protection?: Partial<ProtectionSettings>;
  readonly hookFolders?: readonly string[];
}

/** The gate of a session in /ws, whose questions are answered by the rules, or else with `answer`. */
export function gate({
  outside = "ask",
  rules = [],
  answer = { option: "allow" },
  sensitive = [],
  protection = {},
  hookFolders = [],
}: Setup = {}) {
  const documents = new FakeDocuments();
  const confinement = new Confinement(documents.resolver, ["/ws"], "posix");
  const asked: PermissionQuestion[] = [];
  const refusals: string[] = [];
  const place = { roots: ["/ws"], platform: "posix", ignoresCase: false, home: "/home/me" } as const;
  const policy = new PermissionPolicy({
    rules: () => readRules(rules),
    sensitive: () => sensitive,
    protection: () => ({ ...defaultProtection, ...protection }),
    hookFolders: () => Promise.resolve(hookFolders),
    context: () => ({
      agent: "bot",
      workspaceFolder: "/ws",
      place,
      shells: ["posix"],
      trusted: true,
      resolve: path => documents.resolver.real(path),
    }),
  });
  const ask = async (question: PermissionQuestion): Promise<QuestionAnswer> => {
    asked.push(question);
    const { decision } = await policy.decide(question);
    return decision ? { option: decision.option } : answer;
  };
  const access = new Access({
    agentName: "Bot",
    confinement,
    policy,
    outsideMode: () => outside,
    askUser: ask,
    exists: path => documents.stat(path).then(({ kind }) => kind !== "missing"),
    onRefused: (question, { by }) => refusals.push(`${question.title}: ${by}`),
  });
  const admit = async (
    operation: Operation,
    path: string,
    command?: string,
    more: Pick<AccessRequest, "argv" | "env"> = {},
  ): Promise<boolean> =>
    access.admit({
      operation,
      path,
      located: await confinement.locate(path),
      ...(command !== undefined && { command }),
      ...more,
    });
  return { access, admit, asked, refusals, documents, confinement, policy };
}

/** Makes a symbolic link. */
export function link(documents: FakeDocuments, from: string, to: string): void {
  documents.resolver.links.set(from, to);
}
