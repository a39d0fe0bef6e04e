// A form and a web address, for the scenes and the tests of the panel.
import type { ViewQuestion } from "../../src/panel/protocol.ts";

/** A form with every type of field. */
export const formAsk: ViewQuestion = {
  id: "f1",
  title: "How should the shop be set up?",
  parts: [],
  locations: [],
  options: [],
  form: {
    message: "How should the shop be set up?",
    description: "The answers go into shop.config.json.",
    fields: [
      {
        type: "text",
        name: "name",
        title: "Name of the shop",
        description: "Shown in the header.",
        required: true,
        minLength: 3,
      },
      { type: "text", name: "mail", title: "Contact", format: "email", required: false, default: "ada@example.com" },
      { type: "number", name: "port", title: "Port", integer: true, minimum: 1024, required: true },
      { type: "boolean", name: "tests", title: "Write tests", required: false, default: true },
      {
        type: "select",
        name: "store",
        title: "Database",
        required: true,
        choices: [
          { value: "sqlite", name: "SQLite", description: "One file, no server" },
          { value: "pg", name: "PostgreSQL", description: "Needs a server" },
        ],
      },
      { type: "text", name: "store_custom", title: "Other database", required: false },
      {
        type: "multiselect",
        name: "langs",
        title: "Languages",
        required: false,
        maxItems: 2,
        choices: ["English", "Deutsch", "Français"].map(name => ({ value: name, name })),
        default: ["English"],
      },
    ],
  },
};

/** A form with the formats and controls that the other form lacks. */
export const formatsAsk: ViewQuestion = {
  ...{ id: "f3", title: "When does the shop open?", parts: [], locations: [], options: [] },
  form: {
    message: "When does the shop open?",
    fields: [
      { type: "text", name: "site", title: "Website", format: "uri", required: true },
      { type: "text", name: "day", title: "Day", format: "date", required: true },
      { type: "text", name: "time", title: "Time", format: "date-time", required: true },
      { type: "text", name: "code", title: "Code", secret: true, maxLength: 4, required: true },
      { type: "number", name: "tax", title: "Tax", integer: false, maximum: 1, required: true },
      { type: "boolean", name: "terms", title: "Accept the terms", description: "Read them first.", required: true },
      {
        type: "select",
        name: "country",
        title: "Country",
        required: true,
        choices: Array.from({ length: 9 }, (_, i) => ({ value: `c${i}`, name: `Country ${i}` })),
      },
      {
        type: "multiselect",
        name: "days",
        title: "Days",
        required: true,
        minItems: 2,
        choices: ["Mon", "Tue", "Wed"].map(name => ({ value: name, name })),
      },
    ],
  },
};

/** A web address with a host in Punycode and a user name before it. */
export const addressAsk: ViewQuestion = {
  id: "w1",
  title: "Sign in to the ticket service",
  parts: [],
  locations: [],
  options: [],
  address: {
    href: "https://apple.com@xn--80ak6aa92e.com/login?next=%2Ftickets#start",
    host: "xn--80ak6aa92e.com",
    decodedHost: "аррӏе.com",
    hasUserName: true,
  },
};

/** The arguments of an MCP prompt. */
export const promptAsk: ViewQuestion = {
  ...{ id: "p1", title: "/tickets:summarize", parts: [], locations: [], options: [] },
  origin: "From the MCP server tickets.",
  form: {
    message: "/tickets:summarize",
    title: "Summarize tickets",
    description: "Summarizes the tickets of a team.",
    fields: [
      { type: "text", name: "team", title: "team", required: true, completes: true, description: "The team" },
      { type: "text", name: "state", title: "state", required: false, completes: true },
    ],
  },
};

/** What an MCP prompt would send, with what the agent does not take. */
export const previewAsk: ViewQuestion = {
  ...{ id: "p2", title: "/tickets:review", parts: [], locations: [], options: [] },
  origin: "From the MCP server tickets.",
  preview: {
    sections: [
      { role: "user", parts: [{ type: "text", text: "Review the ticket T-1." }] },
      { role: "assistant", parts: [{ type: "text", text: "Which parts are important?" }] },
    ],
    notes: ["OpenCode does not take audio, so a recording is left out."],
  },
};
