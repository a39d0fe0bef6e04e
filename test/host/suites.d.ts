// Made by the build: importing it loads every test/host/*.test.ts.
declare module "suites:host";
