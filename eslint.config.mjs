// The rules of ESLint. All findings are errors. Prettier does the formatting.
import tseslint from "typescript-eslint";

const unsafeHtml = [
  {
    selector: "MemberExpression[property.name=/^(innerHTML|outerHTML)$/]",
    message: "Build DOM through lit or a DOMPurify fragment.",
  },
  {
    selector: "CallExpression[callee.property.name='insertAdjacentHTML']",
    message: "Build DOM through lit or a DOMPurify fragment.",
  },
];

export default tseslint.config(
  {
    ignores: ["dist/", "out/", "node_modules/", "**/*.mjs", "examples/sample-workspace/", "test/support/agents/*.mjs"],
  },
  {
    files: ["src/**/*.ts", "webview-ui/**/*.ts", "test/**/*.ts", "examples/**/*.ts"],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "@typescript-eslint": tseslint.plugin },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/prefer-promise-reject-errors": "error",
      "no-empty": "error",
      eqeqeq: "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
    },
  },
  {
    files: ["src/**/*.ts", "webview-ui/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Use a named export." },
        {
          selector: "ExportAllDeclaration",
          message: "Don't re-export from a barrel: import from the file that declares the name.",
        },
        ...unsafeHtml,
      ],
      "no-restricted-imports": [
        "error",
        {
          paths: [
            { name: "lit/directives/unsafe-html.js", message: "Agent output is hostile: sanitize it into a fragment." },
          ],
        },
      ],
    },
  },
  { files: ["test/**/*.ts", "examples/**/*.ts"], rules: { "no-console": "off" } },
);
