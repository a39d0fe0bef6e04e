// Replaces the native module @vscode/native-watchdog, which has no prebuilt binary. The extension host also
// watches its parent in JavaScript, so no function is lost.
exports.start = () => {};
exports.exit = code => process.exit(code || 0);
