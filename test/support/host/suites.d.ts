// Made by the build: importing it loads every *.host.test.ts.
declare module "suites:host";
