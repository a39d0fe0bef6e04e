// One fault at one step of a start, for the table of starts: `at-start <step>:<fault>`.
// Steps: `launch`, before it reads anything; `initialize`; `session/new`. Faults: `crash`, `hang`, `flood`, `garbage`.

/** The behaviors. `write` waits for room in the pipe. */
export function startBehaviours({ write, complain, value = "" }) {
  const faults = {
    crash: async () => {
      await complain("bad-agent: cannot find the model");
      process.exit(5);
    },
    hang: () => complain("bad-agent: hangs"),
    flood: async () => {
      await complain("bad-agent: floods");
      for (;;) await write("all work and no play makes a dull agent\n".repeat(50));
    },
    garbage: async () => {
      await write("<html>502 Bad Gateway</html>\n{]\n");
      await complain("bad-agent: printed garbage");
    },
  };
  return {
    "at-start": async () => {
      const [step, fault] = value.split(":");
      if (step !== "launch") return { [step]: faults[fault] };
      // Keeps the process running without reading its input.
      if (fault !== "crash") setInterval(() => {}, 1000);
      await faults[fault]();
      return new Promise(() => {});
    },
  };
}
