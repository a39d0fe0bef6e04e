// A secret is hidden from its creation on, in each form in which texts contain it, and ordinary words are not.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { isHideable, maskKnownIn, maskKnownPieces, maskKnownSecrets } from "../../src/base/secrets/knownSecrets.ts";
import { maskText } from "../../src/base/mask.ts";
import { maskJson } from "../../src/base/maskJson.ts";
import {
  credentialArguments,
  rememberSecrets,
  Secret,
  secretCredentials,
  textWithSecrets,
  unwrappedValues,
} from "../../src/base/secrets/secret.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

/** A value that Parley hides: at least eight characters, among them digits, letters and any others. */
const anySecret = fc
  .tuple(
    fc.stringMatching(/^[a-zA-Z0-9]{5}$/),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.nat({ max: 999_999 }),
  )
  .map(([a, b, c]) => `${a}${b}${String(c).padStart(6, "0")}x`)
  .filter(isHideable);

describe("a secret", () => {
  it("prints itself as dots, in every way that prints values", () => {
    const secret = new Secret("hunter2-hunter2");
    const shown = [String(secret), `${secret}`, JSON.stringify({ secret }), inspect({ secret }), [secret].join()];
    for (const text of shown) assert.ok(text.includes("•••") && !text.includes("hunter2"), text);
    assert.deepEqual(Object.values(secret), []);
    assert.equal(secret.unwrap(), "hunter2-hunter2");
  });

  it("is hidden plain, in JSON, in addresses and in base64, wherever it stands", () => {
    const other = fc.string({ unit: "grapheme", maxLength: 12 });
    fc.assert(
      fc.property(anySecret, other, other, (value, before, after) => {
        new Secret(value).unwrap();
        const text = before + value + after;
        const forms = [
          text,
          JSON.stringify(text),
          JSON.stringify({ inner: JSON.stringify(text) }),
          encodeURIComponent(text),
          `a=${encodeURIComponent(value).replaceAll("%20", "+")}&b`,
          `a=${encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())}`,
        ];
        for (const form of forms) {
          const masked = maskKnownSecrets(form);
          assert.ok(!masked.includes(value) && masked.includes("•••"), `${form} → ${masked}`);
        }
        for (const encoding of ["base64", "base64url"] as const) {
          const encoded = Buffer.from(`${before}${value}${after}`).toString(encoding);
          const masked = maskKnownSecrets(`Authorization ${encoded}!`);
          assert.ok(masked.includes("•••"), `${encoded} → ${masked}`);
          assert.ok(!Buffer.from(masked.slice(14), encoding).includes(value));
        }
      }),
    );
  });

  it("is hidden in texts and names of fields at any depth, and a value without one keeps its identity", () => {
    const value = "deep-secret-77";
    rememberSecrets([value]);
    const shown = maskKnownIn({ a: [{ [`x${value}`]: `y${value}` }], b: 1, c: null });
    assert.deepEqual(shown, { a: [{ "x•••": "y•••" }], b: 1, c: null });
    const plain = { a: [{ b: "c" }], list: [] };
    assert.equal(maskKnownIn(plain), plain);
    assert.deepEqual(maskKnownIn({ id: value, text: value }, new Set(["id"])), { id: value, text: "•••" });
    assert.deepEqual(maskJson({ params: { [value]: value } }), { params: { "•••": "•••" } });
  });

  it("is hidden also if it comes in pieces", () => {
    fc.assert(
      fc.property(anySecret, fc.string(), fc.string(), fc.array(fc.nat(40), { maxLength: 8 }), (value, a, b, cuts) => {
        new Secret(value).unwrap();
        const text = a + value + b;
        const at = [0, ...cuts.map(cut => cut % text.length).sort((x, y) => x - y), text.length];
        const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
        const shown = maskKnownPieces(pieces);
        assert.equal(shown.length, pieces.length);
        assert.equal(shown.join(""), maskKnownSecrets(text));
      }),
    );
  });

  it("of several lines is hidden line by line", () => {
    const key = `-----BEGIN KEY-----\n${"abcdEFGH1234+/".repeat(3)}\n${"ZYXW9876mnop".repeat(3)}\n-----END KEY-----`;
    rememberSecrets([key]);
    for (const line of key.split("\n").slice(1, 3)) assert.equal(maskKnownSecrets(`> ${line}`), "> •••");
    assert.equal(maskKnownSecrets("-----BEGIN KEY-----"), "-----BEGIN KEY-----");
  });

  for (const value of [
    "production",
    "my-project",
    "us",
    "true",
    "8080",
    "1234567",
    "localhost",
    "xxxxxxxx",
    "--------",
    "a1b2",
    "",
  ])
    it(`is not hidden if it is short or an ordinary word: ${JSON.stringify(value)}`, () => {
      rememberSecrets([value]);
      const text = `start ${value} end ${value}s production-1 my-projects 12345678`;
      assert.equal(maskKnownSecrets(text), text);
    });

  it("of six or seven characters is hidden only as a word of its own", () => {
    rememberSecrets(["ab12cd"]);
    assert.equal(maskKnownSecrets("pw=ab12cd, xab12cd ab12cde"), "pw=•••, xab12cd ab12cde");
  });

  it("is a value whose name or format indicates a credential", () => {
    const values = secretCredentials({
      API_KEY: "plain-words-1",
      MY_TOKEN: "other-words-2",
      Authorization: "Bearer third-words-3",
      DATABASE_URL: "postgres://user:fourth-words-4@host/db",
      GOOGLE_APPLICATION_CREDENTIALS: "/home/me/keys/google.json",
      TOKEN_URL: "https://login.example.com/token",
      LOG_LEVEL: "debug-level-5",
    });
    const secrets = Object.entries(values).flatMap(([name, value]) => (value instanceof Secret ? [name] : []));
    assert.deepEqual(secrets, ["API_KEY", "MY_TOKEN", "Authorization"]);
    const text = "plain-words-1 other-words-2 third-words-3 fourth-words-4 debug-level-5 /home/me/keys/google.json";
    assert.equal(maskText(text), "••• ••• ••• ••• debug-level-5 /home/me/keys/google.json");
    assert.equal(unwrappedValues(values)["API_KEY"], "plain-words-1");
  });

  it("is an argument after a flag for one", () => {
    const args = ["--token", "sixth-words-6", "--password=seventh-words-7", "--verbose", "eighth-words-8"];
    assert.deepEqual(credentialArguments(args), ["sixth-words-6", "seventh-words-7"]);
  });

  it("differs in comparisons, although it prints itself as any other", () => {
    const of = (value: string): unknown => ({ env: { KEY: new Secret(value), A: "1" } });
    assert.equal(textWithSecrets(of("one-secret-1")), textWithSecrets(of("one-secret-1")));
    assert.notEqual(textWithSecrets(of("one-secret-1")), textWithSecrets(of("two-secret-2")));
  });

  it("is looked for without comparing each character with each secret", () => {
    rememberSecrets(Array.from({ length: 300 }, (_, i) => `${i * 7919}-many-secrets-${i}`));
    const text = "Many words, and none of them is a secret. ".repeat(30_000);
    maskKnownSecrets("build the index first");
    const used = processorTime();
    assert.equal(maskKnownSecrets(text), text);
    // Takes some 20 ms; 5 s if each of the forms is looked for at each character.
    assert.ok(used() < 2000, `${used()} ms`);
  });
});
