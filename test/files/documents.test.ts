// The in-memory editor meets the same contract as the real editor.
import { describeDocuments } from "../support/contracts/documents.ts";
import { FakeDocuments } from "../support/fakes/fakePorts.ts";

describeDocuments("in memory", async () => {
  const documents = new FakeDocuments();
  const path = (name: string): string => `/ws/${name}`;
  return {
    documents,
    path,
    put: async (name, content) => documents.put(path(name), content),
    bytes: async name => documents.files.get(await documents.resolver.real(path(name))),
    folder: async name => void documents.folders.add(path(name)),
    link: async (name, target) => void documents.resolver.links.set(path(name), path(target)),
    makeReadOnly: async name => void documents.readOnly.add(path(name)),
    type: async (name, text) => documents.type(path(name), text),
    buffer: async name => documents.buffers.get(path(name)),
    dispose: async () => undefined,
  };
});
