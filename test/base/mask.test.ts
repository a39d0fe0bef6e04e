// Which words of printed text are credentials, by example.
import assert from "node:assert/strict";
import fc from "fast-check";
import { isSecretFlag, maskText } from "../../src/base/mask.ts";
import { maskJson } from "../../src/base/maskJson.ts";
import { rememberSecrets } from "../../src/base/secrets/secret.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

// Concatenated from pieces, so that secret scanners do not report them.
const openAi = `sk-${"proj-a1B2c3D4".repeat(3)}`;
const gitHub = `ghp_${"a1B2c3D4e5".repeat(3)}`;
const webToken = `eyJ${"hbGciOiJI"}.eyJ${"zdWIiOiIx"}.c2lnbmF0dXJl`;

describe("masked text", () => {
  const hides: readonly (readonly [given: string, masked: string])[] = [
    [`Using ${openAi} for requests`, "Using ••• for requests"],
    [`remote: ${gitHub}`, "remote: •••"],
    [`got ${webToken}.`, "got •••."],
    ["id AKIAIOSFODNN7EXAMPLE", "id •••"],
    [
      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----•••-----END RSA PRIVATE KEY-----",
    ],
    ["clone https://ada:hunter2@example.com/x.git", "clone https://ada:•••@example.com/x.git"],
    ["Authorization: Bearer abcdefgh", "Authorization: Bearer •••"],
    ['{"authorization":"Basic QWRhOnB3"}', '{"authorization":"•••"}'],
    ["sent with bearer a1b2c3d4e5f6", "sent with bearer •••"],
    ["Set-Cookie: sid=1; theme=dark\nnext", "Set-Cookie: •••\nnext"],
    ["OPENAI_API_KEY=abc npm start", "OPENAI_API_KEY=••• npm start"],
    ["export SIGNING_KEY=swordfish", "export SIGNING_KEY=•••"],
    ["https://example.com/?token=abc&user=ada", "https://example.com/?token=•••&user=ada"],
    ['{"apiKey": "abc", "user": "ada"}', '{"apiKey": "•••", "user": "ada"}'],
    ["{'client_secret': 'a \"b\" c'}", "{'client_secret': '•••'}"],
    ['{"password":"ab\\"cd"}', '{"password":"•••"}'],
    ["password = 'correct horse'", "password = '•••'"],
    ["agent --token abc --verbose", "agent --token ••• --verbose"],
    ["agent --api-key=abc", "agent --api-key=•••"],
    ["api key: a1b2c3d4", "api key: •••"],
    ["Your token a1b2c3d4e5f6g7 is old", "Your token ••• is old"],
    ["key: a1b2c3d4e5f6g7h8", "key: •••"],
    ["Password: swordfish", "Password: •••"],
    ["secret: token=abc", "secret: token=•••"],
    // A color ends with a letter.
    [`\u001b[32m${gitHub}\u001b[0m`, "\u001b[32m•••\u001b[0m"],
    [`\u001b[1;31m${openAi}`, "\u001b[1;31m•••"],
    ["\u001b[1mbearer a1b2c3d4e5f6", "\u001b[1mbearer •••"],
  ];
  for (const [given, masked] of hides) {
    it(`hides what is secret in ${JSON.stringify(given.slice(0, 60))}`, () => assert.equal(maskText(given), masked));
  }

  const prose = [
    "a token of friendship",
    "Unexpected token } in JSON at position 42",
    "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "Invalid token: expected a name",
    "error: unexpected token: `=>`",
    "tokens: 4096, max_tokens=1024, input tokens 12345678901234",
    "The secret is to begin; the password was wrong.",
    "Wrong password: try again",
    "Use --password to set it, or --token <token>.",
    "Missing API key. Set OPENAI_API_KEY, or sign in.",
    "OPENAI_API_KEY=$KEY and TOKEN=${TOKEN}",
    "token=null password: undefined",
    "Bearer authentication failed; basic understanding",
    "Authorization: required for this",
    "Press any key: Enter",
    "monkey: banana, keyboard=us, hotkey=F1",
    "risk-assessment-document-2026-final",
    "cookie banners and credentials files",
    "Token::parse(input)",
    "http://localhost:8080/@scope/package",
    "src/auth/tokenizer.ts:12:5",
  ];
  for (const text of prose) {
    it(`leaves ${JSON.stringify(text.slice(0, 60))} as it is`, () => assert.equal(maskText(text), text));
  }

  it("masks nothing twice", () => {
    for (const [, masked] of hides) assert.equal(maskText(masked), masked);
  });

  it("takes time in proportion to the length of a line, for any repetition in it", () => {
    const units = [
      "token",
      "token=",
      "--token ",
      "sk-",
      "eyJ-",
      "cookie:",
      "://a:",
      "a:b@",
      'secret="\\',
      "password: a ",
    ];
    for (const unit of units) {
      const line = unit.repeat(200_000 / unit.length);
      const used = processorTime();
      maskText(line);
      // Takes some 50 ms; 20 s if the time grows with the square of the length.
      assert.ok(used() < 3000, `${unit} took ${used()} ms`);
    }
  });

  it("hides any value assigned to a name that indicates a secret, in any context", () => {
    const around = fc.stringMatching(/^[a-z ]{0,20}$/);
    const value = fc.stringMatching(/^[A-Za-z0-9+/_-]{8,40}$/).map(text => `${text}x9`);
    fc.assert(
      fc.property(around, fc.constantFrom("apiKey", "access_token", "DB_PASSWORD"), value, around, (a, name, b, c) => {
        assert.equal(maskText(`${a} ${name}=${b} ${c}`), `${a} ${name}=••• ${c}`);
      }),
    );
  });
});

describe("a secret that the user entered", () => {
  it("is hidden wherever it appears, whatever it looks like", () => {
    const traffic = { mcpServers: [{ url: "https://example.com/plainword-1/mcp", args: ["--use", "plainword-1"] }] };
    assert.ok(JSON.stringify(maskJson(traffic)).includes("plainword-1"));
    rememberSecrets(["plainword-1"]);
    assert.deepEqual(maskJson(traffic), {
      mcpServers: [{ url: "https://example.com/•••/mcp", args: ["--use", "•••"] }],
    });
    assert.equal(maskText("The key plainword-1 is wrong."), "The key ••• is wrong.");
  });

  it("is not hidden if it is so short that it is part of many words", () => {
    rememberSecrets(["the"]);
    assert.equal(maskText("then"), "then");
  });
});

describe("a flag that announces a secret", () => {
  it("has a name that indicates a secret", () => {
    const flags = [
      "--token",
      "--api-key",
      "-password",
      "--github-token",
      "--token-count",
      "token",
      "--tokens",
      "--verbose",
    ];
    assert.deepEqual(flags.filter(isSecretFlag), [
      "--token",
      "--api-key",
      "-password",
      "--github-token",
      "--token-count",
    ]);
  });
});
